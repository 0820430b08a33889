package optimise

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	annealSteps = 20000
	// hot and cold are the first and the last temperature of the annealing, in units of the objective.
	hot, cold = 0.1, 1e-4
	// mild and hard are the first and the last weight of overlaps.
	mild, hard = 1, 30
	// reach is the first width of a shift, as a part of the area.
	reach = 0.3
)

// annealing is a search for a placement by the coarse model.
type annealing struct {
	*model      // with the parts turned
	base        *model
	rotating    []int // parts that may be turned
	weight      float64
	scale, wire float64 // of the rises and of the lengths
	random      *rand.Rand
	at          [][2]float64
	quarters    []int
	rises       []float64
}

// turns is the part of the moves that turn a part.
const turns = 0.1

// anneal searches for a placement: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 671 (1983). It reports
// whether a legal one is found.
func (a *annealing) anneal() bool {
	a.at, a.quarters = a.initial(), make([]int, a.moved)
	a.base, a.rotating = a.model, a.model.rotating()
	for i := range a.at {
		a.jump(i)
	}
	a.rises = make([]float64, len(a.r))
	for i := range a.sources {
		a.heat(a.rises, &a.sources[i], a.at, 1)
	}
	value, overlap := a.value()
	before, saved := slices.Clone(a.at), slices.Clone(a.rises)
	for step := range annealSteps {
		part := float64(step) / annealSteps
		kelvin, penalty := hot*math.Pow(cold/hot, part), mild*math.Pow(hard/mild, part)
		copy(before, a.at)
		copy(saved, a.rises)
		model, quarters := a.model, a.quarters
		a.move(1 - part)
		a.update(before, model, quarters)
		v, o := a.value()
		change := v - value + penalty*(o-overlap)
		if change <= 0 || a.random.Float64() < math.Exp(-change/kelvin) {
			value, overlap = v, o
		} else {
			a.at, before = before, a.at
			a.rises, saved = saved, a.rises
			a.model, a.quarters = model, quarters
		}
	}
	return a.legalise(a.at)
}

// value is the objective without overlaps, and these.
func (a *annealing) value() (value, overlap float64) {
	value = (1 - a.weight) * a.norm(a.rises, a.at) / a.scale
	if a.weight > 0 && a.wire > 0 {
		length, _ := a.length(a.at)
		value += a.weight * length / a.wire
	}
	return value, a.overlapped(a.at)
}

// move changes the placement at random: a turn, a shift, which becomes shorter in time, a jump, or an exchange of two
// parts.
func (a *annealing) move(left float64) {
	if len(a.rotating) > 0 && a.random.Float64() < turns {
		a.turn(a.rotating[a.random.IntN(len(a.rotating))], 1+a.random.IntN(3))
		return
	}
	i := a.random.IntN(a.moved)
	switch kind := a.random.Float64(); {
	case kind < 0.6:
		width := reach*left*left + 1e-3
		a.at[i][0] += a.random.NormFloat64() * width * a.parts[i].area.Width
		a.at[i][1] += a.random.NormFloat64() * width * a.parts[i].area.Height
		a.clamp(a.at, i)
	case kind < 0.7:
		a.jump(i)
	default:
		j := a.random.IntN(a.moved)
		p, q := &a.parts[i], &a.parts[j]
		dx, dy := (p.Width-q.Width)/2, (p.Height-q.Height)/2
		a.at[i], a.at[j] = [2]float64{a.at[j][0] - dx, a.at[j][1] - dy}, [2]float64{a.at[i][0] + dx, a.at[i][1] + dy}
		a.clamp(a.at, i)
		a.clamp(a.at, j)
	}
}

// turn turns a part about its center, if it then fits into its area.
func (a *annealing) turn(i, by int) {
	quarters := slices.Clone(a.quarters)
	quarters[i] = (quarters[i] + by) % 4
	was := &a.parts[i]
	width, height := a.base.orientation(i, quarters).Size()
	if width > was.area.Width || height > was.area.Height {
		return
	}
	a.model, a.quarters = a.base.turned(quarters), quarters
	a.at[i][0] += (was.Width - width) / 2
	a.at[i][1] += (was.Height - height) / 2
	a.clamp(a.at, i)
}

// jump places a part anywhere in its area.
func (a *annealing) jump(i int) {
	p := &a.parts[i]
	a.at[i] = [2]float64{p.area.X + a.random.Float64()*(p.area.Width-p.Width),
		p.area.Y + a.random.Float64()*(p.area.Height-p.Height)}
}

// update changes the rises for parts that have moved, or turned from another model.
func (a *annealing) update(before [][2]float64, model *model, quarters []int) {
	for i := range a.sources {
		q, n := &a.sources[i], a.sources[i].owner
		if n >= 0 && (a.at[n] != before[n] || a.quarters[n] != quarters[n]) {
			a.heat(a.rises, &model.sources[i], before, -1)
			a.heat(a.rises, q, a.at, 1)
		}
	}
}

// final is the value of the placement found.
func (a *annealing) final() float64 {
	clear(a.rises)
	for i := range a.sources {
		a.heat(a.rises, &a.sources[i], a.at, 1)
	}
	value, _ := a.value()
	return value
}
