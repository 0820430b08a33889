package reduce

import (
	"context"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
)

// Ranges are the largest powers in W that each input of a stack reaches: in the steady state, its trace and its
// schedule, and at least the mean of those of all inputs, so that an input that is off is not left out of account.
// Where nothing draws power they are 1 W.
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

// largest power of a block, or of a uniform power or map where block is -1.
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

// rest sets the temperatures without power: the ambient, or a steady state where faces have temperatures of their own
// or bring in heat.
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
	points := ports.Points(m)
	for _, t := range r.peaks {
		points = append(points, mesh.Sample{Terms: []mesh.Term{t}})
	}
	many, err := gpusolve.SolveMany(ctx, m, r.options.Solve,
		gpusolve.Many{Watts: [][]float64{make([]float64, len(r.inputs))}, Points: points})
	if err != nil {
		return err
	}
	probe := 0
	for o := range model.Outputs {
		out := &model.Outputs[o]
		switch ports.OutputKind(out.Kind) {
		case ports.Mean:
			out.Rest = many.Mean[0][out.Of]
		case ports.Peak:
			out.Rest = many.Points[0][len(s.Probes)+out.Of]
		case ports.Probe:
			out.Rest = many.Points[0][probe]
			probe++
		}
	}
	return nil
}

// driven says whether anything but power keeps the stack from the ambient.
func driven(s *stack.Stack) bool {
	for f := range s.Boundary {
		for _, b := range s.Boundary[f].Conditions() {
			if b.Kind == stack.HeatFlux && b.Flux != 0 || b.Driven() && b.Temperature != s.Ambient {
				return true
			}
		}
	}
	return false
}
