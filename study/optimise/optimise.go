// Package optimise minimises a temperature over numbers of the stack file and over the positions of dies and blocks,
// optionally together with the length of wires; or the cost of the numbers while all limits are met.
//
// Placements start from an annealing on a coarse linear model of the stack. The best ones are improved together with
// the numbers by exact gradients from adjoint solves, with the projected gradient method of E. G. Birgin,
// J. M. Martinez and M. Raydan, SIAM Journal on Optimization 10, 1196 (2000). Limits are constraints of an augmented
// Lagrangian (limits.go).
package optimise

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
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

// Run finds a design for each weight.
func Run(ctx context.Context, p *Problem) (*Result, error) {
	r := &run{Problem: p, Result: &Result{}}
	var err error
	if r.base, err = p.Load(p.Start); err != nil {
		return nil, err
	}
	f := p.File
	if r.layout, err = newLayout(r.base, f.Moves, f.KeepOut, f.Nets); err != nil {
		return nil, err
	}
	for _, v := range f.Vary {
		r.Keys = append(r.Keys, v.Key)
	}
	r.Parts = r.names()
	start, err := r.start(ctx)
	if err != nil {
		return nil, err
	}
	weights := f.Wire
	if len(weights) == 0 || len(r.wires) == 0 {
		weights = []float64{0}
	}
	candidates, err := r.candidates(ctx, start, weights)
	if err != nil {
		return nil, err
	}
	ends, steps := make([]*point, len(weights)), make([]int, len(weights))
	for n, w := range weights {
		p.Progress("improving")
		if ends[n], steps[n], err = r.improve(ctx, r.best(candidates[n], w), w); err != nil {
			return nil, err
		}
	}
	for n, w := range weights {
		d := r.best(ends, w).Design
		d.Weight, d.Steps = w, steps[n]
		r.Designs = append(r.Designs, d)
	}
	r.compare()
	return r.Result, nil
}

// start evaluates the initial design.
func (r *run) start(ctx context.Context) (*point, error) {
	var u []float64
	for i, v := range r.File.Vary {
		u = append(u, min(1, max(0, v.Part(r.Start[i]))))
		r.scale += math.Abs(v.Cost) * (v.High - v.Low)
	}
	at := r.initial()
	r.Legal = r.overlapped(at) <= legal
	p, err := r.evaluate(ctx, r.placed(u, at), make([]int, r.moved), false)
	if err != nil {
		return nil, err
	}
	r.Initial, r.Objective, r.Unit = p.Design, p.Name, p.Unit
	r.multipliers, r.weight = make([]float64, len(p.Terms)-firstLimit), mostWeight
	r.rise = max(p.Max-r.base.Ambient, 1e-9)
	switch {
	case r.constrained():
		r.scale = cmp.Or(r.scale, 1)
	case r.Unit == "K":
		r.scale = max(math.Abs(p.Value-r.base.Ambient), 1e-9)
	default:
		r.scale = math.Abs(p.Value)
	}
	r.wire = r.Initial.Length
	return p, nil
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

// mostCandidates is the number of placements of the coarse model that are solved exactly, for each weight.
const mostCandidates = 3

// candidates are the starts of the exact steps for each weight: the initial design, and placements by the coarse model.
func (r *run) candidates(ctx context.Context, start *point, weights []float64) ([][]*point, error) {
	all := make([][]*point, len(weights))
	for n := range all {
		if r.Legal {
			all[n] = append(all[n], start)
		}
	}
	if r.moved == 0 {
		return all, nil
	}
	r.Progress("modelling")
	m, err := newModel(ctx, r.base, r.layout, r.Solver, r.File.Of)
	if err != nil {
		return nil, err
	}
	r.Progress("annealing")
	found, err := r.annealed(ctx, m, weights)
	if err != nil {
		return nil, err
	}
	r.Progress("solving")
	for n := range weights {
		for _, a := range found[n] {
			p, err := r.evaluate(ctx, r.placed(start.U, a.at), a.quarters, false)
			if err != nil {
				return nil, err
			}
			all[n] = append(all[n], p)
		}
		if len(all[n]) == 0 {
			return nil, ErrFull
		}
	}
	return all, nil
}

// annealed are the best placements of the coarse model for each weight, best first.
func (r *run) annealed(ctx context.Context, m *model, weights []float64) ([][]*annealing, error) {
	rises := make([]float64, len(m.r))
	for i := range m.sources {
		m.heat(rises, &m.sources[i], r.initial(), 1)
	}
	scale := m.norm(rises, r.initial())
	tries := make([]*annealing, len(weights)*r.File.Restarts)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range tries {
		group.Go(func() error {
			a := &annealing{model: m, weight: weights[k/r.File.Restarts], scale: scale, wire: r.wire,
				random: rand.New(rand.NewPCG(uint64(r.File.Seed), uint64(k)))}
			if ctx.Err() == nil && a.anneal() {
				tries[k] = a
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := make([][]*annealing, len(weights))
	for n := range weights {
		ok := slices.DeleteFunc(slices.Clone(tries[n*r.File.Restarts:(n+1)*r.File.Restarts]), func(a *annealing) bool {
			return a == nil
		})
		slices.SortStableFunc(ok, func(a, b *annealing) int { return cmp.Compare(a.final(), b.final()) })
		found[n] = ok[:min(len(ok), mostCandidates)]
	}
	return found, nil
}

const (
	// firstMove is the first step of descend and smallMove the last, as parts of the ranges.
	firstMove, smallMove = 0.05, 1e-5
	// decrease is the least decrease of a step, as a part of what the slopes promise.
	decrease = 1e-4
	shorter  = 0.2
	// mostTrials is the number of lengths that are tried for a step.
	mostTrials = 8
)

// descendTwice improves a design, and then its numbers alone: the steps of all variables end where the length of a
// wire has a kink.
func (r *run) descendTwice(ctx context.Context, at *point, weight float64) (end *point, steps int, err error) {
	if end, steps, err = r.descend(ctx, at, weight, len(at.U)); err != nil || r.moved == 0 || len(r.Keys) == 0 {
		return end, steps, err
	}
	end, more, err := r.descend(ctx, end, weight, len(r.Keys))
	return end, steps + more, err
}

// descend improves the first free variables of a design by projected gradient steps, whose length is that of a
// quadratic through both ends of the previous step (J. Barzilai and J. M. Borwein, Journal of Numerical Analysis 8, 141
// (1988)).
func (r *run) descend(ctx context.Context, at *point, weight float64, free int) (end *point, steps int, err error) {
	if at.Slopes == nil {
		if at, err = r.evaluate(ctx, at.U, at.Quarters, true); err != nil {
			return nil, 0, err
		}
	}
	slopes := r.slopes(at, weight, free)
	size := floats.Norm(slopes, math.Inf(1))
	if size == 0 {
		return at, 0, nil
	}
	length := firstMove / size
	for ; steps < r.File.Steps; steps++ {
		next, err := r.step(ctx, at, slopes, weight, &length)
		if next == nil || err != nil {
			return at, steps, err
		}
		after := r.slopes(next, weight, free)
		s, y := floats.SubTo(make([]float64, len(slopes)), next.U, at.U), floats.SubTo(slopes, after, slopes)
		if curved := floats.Dot(s, y); curved > 0 {
			length = floats.Dot(s, s) / curved
		} else {
			length /= shorter
		}
		at, slopes = next, after
	}
	return at, steps, nil
}

// step is a better design along the slopes; nil if there is none.
func (r *run) step(ctx context.Context, at *point, slopes []float64, weight float64, length *float64) (*point, error) {
	for range mostTrials {
		u := floats.AddScaledTo(make([]float64, len(slopes)), at.U, -*length, slopes)
		legal := r.project(u, at.Quarters)
		moved := floats.Distance(u, at.U, 2)
		switch {
		case legal && floats.Distance(u, at.U, math.Inf(1)) < smallMove:
			return nil, nil
		case legal:
			next, err := r.evaluate(ctx, u, at.Quarters, true)
			if err != nil {
				return nil, err
			}
			if r.value(next, weight) < r.value(at, weight) - decrease*moved*moved / *length {
				return next, nil
			}
		}
		*length *= shorter
	}
	return nil, nil
}

// project moves a design into the ranges, and its parts apart; false if that fails.
func (r *run) project(u []float64, quarters []int) bool {
	for i := range r.Keys {
		u[i] = min(1, max(0, u[i]))
	}
	_, at := r.split(u)
	ok := r.turned(quarters).legalise(at)
	copy(u, r.placed(u, at))
	return ok
}

// compare finds dominated designs.
func (r *run) compare() {
	for i := range r.Designs {
		a := &r.Designs[i]
		for j := range r.Designs {
			b := &r.Designs[j]
			first, second := r.firstOf(a), r.firstOf(b)
			better := second < first || b.Length < a.Length || j < i // or the same again
			if better && second <= first && b.Length <= a.Length {
				a.Dominated = true
			}
		}
	}
}

// firstOf is the first objective of a design.
func (r *run) firstOf(d *Design) float64 {
	if r.constrained() {
		return d.Cost
	}
	return d.Value + d.Cost
}
