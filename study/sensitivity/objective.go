package sensitivity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report"
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

// measures finds what an objective reads in a solved stack. Several parts are one measure each.
func (want *Objective) measures(m *mesh.Mesh, inputs []ports.Input, sol *solution.Solution) (all []measure, err error) {
	if want.Of != Limits && want.Of != Peaks {
		q, err := want.measure(m, inputs, sol)
		q.valueOnly = want.ValueOnly
		return []measure{q}, err
	}
	s, err := report.Summarise(&report.Run{Command: "steady", Mesh: m, Solution: sol})
	if err != nil {
		return nil, err
	}
	add := func(name string, at *summary.Place, tmax float64) {
		cell := termAt(m, at)
		all = append(all, measure{name: name, unit: "K", combine: itself, tmax: tmax, valueOnly: want.ValueOnly,
			sample: func(*mesh.Mesh) mesh.Sample { return mesh.Sample{Terms: []mesh.Term{cell}} }})
	}
	if want.Of == Limits {
		for i := range s.Limits {
			l := &s.Limits[i]
			add("limit of "+l.Label(), &l.At, l.TMaxK)
		}
	} else {
		for i := range s.Blocks {
			b := &s.Blocks[i]
			add(b.Layer+"/"+b.Name+Peak, &b.MaxAt, 0)
		}
	}
	if len(all) == 0 {
		missing := map[string]string{Limits: "tmax", Peaks: "blocks"}[want.Of]
		err = fmt.Errorf("%w: the stack has no %s", ErrObjective, missing)
	}
	return all, err
}

// measure finds what an objective reads in a solved stack.
func (want *Objective) measure(m *mesh.Mesh, inputs []ports.Input, sol *solution.Solution) (q measure, err error) {
	q = measure{name: want.Of, unit: "K", combine: itself}
	part, peak := strings.CutSuffix(want.Of, Peak)
	switch {
	case want.Of == "":
		return want.norm(inputs), nil
	case strings.HasPrefix(want.Of, Probe):
		i := slices.IndexFunc(m.Stack.Probes, func(p stack.Probe) bool { return Probe+p.Name == want.Of })
		if i < 0 {
			return q, fmt.Errorf("%w: there is no %q", ErrObjective, want.Of)
		}
		p := &m.Stack.Probes[i]
		q.sample = func(m *mesh.Mesh) mesh.Sample { return m.SampleAt(p.X, p.Y, p.Z, p.Side) }
		return q, nil
	case peak || want.Of == Max || want.Of == Limit || want.Of == Rth:
		at, err := hottest(m, sol, want.Of, part)
		q.sample = func(*mesh.Mesh) mesh.Sample { return mesh.Sample{Terms: []mesh.Term{at}} }
		if want.Of == Rth {
			q.unit, q.perWatt = "K/W", true
			q.combine = func(m *mesh.Mesh, r []float64) (float64, []float64) {
				return (r[0] - m.Stack.Ambient) / m.Power.Mapped, []float64{1 / m.Power.Mapped}
			}
		}
		return q, err
	}
	names := make([]string, len(inputs))
	for n := range inputs {
		names[n] = inputs[n].Name
	}
	n, err := ports.Find(names, want.Of)
	if err != nil {
		return q, fmt.Errorf("%w: %w", ErrObjective, err)
	}
	q.name, q.inputs = names[n], []int{n}
	return q, nil
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

// hottest is the hottest cell of the stack, of the part with the smallest margin, or of a named part.
func hottest(m *mesh.Mesh, sol *solution.Solution, of, part string) (mesh.Term, error) {
	s, err := report.Summarise(&report.Run{Command: "steady", Mesh: m, Solution: sol})
	if err != nil {
		return mesh.Term{}, err
	}
	at := &s.Temperature.MaxAt
	switch {
	case of == Limit && len(s.Limits) == 0:
		return mesh.Term{}, fmt.Errorf("%w: the stack has no tmax", ErrObjective)
	case of == Limit:
		at = &s.Limits[0].At
	case of == Rth && m.Power.Mapped == 0:
		return mesh.Term{}, errors.Join(ErrObjective, ErrNoInput)
	case strings.HasSuffix(of, Peak):
		if at = placeOf(s, part); at == nil {
			return mesh.Term{}, fmt.Errorf("%w: there is no %q; write LAYER, LAYER/BLOCK or LAYER/REGION before %s",
				ErrObjective, part, Peak)
		}
	}
	return termAt(m, at), nil
}

// termAt is the cell that contains a place.
func termAt(m *mesh.Mesh, at *summary.Place) mesh.Term {
	i, j, k := cellAt(m.X, at.XM), cellAt(m.Y, at.YM), cellAt(m.Z, at.ZM)
	return mesh.Term{Plane: k, Cell: j*m.NX() + i, Weight: 1}
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
