package stepping

import (
	"math"

	"thermsim/gpusolve/solution"
)

// flows of heat in a stage, in W.
type flows struct {
	leaking, held float64
	faces         [6]float64
	coolant       []float64
}

// flows are those of the state that is shown.
func (e *Engine) flows(held float64) flows {
	f := flows{leaking: e.leaking(), held: held, faces: e.Outflow()}
	if s := e.meshed; s != nil {
		f.coolant = s.Sys.CoolantHeat(s.X)
	}
	return f
}

// heat is what went where over a run, in J. A step adds its stages as the scheme weighs them, d of the second and 1 - d
// of the first, so that what is stored is what went in less what went out, as far as the stages were solved.
type heat struct {
	in, stored, leaked float64
	faces              [6]float64
	coolant            []float64
}

// add takes a step of h s with a power in W.
func (q *heat) add(h, power float64, mid, end *flows) {
	q.in += h * power
	q.addStage((1-stageShare)*h, mid)
	q.addStage(stageShare*h, end)
}

func (q *heat) addStage(h float64, f *flows) {
	q.leaked += h * f.leaking
	q.stored += h * f.held
	for i, w := range f.faces {
		q.faces[i] += h * w
	}
	if q.coolant == nil && f.coolant != nil {
		q.coolant = make([]float64, len(f.coolant))
	}
	for i, w := range f.coolant {
		q.coolant[i] += h * w
	}
}

// mean is the balance of the means over the run in W.
func (q *heat) mean(length, exchanged float64) solution.Energy {
	if length <= 0 {
		return solution.Energy{}
	}
	b := solution.Energy{In: (q.in + q.leaked) / length, Stored: q.stored / length}
	b.Scale = math.Max(math.Abs(b.In), math.Abs(b.Stored))
	add := func(w float64) {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	for i, j := range q.faces {
		b.ByFace[i] = j / length
		add(b.ByFace[i])
	}
	for _, j := range q.coolant {
		b.Coolant = append(b.Coolant, j/length)
		add(j / length)
	}
	b.Scale = math.Max(b.Scale, idleShare*exchanged)
	if b.Scale > 0 {
		b.ImbalanceRel = math.Abs(b.In-b.Out-b.Stored) / b.Scale
	}
	return b
}
