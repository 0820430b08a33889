// Package optimise minimises a temperature over numbers of the stack file and over the positions of dies and blocks,
// optionally together with the length of wires.
//
// Placements start from an annealing on a coarse linear model of the stack. The best ones are improved together with
// the numbers by exact gradients from adjoint solves, with the projected gradient method of E. G. Birgin,
// J. M. Martinez and M. Raydan, SIAM Journal on Optimization 10, 1196 (2000).
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
type Problem struct {
	File  *stackfile.OptimiseFile
	Start []float64 // of the numbers in File.Vary
	// Load is the stack with some numbers, on a grid that does not depend on them.
	Load     func(numbers []float64) (*stack.Stack, error)
	Solver   gpusolve.Options
	Mesh     func(*stack.Stack) (*mesh.Mesh, error)
	Progress func(what string)
}

// Design is a choice of numbers and positions.
type Design struct {
	Weight    float64      `json:"wire_weight"`
	Numbers   []float64    `json:"numbers"`
	Places    [][2]float64 `json:"positions_m"` // south-west corners
	Value     float64      `json:"objective"`   // the temperature to minimise
	Max       float64      `json:"max_K"`
	Cost      float64      `json:"cost_K"`
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
	base  *stack.Stack
	scale float64 // of the temperature
	wire  float64 // initial length
}

// point is an evaluated design, as parts of the ranges of numbers, then positions as parts of the size of the stack.
type point struct {
	u       []float64
	kelvin  float64 // with costs
	length  float64
	slopes  []float64 // of kelvin
	lengths []float64 // slopes of length
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
	var ends []*point
	for n, w := range weights {
		p.Progress("improving")
		end, steps, err := r.descend(ctx, r.best(candidates[n], w), w)
		if err != nil {
			return nil, err
		}
		ends, r.Designs = append(ends, end), append(r.Designs, Design{Weight: w, Steps: steps})
	}
	for n := range r.Designs {
		d := &r.Designs[n]
		if err := r.describe(ctx, r.best(ends, d.Weight), d); err != nil {
			return nil, err
		}
	}
	r.compare()
	return r.Result, nil
}

// start evaluates the initial design.
func (r *run) start(ctx context.Context) (*point, error) {
	var u []float64
	for i, v := range r.File.Vary {
		u = append(u, min(1, max(0, (r.Start[i]-v.From)/(v.To-v.From))))
	}
	at := r.initial()
	r.Legal = r.overlapped(at) <= legal
	for _, c := range at {
		u = append(u, c[0]/r.size, c[1]/r.size)
	}
	p, err := r.evaluate(ctx, u, false)
	if err != nil {
		return nil, err
	}
	if err := r.describe(ctx, p, &r.Initial); err != nil {
		return nil, err
	}
	r.scale = math.Abs(r.Initial.Value)
	if r.Unit == "K" {
		r.scale = max(math.Abs(r.Initial.Value-r.base.Ambient), 1e-9)
	}
	r.wire = r.Initial.Length
	return p, nil
}

// value is the objective with a weight of the wires.
func (r *run) value(p *point, weight float64) float64 {
	v := (1 - weight) * p.kelvin / r.scale
	if r.wire > 0 {
		v += weight * p.length / r.wire
	}
	return v
}

// best of some points.
func (r *run) best(points []*point, weight float64) *point {
	return slices.MinFunc(points, func(a, b *point) int { return cmp.Compare(r.value(a, weight), r.value(b, weight)) })
}

// split returns the numbers and the positions.
func (r *run) split(u []float64) (numbers []float64, at [][2]float64) {
	vary := r.File.Vary
	for i, v := range vary {
		numbers = append(numbers, v.From+u[i]*(v.To-v.From))
	}
	for i := range r.moved {
		n := len(vary) + 2*i
		at = append(at, [2]float64{u[n] * r.size, u[n+1] * r.size})
	}
	return numbers, at
}

// Stack is a design as a stack.
func (p *Problem) Stack(parts []string, numbers []float64, at [][2]float64) (*stack.Stack, error) {
	s, err := p.Load(numbers)
	if err != nil || len(parts) == 0 {
		return s, err
	}
	by := map[string][2]float64{}
	for _, b := range sensitivity.Boxes(s) {
		if i := slices.Index(parts, b.Name); i >= 0 {
			by[b.Name] = [2]float64{at[i][0] - b.X, at[i][1] - b.Y}
		}
	}
	return sensitivity.Moved(s, by), nil
}

// evaluate solves a design, with slopes if wanted.
func (r *run) evaluate(ctx context.Context, u []float64, slopes bool) (*point, error) {
	numbers, at := r.split(u)
	s, err := r.Stack(r.Parts, numbers, at)
	if err != nil {
		return nil, err
	}
	o := sensitivity.Options{Solver: r.Solver, Mesh: r.Mesh, KeysOnly: true}
	if slopes {
		o.Positions, o.Pieces = true, r.Parts
		for i, v := range r.File.Vary {
			o.Keys = append(o.Keys, sensitivity.Key{Name: v.Key, Value: numbers[i], Unit: v.Unit,
				Stack: func(x float64) (*stack.Stack, error) {
					other := slices.Clone(numbers)
					other[i] = x
					return r.Stack(r.Parts, other, at)
				}})
		}
	}
	all, err := sensitivity.Of(ctx, s, []sensitivity.Objective{{Of: r.File.Of}}, o)
	if err != nil {
		return nil, err
	}
	r.Solves++
	r.Objective, r.Unit = all[0].Name, all[0].Unit
	p := &point{u: u, kelvin: all[0].Value, slopes: make([]float64, len(u)), lengths: make([]float64, len(u))}
	for i, v := range r.File.Vary {
		p.kelvin += v.Cost * numbers[i]
		p.slopes[i] = v.Cost * (v.To - v.From)
	}
	for _, d := range all[0].Of {
		if i := slices.Index(r.Keys, d.Name); d.Kind == sensitivity.FileKey && i >= 0 {
			p.slopes[i] += d.Derivative * (r.File.Vary[i].To - r.File.Vary[i].From)
		}
		if i := slices.Index(r.Parts, d.Name); d.Position() && i >= 0 {
			n := len(r.Keys) + 2*i
			if d.Kind == sensitivity.Y {
				n++
			}
			p.slopes[n] = d.Derivative * r.size
		}
	}
	length, by := r.length(at)
	p.length = length
	for i := range by {
		p.lengths[len(r.Keys)+2*i], p.lengths[len(r.Keys)+2*i+1] = by[i][0]*r.size, by[i][1]*r.size
	}
	return p, nil
}

// describe fills in a design.
func (r *run) describe(ctx context.Context, p *point, d *Design) error {
	d.Numbers, d.Places = r.split(p.u)
	d.Value, d.Length = p.kelvin, p.length
	for i, v := range r.File.Vary {
		d.Cost += v.Cost * d.Numbers[i]
	}
	d.Value -= d.Cost
	s, err := r.Stack(r.Parts, d.Numbers, d.Places)
	if err != nil {
		return err
	}
	all, err := sensitivity.Of(ctx, s, []sensitivity.Objective{{Of: sensitivity.Max}},
		sensitivity.Options{Solver: r.Solver, Mesh: r.Mesh, KeysOnly: true})
	if err == nil {
		d.Max = all[0].Value
	}
	return err
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
		for _, at := range found[n] {
			u := slices.Clone(start.u)
			for i, c := range at {
				u[len(r.Keys)+2*i], u[len(r.Keys)+2*i+1] = c[0]/r.size, c[1]/r.size
			}
			p, err := r.evaluate(ctx, u, false)
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
func (r *run) annealed(ctx context.Context, m *model, weights []float64) ([][][][2]float64, error) {
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
	found := make([][][][2]float64, len(weights))
	for n := range weights {
		ok := slices.DeleteFunc(slices.Clone(tries[n*r.File.Restarts:(n+1)*r.File.Restarts]), func(a *annealing) bool {
			return a == nil
		})
		slices.SortStableFunc(ok, func(a, b *annealing) int { return cmp.Compare(a.final(), b.final()) })
		for _, a := range ok[:min(len(ok), mostCandidates)] {
			found[n] = append(found[n], a.at)
		}
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

// descend improves a design by projected gradient steps, whose length is that of a quadratic through both ends of the
// previous step (J. Barzilai and J. M. Borwein, Journal of Numerical Analysis 8, 141 (1988)).
func (r *run) descend(ctx context.Context, at *point, weight float64) (end *point, steps int, err error) {
	if at, err = r.evaluate(ctx, at.u, true); err != nil {
		return nil, 0, err
	}
	slopes := r.slopes(at, weight)
	size := floats.Norm(slopes, math.Inf(1))
	if size == 0 {
		return at, 0, nil
	}
	length := firstMove / size
	for ; steps < r.File.Steps; steps++ {
		next, err := r.step(ctx, at, weight, &length)
		if next == nil || err != nil {
			return at, steps, err
		}
		after := r.slopes(next, weight)
		s, y := floats.SubTo(make([]float64, len(slopes)), next.u, at.u), floats.SubTo(slopes, after, slopes)
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
func (r *run) step(ctx context.Context, at *point, weight float64, length *float64) (*point, error) {
	slopes := r.slopes(at, weight)
	for range mostTrials {
		u := floats.AddScaledTo(make([]float64, len(slopes)), at.u, -*length, slopes)
		legal := r.project(u)
		moved := floats.Distance(u, at.u, 2)
		switch {
		case legal && floats.Distance(u, at.u, math.Inf(1)) < smallMove:
			return nil, nil
		case legal:
			next, err := r.evaluate(ctx, u, true)
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

// slopes of the objective with a weight.
func (r *run) slopes(p *point, weight float64) []float64 {
	all := make([]float64, len(p.u))
	floats.AddScaled(all, (1-weight)/r.scale, p.slopes)
	if r.wire > 0 {
		floats.AddScaled(all, weight/r.wire, p.lengths)
	}
	return all
}

// project moves a design into the ranges, and its parts apart; false if that fails.
func (r *run) project(u []float64) bool {
	n := len(r.Keys)
	for i := range u[:n] {
		u[i] = min(1, max(0, u[i]))
	}
	_, at := r.split(u)
	ok := r.legalise(at)
	for i, c := range at {
		u[n+2*i], u[n+2*i+1] = c[0]/r.size, c[1]/r.size
	}
	return ok
}

// compare finds dominated designs.
func (r *run) compare() {
	for i := range r.Designs {
		a := &r.Designs[i]
		for j := range r.Designs {
			b := &r.Designs[j]
			better := b.Value+b.Cost < a.Value+a.Cost || b.Length < a.Length || j < i // or the same again
			if better && b.Value+b.Cost <= a.Value+a.Cost && b.Length <= a.Length {
				a.Dominated = true
			}
		}
	}
}
