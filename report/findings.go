package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

func summariseLeakage(m *mesh.Mesh, l *solution.Leakage) *summary.Leakage {
	if l == nil {
		return nil
	}
	s := &summary.Leakage{PowerW: l.Watts, LoopGain: l.Gain, At: statistics.PlaceOf(m, l.I, l.J, l.K),
		Runaway: l.Runaway,
		TimeS:   l.Time, LargestFactor: l.Factor,
		OutOfRange: l.Outside, FromK: l.From, ToK: l.To}
	if !(l.Gain > 0) {
		s.LoopGain = math.NaN()
	}
	return s
}

func summariseNonlinear(m *mesh.Mesh, n *solution.Nonlinear) *summary.Nonlinear {
	if n == nil {
		return nil
	}
	s := &summary.Nonlinear{OuterIterations: n.OuterTotal, ResidualNormW: n.ResidualW, Contraction: n.Contraction,
		Leakage: summariseLeakage(m, n.Leakage)}
	for i, cells := range n.Outside {
		if cells > 0 {
			material := &m.Stack.Materials[i]
			from, to, _ := material.Range()
			s.OutOfRange = append(s.OutOfRange, summary.OutOfRange{Material: material.Name, FromK: from, ToK: to,
				Cells: cells})
		}
	}
	return s
}

func summariseStepping(s *solution.Stepping) *summary.Stepping {
	if s == nil {
		return nil
	}
	return &summary.Stepping{
		Method: s.Method, TolK: s.TolK, LargestErrorK: s.LargestErrorK, Steps: s.Steps, Rejected: s.Rejected,
		Solves: s.Solves, Setups: s.Setups,
		PowerChanges: s.Changes, ShortestS: s.ShortestS, LongestS: s.LongestS, PeakK: s.PeakK, PeakS: s.PeakS,
		SteadyRestK: s.RestK, Steady: s.Steady, PeriodS: s.Period, Periods: s.Periods, ClosureK: s.ClosureK,
	}
}

func summariseSolver(m *mesh.Mesh, sol *solution.Solution) summary.Solver {
	st := &sol.Status
	return summary.Solver{
		Method: st.Method, Preconditioner: st.Preconditioner, Iterations: st.Iterations,
		ResidualNormW: st.ResidualW, RelativeResidual: st.RelativeResidual, EstimatedErrorK: st.EstimatedErrorK,
		Converged: st.Converged, Reason: st.Reason, Fallback: st.Fallback,
		Nonlinear: summariseNonlinear(m, st.Nonlinear),
	}
}

// outermost reads the cells on the faces, plane by plane. Planes between bottom and top are not copied from the device:
// their cells on the sides are gathered there, all at once, and their other cells keep their values.
func outermost(m *mesh.Mesh, f solution.Field) (read func(k int, kelvin []float64) error) {
	if solution.ReducerOf(f) == nil {
		return f.Plane
	}
	var cells []int // of a plane
	for j := range m.NY() {
		step := max(1, m.NX()-1)
		if j == 0 || j == m.NY()-1 {
			step = 1
		}
		for i := 0; i < m.NX(); i += step {
			cells = append(cells, j*m.NX()+i)
		}
	}
	gather := sync.OnceValues(func() (*reduction.Values, error) {
		terms := make([]mesh.Term, (m.NZ()-2)*len(cells))
		points := make([]mesh.Sample, len(terms))
		for n := range terms {
			terms[n] = mesh.Term{Plane: 1 + n/len(cells), Cell: cells[n%len(cells)], Weight: 1}
			points[n].Terms = terms[n : n+1]
		}
		r, err := reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Points: points})
		if err != nil {
			return nil, err
		}
		return solution.Reduce(f, r)
	})
	return func(k int, kelvin []float64) error {
		if k == 0 || k == m.NZ()-1 {
			return f.Plane(k, kelvin)
		}
		v, err := gather()
		if err != nil {
			return err
		}
		for n, c := range cells {
			kelvin[c] = v.Points[(k-1)*len(cells)+n]
		}
		return nil
	}
}

func summariseFilms(m *mesh.Mesh, read func(k int, kelvin []float64) error) ([]summary.Film, error) {
	if !m.TemperatureDependent() {
		return nil, nil
	}
	states, err := m.Films(read)
	var all []summary.Film
	for i := range states {
		s := &states[i]
		b := &m.Stack.Boundary[s.Face]
		sum := summary.Film{Face: s.Face.String(), MeanH: s.MeanH, SurfaceMinK: s.Coldest, SurfaceMaxK: s.Hottest,
			ConvectionW: s.Constant + s.Law, RadiationW: s.Radiation}
		far := s.Hottest
		if math.Abs(s.Coldest-b.Temperature) > math.Abs(far-b.Temperature) {
			far = s.Coldest
		}
		if ra, from, to, ok := b.Rayleigh(far); ok {
			if sum.Rayleigh = ra; ra < from || ra > to {
				sum.Outside = fmt.Sprintf("the Rayleigh number %.2g is outside %.0e to %.0e, the range of the "+
					"natural-convection correlation, which was used anyway", ra, from, to)
			}
		}
		if s.Outside > 0 {
			if sum.Outside != "" {
				sum.Outside += "; "
			}
			sum.Outside += fmt.Sprintf("the surface temperature of %d cells is outside the range of h, "+
				"and the value at the end of the range was used", s.Outside)
		}
		all = append(all, sum)
	}
	return all, err
}

func summarisePatches(m *mesh.Mesh, read func(k int, kelvin []float64) error) ([]summary.Patch, error) {
	states, err := m.Patches(read)
	var all []summary.Patch
	for _, s := range states {
		row := summary.Patch{Face: s.Face.String(), AreaM2: s.Area, HeatW: s.Heat}
		if s.Patch >= 0 {
			row.Name = m.Stack.Boundary[s.Face].Patches[s.Patch].Name
		}
		all = append(all, row)
	}
	return all, err
}

// addCoolant adds the coolant of every cavity.
func (s building) addCoolant(m *mesh.Mesh, sol *solution.Solution) error {
	var plane []float64
	for n, c := range m.Cavities {
		if plane == nil {
			plane = make([]float64, m.NX()*m.NY())
		}
		if err := sol.Field.Plane(c.Fluid, plane); err != nil {
			return err
		}
		y := &m.Stack.Layers[c.Layer]
		h := m.Stack.Hydraulics(y)
		row := summary.Coolant{Layer: y.Name, Direction: string(c.Of.Direction), FlowM3PerS: c.Of.Flow,
			VelocityMPerS: h.Velocity, Reynolds: h.Reynolds,
			Biot: h.Biot, EntryLengthM: h.Entry, Streams: streamRows(m, c, plane, h.Streams), PressureDrop: h.Drop,
			PumpingW: h.Pumping, InletK: c.Of.Inlet, HeatW: math.NaN(), Along: alongCoolant(m, c, plane)}
		last := row.Along[len(row.Along)-1]
		row.OutletK, row.OutletMinK, row.OutletMaxK = last.MixedK, last.MinK, last.MaxK
		if n < len(sol.Energy.Coolant) {
			row.HeatW = sol.Energy.Coolant[n]
		}
		s.Coolant = append(s.Coolant, row)
	}
	return nil
}

// streamRows computes the heat of each stream. A line of cells in two zones contributes to each by its share of the
// flow.
func streamRows(m *mesh.Mesh, c *mesh.Cavity, plane []float64, streams []stack.Stream) []summary.CoolantStream {
	across := m.X
	if c.Along == 0 {
		across = m.Y
	}
	rise := make([]float64, len(c.Lines))
	c.Outlets(m.NX(), m.NY(), func(cell, line int) { rise[line] = plane[cell] - c.Of.Inlet })
	rows := make([]summary.CoolantStream, len(streams))
	line := 0
	for n := range streams {
		t := &streams[n]
		row := summary.CoolantStream{FromM: t.From, ToM: t.To, FlowM3PerS: t.Flow, VelocityMPerS: t.Velocity,
			Reynolds: t.Reynolds, PressureDrop: t.Drop}
		for line > 0 && across[line] > t.From {
			line--
		}
		for ; line < len(rise) && across[line] < t.To; line++ {
			if part := math.Min(t.To, across[line+1]) - math.Max(t.From, across[line]); part > 0 && c.Lines[line] {
				row.HeatW += c.Of.Fluid.C * t.Flow * part / (t.To - t.From) * rise[line]
			}
		}
		row.OutletK = c.Of.Inlet + row.HeatW/(c.Of.Fluid.C*t.Flow)
		rows[n] = row
	}
	return rows
}

// alongCoolant averages the lines of a cavity for each cell along the flow.
func alongCoolant(m *mesh.Mesh, c *mesh.Cavity, plane []float64) []summary.CoolantAlong {
	faces := m.Y
	if c.Along == 0 {
		faces = m.X
	}
	n := len(faces) - 1
	all := make([]summary.CoolantAlong, n)
	for at := range all {
		cell := at
		if c.Backward {
			cell = n - 1 - at
		}
		a := summary.CoolantAlong{DistanceM: (faces[cell] + faces[cell+1]) / 2, MinK: math.Inf(1), MaxK: math.Inf(-1)}
		if c.Backward {
			a.DistanceM = faces[n] - a.DistanceM
		}
		sum, carried := 0.0, 0.0
		for line, wet := range c.Lines {
			if !wet {
				continue
			}
			at := cell*m.NX() + line
			if c.Along == 0 {
				at = line*m.NX() + cell
			}
			v := plane[at]
			sum += c.Heat[line] * v
			carried += c.Heat[line]
			a.MinK, a.MaxK = math.Min(a.MinK, v), math.Max(a.MaxK, v)
		}
		a.MixedK = sum / carried
		all[at] = a
	}
	return all
}

// coolantShare is the heat that all coolant removes.
func coolantShare(e *solution.Energy) float64 {
	sum := 0.0
	for _, w := range e.Coolant {
		sum += w
	}
	return sum
}

// limits returns the limits of the stack, sorted by margin.
func (s building) limits(r *Run, sc *statistics.Scan) []summary.Limit {
	all, m, around := []summary.Limit{}, r.Mesh, s.proportional(r)
	add := func(tmax float64, kind, layer, name string, maxK float64, at summary.Place, peak *summary.Peak) {
		if tmax <= 0 {
			return
		}
		l := summary.Limit{Kind: kind, Layer: layer, Name: name, TMaxK: tmax, MaxK: maxK, At: at}
		if *peak != (summary.Peak{}) {
			l.MaxK, l.At, l.TimeS = peak.MaxK, peak.At, peak.TimeS
		}
		l.MarginK = tmax - l.MaxK
		l.OK = l.MarginK >= 0 // false if there is no finite temperature
		l.MarginW = math.NaN()
		if rise := l.MaxK - around; rise > 0 {
			l.MarginW = s.Power.MappedW * l.MarginK / rise
		}
		all = append(all, l)
	}
	whole := summary.Peak{MaxK: s.Temperature.MaxK, At: s.Temperature.MaxAt}
	if s.Steps > 0 {
		k, t := s.HottestStep()
		if whole.TimeS = t; !(k <= whole.MaxK) {
			whole.MaxK, whole.At = k, s.Peak.At
		}
	}
	add(m.Stack.TMax, "stack", "", "", whole.MaxK, whole.At, &whole)
	for i := range s.Layers {
		row := &s.Layers[i]
		add(m.Stack.Layers[i].TMax, "layer", row.Name, "", row.MaxK, row.MaxAt, &row.Peak)
	}
	ofDies := s.dieLimits(sc)
	for i, p := range sc.Parts {
		row := &s.Regions[i]
		if d, joined := ofDies[dieLimit{p.Die, p.Tmax}]; joined {
			if d.hottest == i {
				add(p.Tmax, "die", "", p.Die, row.MaxK, row.MaxAt, &row.Peak)
			}
			continue
		}
		add(p.Tmax, row.Kind, row.Layer, cmp.Or(row.Name, row.Material), row.MaxK, row.MaxAt, &row.Peak)
	}
	for i, b := range sc.Blocks {
		row := &s.Blocks[i]
		add(cmp.Or(b.Power.Blocks[b.Index].TMax, b.Power.TMax), "block", row.Layer, row.Name, row.MaxK, row.MaxAt,
			&row.Peak)
	}
	slices.SortStableFunc(all, func(a, b summary.Limit) int { return cmp.Compare(a.MarginK, b.MarginK) })
	return all
}

// proportional is the common temperature of all faces if the temperature rise over it is proportional to the power:
// with properties that do not depend on temperature, and in a transient that starts there or is periodic, and is not
// throttled. It is NaN otherwise.
func (s building) proportional(r *Run) float64 {
	around, highest, flux := r.Mesh.Stack.References()
	periodic := s.Stepping != nil && s.Stepping.PeriodS > 0
	switch {
	case flux, around != highest, r.Mesh.Stack.Nonlinear(),
		s.Steps > 0 && (r.StartK != around && !periodic || len(s.Policies) > 0):
		return math.NaN()
	}
	return around
}

// dieLimit is a tmax that regions of one die share.
type dieLimit struct {
	die  string
	tmax float64
}

// sharers are the regions that share a limit.
type sharers struct{ count, hottest int }

// dieLimits returns the limits that apply to a die as a whole: those that several of its regions share, and those of
// dies with one region.
func (s building) dieLimits(sc *statistics.Scan) map[dieLimit]sharers {
	all := map[dieLimit]sharers{}
	for _, d := range sc.Dies {
		for _, n := range d.Parts {
			key := dieLimit{d.Name, sc.Parts[n].Tmax}
			if key.tmax <= 0 {
				continue
			}
			of, known := all[key]
			reached := func(n int) float64 { return s.Regions[n].Peak.Reached(s.Regions[n].MaxK) }
			if !known || !(reached(n) <= reached(of.hottest)) {
				of.hottest = n
			}
			of.count++
			all[key] = of
		}
		if len(d.Parts) > 1 {
			for key, of := range all {
				if key.die == d.Name && of.count == 1 {
					delete(all, key)
				}
			}
		}
	}
	return all
}

// addJedec adds the JEDEC metrics of the test that the stack models, based on its total power including leakage.
func (s building) addJedec(j stack.Jedec) {
	watts := s.Power.MappedW + s.Power.LeakageW
	runaway := s.Solver.Reason == solution.ReasonRunaway // its field belongs to another power
	if j == (stack.Jedec{}) || s.Steps > 0 || !(watts > 0) || runaway {
		return
	}
	at := func(probe string) (kelvin float64, found bool) {
		for _, p := range s.Probes {
			if p.Name == probe && probe != "" {
				return p.TemperatureK, true
			}
		}
		return 0, false
	}
	out := summary.Jedec{Environment: j.Environment, JunctionK: s.Temperature.MaxK, PowerW: watts}
	add := func(name, reference string, kelvin float64) {
		out.Figures = append(out.Figures, summary.JedecFigure{Name: name, KPerW: (out.JunctionK - kelvin) / out.PowerW,
			Reference: reference, ReferenceK: kelvin})
	}
	onCase, cased := at(j.Case)
	onBoard, boarded := at(j.Board)
	switch j.Environment {
	case "jesd51-8":
		if boarded {
			add("theta_JB", "board, 1 mm from the package", onBoard)
		}
	case "jesd51-14":
		if cased {
			add("theta_JC(top)", "middle of the top of the case", onCase)
		}
	default:
		add("theta_JA", "ambient", s.Temperature.AmbientK)
		if cased {
			add("psi_JT", "middle of the top of the case", onCase)
		}
		if boarded {
			add("psi_JB", "board, 1 mm from the package", onBoard)
		}
	}
	s.Jedec = out
}

// addWarnings adds the warnings about the stack, the command line and the temperatures.
func (s building) addWarnings(r *Run, parts []*statistics.Part) {
	s.Warnings = []plausibility.Warning{}
	if r.Recorded != nil {
		s.Warnings = append(s.Warnings, r.Recorded.Warnings...)
		return
	}
	layers := make([]plausibility.Range, len(s.Layers))
	for i := range s.Layers {
		l := &s.Layers[i]
		layers[i] = plausibility.Range{Min: l.MinK, Mean: l.MeanK, Max: l.MaxK}
	}
	for n, c := range r.Mesh.Cavities {
		for _, a := range s.Coolant[n].Along {
			layers[c.Layer].Coolant = max(layers[c.Layer].Coolant, a.MaxK)
		}
	}
	s.Warnings = slices.Concat(s.Warnings, plausibility.Of(r.Mesh), r.Warnings,
		plausibility.OfTemperatures(r.Mesh, layers), sampledRows(r, parts))
}

// sampledRows warns about layers whose regions overlap so often that their areas are sampled.
func sampledRows(r *Run, parts []*statistics.Part) []plausibility.Warning {
	var found []plausibility.Warning
	last := -1
	for _, p := range parts {
		if !p.Sampled || p.Layer == last {
			continue
		}
		last = p.Layer
		y := &r.Mesh.Stack.Layers[last]
		found = append(found, plausibility.Warning{
			Code: plausibility.CrowdedCells, Place: y.Regions[0].Pos.String(),
			Text: fmt.Sprintf("layer %q: many regions overlap, and areas, powers and means of its rows have "+
				"an error of up to 1 %% of the chip", y.Name),
			Remedy: "replace them by one region with fill, which is exact",
		})
	}
	return found
}
