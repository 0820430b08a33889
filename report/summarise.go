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
	"thermsim/report/measured"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// building is a summary under construction.
type building struct{ *summary.Summary }

// Summarise computes all results of a report. The field computes its statistics if it can; otherwise each plane is read
// once. It fails if the field cannot be read, or for a Run without a mesh or a solution.
func Summarise(r *Run) (*summary.Summary, error) {
	start := time.Now()
	if r == nil || r.Mesh == nil || r.Mesh.Stack == nil || r.Mesh.Power == nil || r.Solution == nil ||
		r.Solution.Field == nil {
		return nil, errors.New("report: a run needs a mesh with its stack and power, and a solution with its field")
	}
	m, sol := r.Mesh, r.Solution
	scanned := r.Timeline.Begin("statistics of the field")
	sc, err := statistics.ScanField(m, sol.Field)
	scanned()
	if err != nil {
		return nil, err
	}
	r.planePeaks = sc.Planes
	s := building{&summary.Summary{
		Schema: 1, Command: r.Command, Version: r.Version,
		Stack: m.Stack.File, Title: m.Stack.Title, InputSHA256: inputDigest(m.Stack.Inputs), Set: m.Stack.Set,
		Grid:   summary.Grid{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Cells: m.Cells()},
		Device: deviceOf(&sol.Device),
		Solver: summariseSolver(m, sol),
		Power:  summary.Power{RequestedW: m.Power.Requested, MappedW: m.Power.Mapped},
		Energy: summariseEnergy(&sol.Energy),
		Time: summary.Time{
			ParseS: r.Parse.Seconds(), MeshS: r.Build.Seconds(),
			DeviceS: sol.Timing.Device.Seconds(), SetupS: sol.Timing.Setup.Seconds(),
			SolveS: sol.Timing.Solve.Seconds(),
		},
		Memory:   summary.Memory{DeviceBytes: sol.Memory.DeviceBytes},
		HotSpots: sc.Peaks.HotSpots(m),
		Policies: r.Policies, PowerGrid: r.PowerGrid,
	}}
	if err := s.addFields(r, sc, statistics.ReportInterval(sol)); err != nil {
		return nil, err
	}
	if err := s.addCoolant(m, sol); err != nil {
		return nil, err
	}
	onFaces := outermost(m, sol.Field)
	if s.Energy.Patches, err = summarisePatches(m, onFaces); err != nil {
		return s.Summary, err
	}
	if s.Energy.Films, err = summariseFilms(m, onFaces); err != nil {
		return nil, err
	}
	if err := s.addLeakage(m, sc, sol); err != nil {
		return nil, err
	}
	s.addDies(sc)
	s.addSteps(sol)
	s.addPeaks(r, sc)
	s.addJedec(m.Stack.Jedec)
	s.addWarnings(r, sc.Parts)
	s.judge()
	s.RthKPerW = thermalResistance(s.Summary, sol)
	s.Limits = s.limits(r, sc)
	s.finish(r, time.Since(start))
	return s.Summary, nil
}

// addMeasured compares measured temperatures with computed ones. Those of a transient were compared at its steps.
func (s building) addMeasured(r *Run, sc *statistics.Scan) {
	c := r.measured
	if c == nil {
		if c = measured.New(r.Mesh.Stack); c == nil {
			return
		}
		if len(r.Solution.Steps) == 0 {
			c.Steady(sc.Probes)
		}
	}
	s.Measured = c.Summary()
}

// addFields adds the temperatures of the whole stack, the layers, the blocks and the probes.
func (s building) addFields(r *Run, sc *statistics.Scan, t statistics.Interval) error {
	m := r.Mesh
	s.Temperature = summary.Temperature{AmbientK: m.Stack.Ambient, NonFiniteCells: int(sc.All.NonFinite)}
	s.Temperature.MinK, s.Temperature.MeanK, s.Temperature.MaxK = sc.All.Result()
	s.Temperature.MaxAt = sc.Places.Place(sc.All.I, sc.All.J, sc.All.K)

	if err := s.addLayers(m, sc, t); err != nil {
		return err
	}
	if err := s.addBlocks(m, sc, t); err != nil {
		return err
	}
	s.Probes = make([]summary.Probe, len(sc.Probes))
	for i, p := range m.Stack.Probes {
		s.Probes[i] = summary.Probe{Name: p.Name, XM: p.X, YM: p.Y, ZM: p.Z, TemperatureK: sc.Probes[i],
			Side: string(p.Side)}
	}
	s.addMeasured(r, sc)
	return nil
}

func (s building) addLayers(m *mesh.Mesh, sc *statistics.Scan, t statistics.Interval) error {
	watts, err := t.LayerWatts(m)
	if err != nil {
		return err
	}
	s.Layers = make([]summary.Layer, len(sc.Layers))
	for l := range sc.Layers {
		e, layer := &sc.Layers[l], &m.Stack.Layers[l]
		row := &s.Layers[l]
		*row = summary.Layer{
			Name: layer.Name, Material: m.Stack.Materials[layer.Material].Name,
			ZBottomM: m.Z[m.LayerPlanes[l][0]], ThicknessM: layer.Thickness, PowerW: watts[l],
		}
		row.MinK, row.MeanK, row.MaxK = e.Result()
		k := e.K
		if e.Weight == 0 {
			k = m.LayerPlanes[l][0]
		}
		row.MaxAt = sc.Places.Place(e.I, e.J, k)
	}
	s.leaveOutFillers(m, sc)
	s.leaveOutSpace(m, sc)
	return nil
}

// leaveOutSpace recomputes the mean and the minimum of a stack with open space without it.
func (s building) leaveOutSpace(m *mesh.Mesh, sc *statistics.Scan) {
	solid := make([]reduction.Extent, len(sc.Layers)) // of layers with open space
	spaced := map[int]bool{}
	for _, p := range sc.Parts {
		if p.Kind != summary.KindPower && p.InOpenSpace(m) {
			spaced[p.Layer], solid[p.Layer] = true, reduction.NewExtent()
		}
	}
	if len(spaced) == 0 {
		return
	}
	for n, p := range sc.Parts {
		if spaced[p.Layer] && p.Kind != summary.KindPower && !p.InOpenSpace(m) {
			solid[p.Layer].Merge(&sc.Values[len(sc.Blocks)+n], 1)
		}
	}
	all := reduction.NewExtent()
	for l := range solid {
		if !spaced[l] {
			solid[l] = sc.Layers[l].Extent
		}
		all.Merge(&solid[l], 1)
	}
	s.Temperature.MinK, s.Temperature.MeanK, _ = all.Result()
}

// leaveOutFillers recomputes the means of layers with regions, without the materials that fill the space around chips,
// and their minima without open space. The material of such a layer is that of its parts.
func (s building) leaveOutFillers(m *mesh.Mesh, sc *statistics.Scan) {
	of := map[int][]*statistics.Part{}
	for _, p := range sc.Parts {
		if p.Kind != summary.KindPower {
			of[p.Layer] = append(of[p.Layer], p)
		}
	}
	for l, parts := range of {
		if m.Stack.Layers[l].MeanOfAll {
			continue
		}
		out := statistics.Fillers(m, parts)
		if len(out) == 0 {
			continue
		}
		kept, solid := reduction.NewExtent(), reduction.NewExtent()
		var part *statistics.Part // the last that is no filler
		ofParts := false          // a filler surrounds the parts
		for n, p := range sc.Parts {
			if !slices.Contains(parts, p) {
				continue
			}
			if !p.InOpenSpace(m) {
				solid.Merge(&sc.Values[len(sc.Blocks)+n], 1)
			}
			switch {
			case slices.Contains(out, p):
				if name := m.Stack.Materials[p.Material].Name; !slices.Contains(s.Layers[l].MeanWithout, name) {
					s.Layers[l].MeanWithout = append(s.Layers[l].MeanWithout, name)
				}
			default:
				kept.Merge(&sc.Values[len(sc.Blocks)+n], 1)
				part = p
			}
			ofParts = ofParts || p.Kind == summary.KindRest && slices.Contains(out, p)
		}
		if ofParts && part != nil {
			s.Layers[l].Material = m.Stack.Materials[part.Material].Name
		}
		_, s.Layers[l].MeanK, _ = kept.Result()
		if slices.ContainsFunc(out, func(p *statistics.Part) bool { return p.InOpenSpace(m) }) {
			s.Layers[l].MinK, _, _ = solid.Result()
		}
	}
}

// addBlocks adds the blocks and regions.
func (s building) addBlocks(m *mesh.Mesh, sc *statistics.Scan, t statistics.Interval) error {
	watts, err := t.BlockWatts(m, sc.Blocks)
	if err != nil {
		return err
	}
	s.Blocks = make([]summary.Block, len(sc.Blocks))
	for i, b := range sc.Blocks {
		row := &s.Blocks[i]
		*row = summary.Block{Layer: m.Stack.Layers[b.Layer].Name, Name: b.Name, AreaM2: b.Area, PowerW: watts[i],
			MaxAt: sc.Hottest(m, i, b.Layer)}
		row.MinK, row.AvgK, row.MaxK = sc.Values[i].Result()
	}
	if watts, err = t.PartWatts(m, sc.Blocks, watts, sc.Parts); err != nil {
		return err
	}
	s.Regions = make([]summary.Region, len(sc.Parts))
	for i, p := range sc.Parts {
		row := &s.Regions[i]
		n := len(sc.Blocks) + i
		*row = summary.Region{Layer: m.Stack.Layers[p.Layer].Name, Name: p.Name, Kind: p.Kind, AreaM2: p.Area,
			PowerW: watts[i], MaxAt: sc.Hottest(m, n, p.Layer)}
		if p.Material >= 0 {
			row.Material = m.Stack.Materials[p.Material].Name
		}
		row.MinK, row.MeanK, row.MaxK = sc.Values[n].Result()
	}
	return nil
}

// addLeakage adds the final leakage to the powers.
func (s building) addLeakage(m *mesh.Mesh, sc *statistics.Scan, sol *solution.Solution) error {
	l, err := statistics.LeaksOf(m, sol)
	if l == nil || err != nil {
		return err
	}
	factor := 1.0 // factor on the other powers for the state in the field
	if n := s.Solver.Nonlinear; n != nil && n.Leakage != nil {
		s.Power.LeakageW = n.Leakage.PowerW
		if n.Leakage.LargestFactor > 0 {
			factor = n.Leakage.LargestFactor
		}
	}
	add := func(watts, leakage *float64, leaks float64) {
		*watts, *leakage = factor**watts+leaks, leaks
	}
	for i := range s.Layers {
		add(&s.Layers[i].PowerW, &s.Layers[i].LeakageW, l.Layer(&m.Stack.Layers[i]))
	}
	for i, b := range sc.Blocks {
		add(&s.Blocks[i].PowerW, &s.Blocks[i].LeakageW, l.Block(b))
	}
	for i, p := range sc.Parts {
		add(&s.Regions[i].PowerW, &s.Regions[i].LeakageW, l.Part(m, p))
	}
	return nil
}

// addPeaks adds the peaks over the steps of a transient.
func (s building) addPeaks(r *Run, sc *statistics.Scan) {
	if r.peaks == nil {
		return
	}
	steps, places := r.Solution.Steps, sc.Places
	whole := r.peaks.Hottest()
	s.Peak = whole.Peak(places, steps)
	for i := range s.Layers {
		s.Layers[i].Peak = r.peaks.Layers[i].Peak(places, steps)
	}
	for i := range s.Blocks {
		s.Blocks[i].Peak = r.peaks.Blocks[i].Peak(places, steps)
	}
	for i := range s.Regions {
		s.Regions[i].Peak = r.peaks.Parts[i].Peak(places, steps)
	}
	for i, d := range sc.Dies {
		s.Dies[i].Peak = d.Peak(r.peaks.Parts, places, steps)
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
		s.StepMaxima = append(s.StepMaxima, summary.Step{TimeS: st.Time, MaxK: st.MaxK, PowerW: st.PowerW,
			LeakageW: st.LeakageW, Iterations: st.Iterations,
			Converged: st.Converged && quantity.Finite(st.MaxK)})
	}
}

// finish sets the times and the memory. It runs again after the pictures are drawn.
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

func summariseEnergy(e *solution.Energy) summary.Energy {
	f := e.ByFace
	return summary.Energy{
		InW: e.In, OutW: e.Out, StoredW: e.Stored, ImbalanceRel: e.ImbalanceRel, CoolantW: coolantShare(e),
		ByFaceW: summary.Face{
			Bottom: f[stack.Bottom], Top: f[stack.Top], West: f[stack.West],
			East: f[stack.East], South: f[stack.South], North: f[stack.North],
		},
	}
}

// thermalResistance is (max - ambient) / power. It is NaN without power, and in a transient, which stores heat.
func thermalResistance(s *summary.Summary, sol *solution.Solution) float64 {
	unstable := s.Solver.Reason == solution.ReasonRunaway // its field belongs to another power
	if watts := s.Power.MappedW + s.Power.LeakageW; watts > 0 && len(sol.Steps) == 0 && !unstable {
		return (s.Temperature.MaxK - s.Temperature.AmbientK) / watts
	}
	return math.NaN()
}

// inputDigest is the digest of a single input, or of the hexadecimal digests of several, one per line in reading order.
// It depends on the contents of the files, not on their folder.
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

func deviceOf(d *solution.DeviceInfo) summary.Device {
	return summary.Device{Kind: d.Kind, Name: d.Name, GPUFailure: d.GPUFailure, Ranks: d.Ranks, Transport: d.Transport}
}

// addDies adds the dies, whose regions are complete by then.
func (s building) addDies(sc *statistics.Scan) {
	values := sc.Values[len(sc.Blocks):]
	for _, d := range sc.Dies {
		e, hottest := d.Extent(values)
		row := summary.Die{Name: d.Name, MaxAt: s.Regions[hottest].MaxAt}
		row.MinK, row.MeanK, row.MaxK = e.Result()
		for _, n := range d.Parts {
			r := &s.Regions[n]
			row.PowerW += r.PowerW
			row.LeakageW += r.LeakageW
			if k := len(row.Layers); k == 0 || row.Layers[k-1] != r.Layer {
				row.Layers = append(row.Layers, r.Layer)
			}
		}
		s.Dies = append(s.Dies, row)
	}
}

// judge marks the run as not converged if temperatures are not finite, at the end or after an earlier step of a
// transient.
func (s building) judge() {
	v := &s.Solver
	if s.Temperature.NonFiniteCells == 0 && s.FirstBadStep() == 0 {
		return
	}
	v.Converged = false
	if v.Reason == solution.ReasonTolerance || v.Reason == solution.ReasonAttainable {
		v.Reason = solution.ReasonBreakdown
	}
}
