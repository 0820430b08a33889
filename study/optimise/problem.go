package optimise

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/sensitivity"
)

// Problem is what to minimise, for each weight w of the wire length:
//
//	(1 - w) (temperature + cost of the numbers) / initial rise + w length / initial length
//
// or, while all limits are met:
//
//	(1 - w) cost of the numbers / range of the cost + w length / initial length
type Problem struct {
	File  *stackfile.OptimiseFile
	Start []float64 // of the numbers in File.Vary
	// Load is the stack with some numbers, on a grid that does not depend on them.
	Load     func(numbers []float64) (*stack.Stack, error)
	Solver   gpusolve.Options
	Mesh     func(*stack.Stack) (*mesh.Mesh, error)
	Progress func(what string)
	Journal  *Journal // of the solved designs; nil for none
}

// Design is a choice of numbers and positions.
type Design struct {
	Weight    float64      `json:"wire_weight"`
	Numbers   []float64    `json:"numbers"`
	Places    [][2]float64 `json:"positions_m"`   // south-west corners
	Quarters  []int        `json:"quarter_turns"` // counter-clockwise
	Value     float64      `json:"objective"`     // the temperature to minimise
	Max       float64      `json:"max_K"`
	Margin    *float64     `json:"margin_K"` // to the limits, where they are constraints
	Cost      float64      `json:"cost"`     // in K, or with limits as constraints in any unit
	Length    float64      `json:"wire_m"`
	Steps     int          `json:"steps"`
	Dominated bool         `json:"dominated"` // another design is no worse in temperature and length
}

// Result of a run.
type Result struct {
	Objective string   `json:"objective"`
	Unit      string   `json:"unit"`
	Keys      []string `json:"keys"`
	Parts     []string `json:"parts"`
	Initial   Design   `json:"initial"`
	Designs   []Design `json:"designs"` // one for each weight
	Solves    int      `json:"evaluations"`
	Legal     bool     `json:"initial_legal"`
}

// run optimises.
type run struct {
	*Problem
	*Result
	*layout
	base        *stack.Stack
	scale       float64   // of the first term
	wire        float64   // initial length
	rise        float64   // initial one, K
	multipliers []float64 // of the limits
	weight      float64   // of their violations
}

// Terms of a point. Those from firstLimit on are the temperatures of the limited parts above their limits, in K.
const (
	goal       = iota // temperature with costs, or costs
	wireLength        // m
	firstLimit
)

// point is an evaluated design.
type point struct {
	Design           // without weight and steps
	U      []float64 // parts of the ranges of numbers, then positions as parts of the size of the stack
	Name   string    // of the objective
	Unit   string
	Terms  []float64
	Slopes [][]float64 // of the terms, if wanted
}

// factors of the terms in the derivative of the objective, with a weight of the wires.
func (r *run) factors(p *point, weight float64) []float64 {
	all := make([]float64, len(p.Terms))
	all[goal] = (1 - weight) / r.scale
	if r.wire > 0 {
		all[wireLength] = weight / r.wire
	}
	for n, excess := range p.Terms[firstLimit:] {
		all[firstLimit+n] = r.force(n, excess) / r.rise
	}
	return all
}

// value is the objective with a weight of the wires.
func (r *run) value(p *point, weight float64) float64 {
	return floats.Dot(r.factors(p, weight)[:firstLimit], p.Terms[:firstLimit]) + r.penalty(p.Terms[firstLimit:])
}

// slopes of the objective with a weight by the first free variables.
func (r *run) slopes(p *point, weight float64, free int) []float64 {
	all := make([]float64, len(p.U))
	for n, factor := range r.factors(p, weight) {
		floats.AddScaled(all, factor, p.Slopes[n])
	}
	clear(all[free:])
	return all
}

// best of some points.
func (r *run) best(points []*point, weight float64) *point {
	return slices.MinFunc(points, func(a, b *point) int { return cmp.Compare(r.value(a, weight), r.value(b, weight)) })
}

// split returns the numbers and the positions.
func (r *run) split(u []float64) (numbers []float64, at [][2]float64) {
	vary := r.File.Vary
	numbers, at = []float64{}, [][2]float64{} // in JSON never null
	for i, v := range vary {
		numbers = append(numbers, v.At(u[i]))
	}
	for i := range r.moved {
		n := len(vary) + 2*i
		at = append(at, [2]float64{u[n] * r.size, u[n+1] * r.size})
	}
	return numbers, at
}

// placed are the numbers of u with other positions.
func (r *run) placed(u []float64, at [][2]float64) []float64 {
	u = slices.Clone(u[:len(r.Keys)])
	for _, c := range at {
		u = append(u, c[0]/r.size, c[1]/r.size)
	}
	return u
}

// Stack is a design as a stack.
func (p *Problem) Stack(parts []string, d *Design) (*stack.Stack, error) {
	s, err := p.Load(d.Numbers)
	if err != nil || len(parts) == 0 {
		return s, err
	}
	by := map[string]sensitivity.Shift{}
	for _, b := range sensitivity.Boxes(s) {
		if i := slices.Index(parts, b.Name); i >= 0 {
			by[b.Name] = sensitivity.Shift{By: [2]float64{d.Places[i][0] - b.X, d.Places[i][1] - b.Y},
				Quarters: d.Quarters[i]}
		}
	}
	return sensitivity.Moved(s, by), nil
}

// levels of the differences for derivatives: their error is well below the curvature within a step.
const levels = 2

// evaluate solves a design, with slopes if wanted, unless the journal has it.
func (r *run) evaluate(ctx context.Context, u []float64, quarters []int, slopes bool) (*point, error) {
	r.Solves++
	p := &point{U: u, Design: Design{Quarters: quarters}}
	if slopes {
		p.Slopes = [][]float64{}
	}
	key := r.Journal.key(p)
	if known, err := r.Journal.find(key); known != nil || err != nil {
		return known, err
	}
	p.Numbers, p.Places = r.split(u)
	s, err := r.Stack(r.Parts, &p.Design)
	if err != nil {
		return nil, err
	}
	o := sensitivity.Options{Solver: r.Solver, Mesh: r.Mesh, KeysOnly: true}
	if slopes {
		o.Positions, o.Pieces, o.Levels = true, r.Parts, levels
		for i, v := range r.File.Vary {
			o.Keys = append(o.Keys, sensitivity.Key{Name: v.Key, Value: p.Numbers[i], Unit: v.Unit,
				Stack: func(x float64) (*stack.Stack, error) {
					other := p.Design
					other.Numbers = slices.Clone(p.Numbers)
					other.Numbers[i] = x
					return r.Stack(r.Parts, &other)
				}})
		}
	}
	want := []sensitivity.Objective{{Of: r.File.Of, ValueOnly: !slopes || r.constrained()},
		{Of: sensitivity.Max, ValueOnly: true}}
	if r.constrained() {
		want = append(want, sensitivity.Objective{Of: sensitivity.Limits, ValueOnly: !slopes})
	}
	all, err := sensitivity.Of(ctx, s, want, o)
	if err != nil {
		return nil, err
	}
	p.Name, p.Unit = all[0].Name, all[0].Unit
	r.take(p, all)
	return p, r.Journal.add(key, p)
}

// take puts the results of a design into a point.
func (r *run) take(p *point, all []sensitivity.Result) {
	byCost := make([]float64, len(p.U))
	for i, v := range r.File.Vary {
		p.Cost += v.Cost * p.Numbers[i]
		byCost[i] = v.Cost * v.Slope(p.U[i])
	}
	length, by := r.turned(p.Quarters).length(p.Places)
	p.Value, p.Max, p.Length, p.Terms = all[0].Value, all[1].Value, length, []float64{p.Cost, length}
	slopes := [][]float64{byCost, make([]float64, len(p.U))}
	for i := range by {
		n := len(r.Keys) + 2*i
		slopes[wireLength][n], slopes[wireLength][n+1] = by[i][0]*r.size, by[i][1]*r.size
	}
	if !r.constrained() {
		p.Terms[goal] += p.Value
		floats.Add(byCost, r.gradient(p.U, &all[0]))
	}
	limits := all[2:]
	slices.SortFunc(limits, func(a, b sensitivity.Result) int { return cmp.Compare(a.Name, b.Name) })
	for n := range limits {
		p.Terms, slopes = append(p.Terms, limits[n].Value-limits[n].TMax), append(slopes, r.gradient(p.U, &limits[n]))
	}
	if len(limits) > 0 {
		margin := -slices.Max(p.Terms[firstLimit:])
		p.Margin = &margin
	}
	if p.Slopes != nil {
		p.Slopes = slopes
	}
}

// gradient of a result by the parts u.
func (r *run) gradient(u []float64, of *sensitivity.Result) []float64 {
	all := make([]float64, len(r.Keys)+2*r.moved)
	for _, d := range of.Of {
		if i := slices.Index(r.Keys, d.Name); d.Kind == sensitivity.FileKey && i >= 0 {
			all[i] = d.Derivative * r.File.Vary[i].Slope(u[i])
		}
		if i := slices.Index(r.Parts, d.Name); d.Position() && i >= 0 {
			n := len(r.Keys) + 2*i
			if d.Kind == sensitivity.Y {
				n++
			}
			all[n] = d.Derivative * r.size
		}
	}
	return all
}
