package reduce

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"thermsim/study/reducedmodel"
)

// fullModel is a model with films as parameters that is to be reduced.
type fullModel interface {
	// respond solves for the responses to inputs, each alone, and adds them to the snapshots. h is in W/(m2 K), shift
	// in 1/s.
	respond(ctx context.Context, h []float64, shift float64, inputs []int) error
	// project is the projection on all snapshots.
	project() *reducedmodel.Parametric
	// fastest is the shift in 1/s above which no temperature rises by kelvin.
	fastest(kelvin float64) float64
}

const (
	// steadyPoints and movingPoints are the numbers of random combinations of h at which the bound must be small, in
	// steady states and at random frequencies.
	steadyPoints, movingPoints = 1000, 150
	// stepChecks is the number of random h at which steps of power are compared.
	stepChecks = 8
	// mostSnapshots limits the basis.
	mostSnapshots = 400
)

// greedy selects the snapshots of a parametric model: it solves the full model where the bound of the error is largest,
// until the bound is small everywhere.
type greedy struct {
	ctx    context.Context
	full   fullModel
	model  *reducedmodel.Parametric
	points []*point
	random *rand.Rand
	solves int
}

// point is a combination of parameters. The bound never increases when snapshots are added, so that an old one is still
// a bound.
type point struct {
	h      []float64
	shift  float64
	bound  float64 // K
	states int     // of the model that bound belongs to
	solved int     // number of times that the full model was solved at this point
}

// run reduces a model to an error of wanted in K.
func (g *greedy) run(wanted float64) error {
	raw := g.full.project()
	films, inputs := raw.Films, make([]int, len(raw.Inputs))
	for i := range inputs {
		inputs[i] = i
	}
	if err := g.enrich(reducedmodel.Middle(films), 0, inputs); err != nil {
		return err
	}
	if err := g.spread(films, wanted); err != nil {
		return err
	}
	var checks [][]float64
	for range stepChecks {
		checks = append(checks, reducedmodel.RandomH(films, g.random))
	}
	aim := finer * wanted
	if err := g.refine(aim); err != nil {
		return err
	}
	for range maxBases {
		before := g.model
		aim /= finer
		if err := g.refine(aim); err != nil {
			return err
		}
		if g.model.States() == before.States() {
			continue // nothing was added, so there is no change to judge by
		}
		change, err := stepChange(before, g.model, checks)
		if err != nil {
			return err
		}
		if g.model.Error.StepK = change; change <= wanted {
			break
		}
	}
	e := &g.model.Error
	e.WantedK, e.Points, e.Solves, e.BoundK = wanted, steadyPoints, g.solves, 0
	for _, p := range g.points {
		if p.solved > 0 { // worst may have passed it over
			if err := g.evaluate(p); err != nil {
				return err
			}
		}
		if p.shift == 0 {
			e.BoundK = math.Max(e.BoundK, p.bound)
		}
	}
	return nil
}

// spread chooses the points. In steady states, they are all combinations of the limits of the films as far as there is
// space, and random ones, also on the lower limits, where the bound is large. Others are random, at frequencies between
// those of the slowest time constant and of the fastest rise.
func (g *greedy) spread(films []reducedmodel.Film, wanted float64) error {
	for n := range steadyPoints {
		h := reducedmodel.RandomH(films, g.random)
		for f := range h {
			switch corner := n < 1<<len(films); {
			case corner && n>>f&1 == 1:
				h[f] = films[f].To
			case corner || g.random.IntN(4) == 0:
				h[f] = films[f].From
			}
		}
		g.points = append(g.points, &point{h: h, bound: math.Inf(1)})
	}
	fast := g.full.fastest(wanted)
	for range movingPoints {
		h := reducedmodel.RandomH(films, g.random)
		m, err := g.model.At(h, 0)
		if err != nil {
			return err
		}
		slow := 0.1 / m.Tau[0]
		g.points = append(g.points, &point{h: h, shift: slow * math.Pow(math.Max(1, fast/slow), g.random.Float64()),
			bound: math.Inf(1)})
	}
	return nil
}

// enrich solves the full model.
func (g *greedy) enrich(h []float64, shift float64, inputs []int) error {
	if err := g.full.respond(g.ctx, h, shift, inputs); err != nil {
		return err
	}
	g.solves += len(inputs)
	g.model = g.full.project()
	return nil
}

// evaluate updates the bound of a point.
func (g *greedy) evaluate(p *point) error {
	if p.states == g.model.States() {
		return nil
	}
	b, err := g.model.BoundK(p.h, p.shift)
	if err != nil {
		return err
	}
	p.bound, p.states = b, g.model.States()
	return nil
}

// refine adds snapshots until the bound at all points is at most wanted in K. Points at which the full model was solved
// for all relevant inputs are given up: their bound is that of the solver.
func (g *greedy) refine(wanted float64) error {
	for g.model.States() < mostSnapshots {
		p, err := g.worst()
		if err != nil || p == nil || p.bound <= wanted {
			return err
		}
		inputs, err := g.relevant(p)
		if err != nil {
			return err
		}
		p.solved++
		if err := g.enrich(p.h, p.shift, inputs); err != nil {
			return err
		}
	}
	return nil
}

// worst is the point with the largest bound.
func (g *greedy) worst() (*point, error) {
	for {
		var top *point
		for _, p := range g.points {
			if p.solved < len(g.model.Inputs) && (top == nil || p.bound > top.bound) {
				top = p
			}
		}
		if top == nil || top.states == g.model.States() {
			return top, nil
		}
		if err := g.evaluate(top); err != nil {
			return nil, err
		}
	}
}

// relevant are the input that contributes most to the bound at a point, and the one whose mean is the worst.
func (g *greedy) relevant(p *point) ([]int, error) {
	bound, err := g.model.Bound(p.h, p.shift)
	if err != nil {
		return nil, err
	}
	heat, mean := 0, 0
	for i, in := range g.model.Inputs {
		if bound.At(i, i)*in.Range*in.Range > bound.At(heat, heat)*math.Pow(g.model.Inputs[heat].Range, 2) {
			heat = i
		}
		if bound.At(i, i) > bound.At(mean, mean) {
			mean = i
		}
	}
	return slices.Compact([]int{heat, mean}), nil
}

// stepChange is the largest difference in K of two models after steps of any of the powers.
func stepChange(a, b *reducedmodel.Parametric, all [][]float64) (float64, error) {
	top := 0.0
	for _, h := range all {
		before, err := a.At(h, 0)
		if err != nil {
			return 0, err
		}
		after, err := b.At(h, 0)
		if err != nil {
			return 0, err
		}
		step, _, err := reducedmodel.Difference(before, after)
		if err != nil {
			return 0, err
		}
		top = math.Max(top, step)
	}
	return top, nil
}
