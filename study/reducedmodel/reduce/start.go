package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
)

// start is the initial field of a transient.
type start struct {
	kelvin float64    // of all cells
	quiet  *mesh.Mesh // the stack without powers
	rest   []float64  // K, without power
}

// startOf is nil if a transient starts from the state without power.
func (r *projection) startOf(s *stack.Stack, build Builder) (*start, error) {
	kelvin := s.Transient.Initial
	if kelvin == 0 {
		kelvin = s.Ambient
	}
	if kelvin == s.Ambient && !driven(s) {
		return nil, nil
	}
	m, err := build(withoutPower(s))
	if err != nil {
		return nil, err
	}
	from := &start{kelvin: kelvin, quiet: m}
	if !driven(s) {
		from.rest = slices.Repeat([]float64{s.Ambient}, m.Cells())
		return from, nil
	}
	solved, err := gpusolve.Steady(r.ctx, m, r.options.Solve)
	if err != nil {
		return nil, err
	}
	defer solved.Close()
	if !solved.Status.Converged {
		return nil, fmt.Errorf("%w: the solve without power ended with %s", ErrNotConverged, solved.Status.Reason)
	}
	from.rest, err = m.ReadField(solved.Field)
	return from, err
}

// withoutPower is a copy of a stack without heat sources.
func withoutPower(s *stack.Stack) *stack.Stack {
	quiet := *s
	quiet.Layers = append([]stack.Layer(nil), s.Layers...)
	for l := range quiet.Layers {
		quiet.Layers[l].Powers = nil
	}
	return &quiet
}

// relative is a temperature field minus that without power.
func (s *start) relative(field []float64) []float32 {
	x := make([]float32, len(field))
	for c, t := range field {
		x[c] = float32(t - s.rest[c])
	}
	return x
}

// first is the initial field.
func (s *start) first() []float32 { return s.relative(slices.Repeat([]float64{s.kelvin}, len(s.rest))) }

// stored is its heat in J by cell.
func (s *start) stored(capacity []float64) []float64 {
	heat := make([]float64, len(capacity))
	for c, t := range s.rest {
		heat[c] = capacity[c] * (s.kelvin - t)
	}
	return heat
}

// wider is the ratio of the shifts at which the response to the initial state is checked.
const wider = 4

// begin adds to the basis the initial state, and the states after one backward-Euler step from it, s (G + s C)^-1 C
// start, at shifts where the model is inaccurate.
func (r *projection) begin(s *start, slow float64) error {
	x := s.first()
	if err := r.enrich(math.Inf(1), [][]float32{x}); err != nil {
		return err
	}
	leaving, stored := make([]float64, len(x)), make([]float64, len(x))
	r.basis.ops.apply(x, leaving, stored)
	fast := r.basis.ops.fastest(leaving) / r.wanted
	for shift := slow / wider; shift < fast; shift *= wider {
		if err := r.checkStart(s, shift); err != nil {
			return err
		}
	}
	return nil
}

// recheckStart checks the held-out shifts of the initial state again.
func (r *projection) recheckStart(s *start) error {
	held := r.heldOutStart
	r.heldOutStart = nil
	for _, h := range held {
		if r.startError(h.shift, h.left) <= r.wanted {
			r.heldOutStart = append(r.heldOutStart, h)
		} else if err := r.checkStart(s, h.shift); err != nil {
			return err
		}
	}
	return nil
}

// startError is the error in K of the model after one step from the initial state.
func (r *projection) startError(shift float64, full []float64) float64 {
	wrong := 0.0
	for o, v := range r.model.StartStep(1 / shift) {
		wrong = math.Max(wrong, math.Abs(v-full[o]))
	}
	return wrong
}

// checkStart compares the model with the full one after a step from the initial state, and adds the resulting state to
// the basis if they differ.
func (r *projection) checkStart(s *start, shift float64) error {
	run, err := gpusolve.Transient(r.ctx, s.quiet, r.options.Solve, gpusolve.TransientOptions{Steps: 1, Dt: 1 / shift})
	if err != nil {
		return err
	}
	field, err := s.quiet.ReadField(run.Field)
	status := run.Status
	run.Close()
	if err != nil {
		return err
	}
	if !status.Converged {
		return fmt.Errorf("%w: a step of %g s stopped with %s", ErrNotConverged, 1/shift, status.Reason)
	}
	r.solves++
	x := s.relative(field)
	left := values(r.basis.outputs, x)
	if r.startError(shift, left) <= r.wanted {
		r.heldOutStart = append(r.heldOutStart, sample{shift: shift, left: left})
		return nil
	}
	return r.enrich(shift, [][]float32{x})
}

// Ranges are the largest powers in W of each input: in the steady state, its trace and its schedule. They are at least
// the mean of all inputs, so that an input that is off is included. They are 1 W if all inputs are off.
func Ranges(s *stack.Stack) []float64 {
	inputs := ports.InputsOf(s)
	ranges, mean := make([]float64, len(inputs)), 0.0
	for n, in := range inputs {
		ranges[n] = largest(&s.Layers[in.Layer].Powers[in.Power], in.Block, in.Watts)
		mean += ranges[n] / float64(len(inputs))
	}
	if mean == 0 {
		mean = 1
	}
	for n := range ranges {
		ranges[n] = math.Max(ranges[n], mean)
	}
	return ranges
}

// largest power of a block, or of a uniform power or map if block is -1.
func largest(p *stack.Power, block int, watts float64) float64 {
	top := math.Abs(watts)
	if p.Trace != nil && block >= 0 {
		for _, row := range p.Trace.Watts {
			top = math.Max(top, math.Abs(row[block]))
		}
	}
	factor := 1.0
	for _, s := range p.Schedule {
		factor = math.Max(factor, math.Abs(s.Factor))
	}
	return top * factor
}

// rest sets the temperatures without power: the ambient, or a steady state if faces have other temperatures or bring in
// heat.
func rest(ctx context.Context, s *stack.Stack, build Builder, r *projection, model *reducedmodel.Model) error {
	for o := range model.Outputs {
		model.Outputs[o].Rest = s.Ambient
	}
	if !driven(s) {
		return nil
	}
	m, err := build(s)
	if err != nil {
		return err
	}
	sheet := int32(m.NX() * m.NY())
	points := make([]mesh.Sample, len(model.Outputs))
	for o, f := range r.basis.outputs {
		for n, c := range f.cells {
			term := mesh.Term{Plane: int(c / sheet), Cell: int(c % sheet), Weight: f.weights[n]}
			points[o].Terms = append(points[o].Terms, term)
		}
		points[o] = reduction.InOrder(points[o])
	}
	many, err := gpusolve.SolveMany(ctx, m, r.options.Solve,
		gpusolve.Many{Watts: [][]float64{make([]float64, len(r.inputs))}, Points: points})
	if err != nil {
		return err
	}
	for o := range model.Outputs {
		model.Outputs[o].Rest = many.Points[0][o]
	}
	return nil
}

// driven reports whether the boundaries keep the stack away from the ambient.
func driven(s *stack.Stack) bool {
	low, high, flux := s.References()
	return flux || low < s.Ambient || high > s.Ambient
}
