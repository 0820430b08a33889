package sensitivity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/report/summary"
	"thermsim/stack"
)

// Objective is a differentiated quantity, by name:
//
//	BLOCK or LAYER/BLOCK     the mean over an input, with the names of ports.Find
//	NAME:peak                the hottest cell of a layer, LAYER/BLOCK or LAYER/REGION
//	probe/NAME               the temperature at a probe
//	max                      the hottest cell
//	limit                    the hottest cell of the part with the smallest margin to its tmax
//	limits                   one for each part with a tmax, by ascending margin: its hottest cell
//	peaks                    one for each block: its hottest cell
//	rth                      (max - ambient) / power
//
// Without a name it is the p-norm of the rises of all inputs over the ambient, which approximates the largest rise for
// large p:
//
//	J = (sum of rise^p / number of inputs)^(1/p)
type Objective struct {
	Of        string
	Norm      float64 // p; default DefaultNorm
	ValueOnly bool    // no derivatives
}

// DefaultNorm is the default of p.
const DefaultNorm = 20

// Names of objectives.
const (
	Max    = "max"
	Limit  = "limit"
	Limits = "limits"
	Peaks  = "peaks"
	Rth    = "rth"
	Peak   = ":peak"
	Probe  = "probe/"
)

// measure is an objective of a stack: a function of readings, which are the means over inputs or a weighted sum of
// cells.
type measure struct {
	name, unit string
	inputs     []int
	sample     func(m *mesh.Mesh) mesh.Sample // nil with inputs
	combine    func(m *mesh.Mesh, readings []float64) (value float64, slopes []float64)
	perWatt    bool    // the value is divided by the power
	tmax       float64 // of a limit
	valueOnly  bool
}

// itself is the combination of a single reading.
func itself(_ *mesh.Mesh, readings []float64) (float64, []float64) { return readings[0], []float64{1} }

// read takes the readings from the temperatures x.
func (q *measure) read(m *mesh.Mesh, inputs []ports.Input, x []float64) (readings []float64) {
	for _, n := range q.inputs {
		readings = append(readings, meanOf(m, &inputs[n], x))
	}
	if q.sample != nil {
		at := q.sample(m)
		sum := at.Constant
		for _, t := range at.Terms {
			sum += t.Weight * x[t.Plane*m.NX()*m.NY()+t.Cell]
		}
		readings = append(readings, sum)
	}
	return readings
}

// measures finds what an objective reads in a solved stack. Limits and Peaks are a measure for each part.
func (want *Objective) measures(m *mesh.Mesh, inputs []ports.Input, found func() (*summary.Summary, error)) (
	all []measure, err error) {
	if want.Of == "" {
		return []measure{want.norm(inputs)}, nil
	}
	if strings.HasPrefix(want.Of, Probe) {
		i := slices.IndexFunc(m.Stack.Probes, func(p stack.Probe) bool { return Probe+p.Name == want.Of })
		if i < 0 {
			return nil, fmt.Errorf("%w: there is no %q", ErrObjective, want.Of)
		}
		p := &m.Stack.Probes[i]
		return []measure{{name: want.Of, unit: "K", combine: itself,
			sample: func(m *mesh.Mesh) mesh.Sample { return m.SampleAt(p.X, p.Y, p.Z, p.Side) }}}, nil
	}
	part, peak := strings.CutSuffix(want.Of, Peak)
	if peak || slices.Contains([]string{Max, Limit, Limits, Peaks, Rth}, want.Of) {
		s, err := found()
		if err != nil {
			return nil, err
		}
		return want.hottest(m, s, part)
	}
	names := make([]string, len(inputs))
	for n := range inputs {
		names[n] = inputs[n].Name
	}
	n, err := ports.Find(names, want.Of)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrObjective, err)
	}
	return []measure{{name: names[n], unit: "K", combine: itself, inputs: []int{n}}}, nil
}

// norm of the rises of all inputs.
func (want *Objective) norm(inputs []ports.Input) measure {
	p := want.Norm
	if p == 0 {
		p = DefaultNorm
	}
	q := measure{name: fmt.Sprintf("all blocks, norm %g", p), unit: "K"}
	for n := range inputs {
		q.inputs = append(q.inputs, n)
	}
	q.combine = func(m *mesh.Mesh, means []float64) (float64, []float64) {
		ambient, slopes := m.Stack.Ambient, make([]float64, len(means))
		top := slices.Max(means) - ambient
		if top <= 0 {
			return ambient, slopes
		}
		sum := 0.0 // of (rise/top)^p, to avoid overflow
		for _, t := range means {
			sum += math.Pow(math.Max(0, t-ambient)/top, p)
		}
		mean := sum / float64(len(means))
		for n, t := range means {
			slopes[n] = math.Pow(mean, 1/p-1) * math.Pow(math.Max(0, t-ambient)/top, p-1) / float64(len(means))
		}
		return ambient + top*math.Pow(mean, 1/p), slopes
	}
	return q
}

// hottest are the hottest cells of the stack, of parts with limits, of all blocks, or of a named part.
func (want *Objective) hottest(m *mesh.Mesh, s *summary.Summary, part string) (all []measure, err error) {
	add := func(name string, at *summary.Place, tmax float64) {
		i, j, k := cellAt(m.X, at.XM), cellAt(m.Y, at.YM), cellAt(m.Z, at.ZM)
		cell := mesh.Term{Plane: k, Cell: j*m.NX() + i, Weight: 1}
		all = append(all, measure{name: name, unit: "K", combine: itself, tmax: tmax,
			sample: func(*mesh.Mesh) mesh.Sample { return mesh.Sample{Terms: []mesh.Term{cell}} }})
	}
	switch want.Of {
	case Limit, Limits:
		for i := range s.Limits {
			add("limit of "+s.Limits[i].Label(), &s.Limits[i].At, s.Limits[i].TMaxK)
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%w: got a stack without tmax; expected limits. Fix: add tmax = \"85 degC\" to "+
				"the stack file, or to its layers or blocks", ErrObjective)
		}
		if want.Of == Limit {
			all = all[:1]
			all[0].name = Limit
		}
	case Peaks:
		for i := range s.Blocks {
			add(s.Blocks[i].Layer+"/"+s.Blocks[i].Name+Peak, &s.Blocks[i].MaxAt, 0)
		}
	case Max:
		add(want.Of, &s.Temperature.MaxAt, 0)
	case Rth:
		if m.Power.Mapped == 0 {
			return nil, errors.Join(ErrObjective, ErrNoInput)
		}
		add(want.Of, &s.Temperature.MaxAt, 0)
		all[0].unit, all[0].perWatt = "K/W", true
		all[0].combine = func(m *mesh.Mesh, r []float64) (float64, []float64) {
			return (r[0] - m.Stack.Ambient) / m.Power.Mapped, []float64{1 / m.Power.Mapped}
		}
	default:
		at := placeOf(s, part)
		if at == nil {
			return nil, fmt.Errorf("%w: there is no %q; write LAYER, LAYER/BLOCK or LAYER/REGION before %s",
				ErrObjective, part, Peak)
		}
		add(want.Of, at, 0)
	}
	return all, nil
}

// cellAt is the cell that contains a coordinate.
func cellAt(faces []float64, v float64) int {
	n, _ := slices.BinarySearch(faces, v)
	return max(0, min(n-1, len(faces)-2))
}

// placeOf is the hottest cell of a layer, LAYER/BLOCK or LAYER/REGION; nil if there is none.
func placeOf(s *summary.Summary, name string) *summary.Place {
	for i := range s.Blocks {
		if b := &s.Blocks[i]; b.Layer+"/"+b.Name == name {
			return &b.MaxAt
		}
	}
	for i := range s.Regions {
		if r := &s.Regions[i]; r.Layer+"/"+r.Name == name {
			return &r.MaxAt
		}
	}
	for i := range s.Layers {
		if s.Layers[i].Name == name {
			return &s.Layers[i].MaxAt
		}
	}
	return nil
}

// meanOf is the mean over the heated volume of an input.
func meanOf(m *mesh.Mesh, in *ports.Input, x []float64) float64 {
	sum, weight := 0.0, 0.0
	for _, r := range in.Heated(m) {
		for b, dy := range r.Y {
			for a, dx := range r.X {
				w := dx * dy * r.Z
				sum, weight = sum+w*x[(r.Plane*m.NY()+r.J+b)*m.NX()+r.I+a], weight+w
			}
		}
	}
	return sum / weight
}
