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
)

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
