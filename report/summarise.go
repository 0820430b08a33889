package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// building is a summary whose parts are being stated.
type building struct{ *Summary }

// Summarise computes everything a report states. The field takes the statistics itself where it can; else each of its
// planes is read once. Errors are those of reading the field, and of a Run without a mesh or a solution.
func Summarise(r *Run) (*Summary, error) {
	start := time.Now()
	if r == nil || r.Mesh == nil || r.Mesh.Stack == nil || r.Mesh.Power == nil || r.Solution == nil ||
		r.Solution.Field == nil {
		return nil, errors.New("report: a run needs a mesh with its stack and power, and a solution with its field")
	}
	m, sol := r.Mesh, r.Solution
	scanned := r.Timeline.Begin("statistics of the field")
	sc, err := scanField(m, sol.Field)
	scanned()
	if err != nil {
		return nil, err
	}
	r.planePeaks = sc.planes
	s := building{&Summary{
		Schema: 1, Command: r.Command, Version: r.Version,
		Stack: m.Stack.File, Title: m.Stack.Title, InputSHA256: inputDigest(m.Stack.Inputs), Set: m.Stack.Set,
		Grid:   GridSummary{m.NX(), m.NY(), m.NZ(), m.Cells()},
		Device: deviceOf(&sol.Device),
		Solver: summariseSolver(m, sol),
		Power:  PowerSummary{RequestedW: m.Power.Requested, MappedW: m.Power.Mapped},
		Energy: summariseEnergy(&sol.Energy),
		Time: TimeSummary{
			ParseS: r.Parse.Seconds(), MeshS: r.Build.Seconds(),
			DeviceS: sol.Timing.Device.Seconds(), SetupS: sol.Timing.Setup.Seconds(),
			SolveS: sol.Timing.Solve.Seconds(),
		},
		Memory:   MemorySummary{DeviceBytes: sol.Memory.DeviceBytes},
		HotSpots: sc.peaks.hotSpots(m),
		Policies: r.Policies,
	}}
	if err := s.addFields(m, sc, reportInterval(sol)); err != nil {
		return nil, err
	}
	if err := s.addCoolant(m, sol); err != nil {
		return nil, err
	}
	if s.Energy.Patches, err = summarisePatches(m, sol.Field); err != nil {
		return s.Summary, err
	}
	if s.Energy.Films, err = summariseFilms(m, sol.Field); err != nil {
		return nil, err
	}
	if err := s.addLeakage(m, sc, sol); err != nil {
		return nil, err
	}
	s.addDies(sc)
	s.addSteps(sol)
	s.addPeaks(r, sc)
	s.addJedec(m.Stack.Jedec)
	s.addWarnings(r, sc.parts)
	s.judge()
	s.RthKPerW = thermalResistance(s.Summary, sol)
	s.Limits = s.limits(m, sc)
	s.finish(r, time.Since(start))
	return s.Summary, nil
}

// addFields states the temperatures of the whole, the layers, the blocks and the probes.
func (s building) addFields(m *mesh.Mesh, sc *scan, t interval) error {
	s.Temperature = TemperatureSummary{AmbientK: m.Stack.Ambient, NonFiniteCells: int(sc.all.NonFinite)}
	s.Temperature.MinK, s.Temperature.MeanK, s.Temperature.MaxK = sc.all.Result()
	s.Temperature.MaxAt = sc.places.place(sc.all.i, sc.all.j, sc.all.k)

	if err := s.addLayers(m, sc, t); err != nil {
		return err
	}
	if err := s.addBlocks(m, sc, t); err != nil {
		return err
	}
	s.Probes = make([]ProbeSummary, len(sc.probes))
	for i, p := range m.Stack.Probes {
		s.Probes[i] = ProbeSummary{p.Name, p.X, p.Y, p.Z, sc.probes[i], string(p.Side)}
	}
	return nil
}

func (s building) addLayers(m *mesh.Mesh, sc *scan, t interval) error {
	watts, err := t.layerWatts(m)
	if err != nil {
		return err
	}
	s.Layers = make([]LayerSummary, len(sc.layers))
	for l := range sc.layers {
		e, layer := &sc.layers[l], &m.Stack.Layers[l]
		row := &s.Layers[l]
		*row = LayerSummary{
			Name: layer.Name, Material: m.Stack.Materials[layer.Material].Name,
			ZBottomM: m.Z[m.LayerPlanes[l][0]], ThicknessM: layer.Thickness, PowerW: watts[l],
		}
		row.MinK, row.MeanK, row.MaxK = e.Result()
		k := e.k
		if e.Weight == 0 {
			k = m.LayerPlanes[l][0]
		}
		row.MaxAt = sc.places.place(e.i, e.j, k)
	}
	s.leaveOutFillers(m, sc)
	return nil
}

// leaveOutFillers takes the means of layers with regions again, without what fills the room around their chips.
func (s building) leaveOutFillers(m *mesh.Mesh, sc *scan) {
	of := map[int][]*part{}
	for _, p := range sc.parts {
		if p.kind != kindPower {
			of[p.layer] = append(of[p.layer], p)
		}
	}
	for l, parts := range of {
		if m.Stack.Layers[l].MeanOfAll {
			continue
		}
		out := fillers(m, parts)
		if len(out) == 0 {
			continue
		}
		kept := reduction.NewExtent()
		for n, p := range sc.parts {
			switch {
			case !slices.Contains(parts, p):
			case slices.Contains(out, p):
				if name := m.Stack.Materials[p.material].Name; !slices.Contains(s.Layers[l].MeanWithout, name) {
					s.Layers[l].MeanWithout = append(s.Layers[l].MeanWithout, name)
				}
			default:
				kept.Merge(&sc.values[len(sc.blocks)+n], 1)
			}
		}
		_, s.Layers[l].MeanK, _ = kept.Result()
	}
}

// addBlocks states blocks and regions.
func (s building) addBlocks(m *mesh.Mesh, sc *scan, t interval) error {
	watts, err := t.blockWatts(m, sc.blocks)
	if err != nil {
		return err
	}
	s.Blocks = make([]BlockSummary, len(sc.blocks))
	for i, b := range sc.blocks {
		row := &s.Blocks[i]
		*row = BlockSummary{Layer: m.Stack.Layers[b.layer].Name, Name: b.name, AreaM2: b.area, PowerW: watts[i],
			MaxAt: sc.hottest(m, i, b.layer)}
		row.MinK, row.AvgK, row.MaxK = sc.values[i].Result()
	}
	if watts, err = t.partWatts(m, sc.blocks, watts, sc.parts); err != nil {
		return err
	}
	s.Regions = make([]RegionSummary, len(sc.parts))
	for i, p := range sc.parts {
		row := &s.Regions[i]
		n := len(sc.blocks) + i
		*row = RegionSummary{Layer: m.Stack.Layers[p.layer].Name, Name: p.name, Kind: p.kind, AreaM2: p.area,
			PowerW: watts[i], MaxAt: sc.hottest(m, n, p.layer)}
		if p.material >= 0 {
			row.Material = m.Stack.Materials[p.material].Name
		}
		row.MinK, row.MeanK, row.MaxK = sc.values[n].Result()
	}
	return nil
}

// addLeakage adds to powers what leaks at the end.
func (s building) addLeakage(m *mesh.Mesh, sc *scan, sol *solution.Solution) error {
	l, err := leaksOf(m, sol)
	if l == nil || err != nil {
		return err
	}
	factor := 1.0 // on the other powers, of the state in the field
	if n := s.Solver.Nonlinear; n != nil && n.Leakage != nil {
		s.Power.LeakageW = n.Leakage.PowerW
		if n.Leakage.LargestFactor > 0 {
			factor = n.Leakage.LargestFactor
		}
	}
	for i := range s.Layers {
		row := &s.Layers[i]
		row.LeakageW = l.layer(&m.Stack.Layers[i])
		row.PowerW = factor*row.PowerW + row.LeakageW
	}
	for i, b := range sc.blocks {
		row := &s.Blocks[i]
		row.LeakageW = l.block(b)
		row.PowerW = factor*row.PowerW + row.LeakageW
	}
	for i, p := range sc.parts {
		row := &s.Regions[i]
		row.LeakageW = l.part(m, p)
		row.PowerW = factor*row.PowerW + row.LeakageW
	}
	return nil
}

// addPeaks states the peaks of a transient over its steps.
func (s building) addPeaks(r *Run, sc *scan) {
	if r.peaks == nil {
		return
	}
	steps, places := r.Solution.Steps, sc.places
	whole := r.peaks.hottest()
	s.Peak = whole.peak(places, steps)
	for i := range s.Layers {
		s.Layers[i].Peak = r.peaks.layers[i].peak(places, steps)
	}
	for i := range s.Blocks {
		s.Blocks[i].Peak = r.peaks.blocks[i].peak(places, steps)
	}
	for i := range s.Regions {
		s.Regions[i].Peak = r.peaks.parts[i].peak(places, steps)
	}
	for i, d := range sc.dies {
		s.Dies[i].Peak = d.peak(r.peaks.parts, places, steps)
	}
}

func (s building) addSteps(sol *solution.Solution) {
	if sol.Steps == nil {
		return
	}
	s.Steps, s.DtS, s.IterationsTotal = len(sol.Steps), sol.Dt, &sol.Status.IterationsTotal
	s.Stepping = summariseStepping(sol.Stepping)
	s.StepMaxima = slices.Grow(s.StepMaxima, len(sol.Steps))
	for _, st := range sol.Steps {
		s.StepMaxima = append(s.StepMaxima, StepSummary{st.Time, st.MaxK, st.PowerW, st.LeakageW, st.Iterations,
			st.Converged && isFinite(st.MaxK)})
	}
}

// finish states what only the end of the report knows. Write calls it again, after the pictures.
func (s building) finish(r *Run, spent time.Duration) {
	if r.Recorded != nil {
		s.Time, s.Memory = r.Recorded.Time, r.Recorded.Memory
		return
	}
	s.Time.ReportS += spent.Seconds()
	if !r.Start.IsZero() {
		s.Time.TotalS = time.Since(r.Start).Seconds()
	}
	s.Memory.HostPeakBytes = hostPeakBytes()
}

func summariseSolver(m *mesh.Mesh, sol *solution.Solution) SolverSummary {
	st := &sol.Status
	return SolverSummary{
		Method: st.Method, Preconditioner: st.Preconditioner, Iterations: st.Iterations,
		ResidualNormW: st.ResidualW, RelativeResidual: st.RelativeResidual, EstimatedErrorK: st.EstimatedErrorK,
		Converged: st.Converged, Reason: st.Reason, Fallback: st.Fallback,
		Nonlinear: summariseNonlinear(m, st.Nonlinear),
	}
}

func summariseEnergy(e *solution.Energy) EnergySummary {
	f := e.ByFace
	return EnergySummary{
		InW: e.In, OutW: e.Out, StoredW: e.Stored, ImbalanceRel: e.ImbalanceRel, CoolantW: coolantShare(e),
		ByFaceW: FaceSummary{
			Bottom: f[stack.Bottom], Top: f[stack.Top], West: f[stack.West],
			East: f[stack.East], South: f[stack.South], North: f[stack.North],
		},
	}
}

// thermalResistance is (max - ambient) / power, NaN without power and in a transient, where heat is stored on its way.
func thermalResistance(s *Summary, sol *solution.Solution) float64 {
	unstable := s.Solver.Reason == solution.ReasonRunaway // its field is not of this power
	if watts := s.Power.MappedW + s.Power.LeakageW; watts > 0 && len(sol.Steps) == 0 && !unstable {
		return (s.Temperature.MaxK - s.Temperature.AmbientK) / watts
	}
	return math.NaN()
}

// inputDigest is the digest of a single input, or of the hexadecimal digests of several, one per line in the order they
// were read: moving a folder does not change it, a changed floorplan does.
func inputDigest(inputs []stack.Input) string {
	switch len(inputs) {
	case 0:
		return ""
	case 1:
		return inputs[0].SHA256
	}
	var lines strings.Builder
	for _, in := range inputs {
		lines.WriteString(in.SHA256)
		lines.WriteByte('\n')
	}
	sum := sha256.Sum256([]byte(lines.String()))
	return hex.EncodeToString(sum[:])
}

func deviceOf(d *solution.DeviceInfo) DeviceSummary {
	return DeviceSummary{Kind: d.Kind, Name: d.Name, GPUFailure: d.GPUFailure, Ranks: d.Ranks, Transport: d.Transport}
}
