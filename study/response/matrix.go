package response

import (
	"context"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
)

// Matrix contains the steady-state thermal resistances of a stack.
type Matrix struct {
	Inputs  []ports.Input
	Outputs []ports.Output
	// R[o][n] is the rise of output o in K per watt in input n, relative to the stack without power.
	R [][]float64
	// Hottest is, for each input, the rise of its hottest cell, in K/W.
	Hottest []float64
	// Asymmetry is the largest |R_ab - R_ba| of the means of two inputs, relative to sqrt(R_aa R_bb). By reciprocity it
	// is 0 except for solver errors, unless the stack has coolant. Maps are excluded, because they heat unevenly.
	Asymmetry float64
	// Cooled reports that the stack has coolant, so that reciprocity does not apply.
	Cooled bool
	Mesh   *mesh.Mesh // of the stack in terms of rises
	Status gpusolve.Status
	Device gpusolve.DeviceInfo
}

// Resistances solves for 1 W in each input of a linear stack. Outputs are the mean of every input, and every probe.
// With peaks, a second pass adds the hottest cell of each input.
func Resistances(ctx context.Context, s *stack.Stack, o Options, peaks bool) (*Matrix, error) {
	inputs := ports.InputsOf(s)
	passes := 1
	if peaks {
		passes = 2
	}
	r, err := newSystem(s, o, passes*len(inputs))
	if err != nil {
		return nil, err
	}
	defer r.close()
	which := all(len(inputs))
	many, err := r.solve(ctx, which, 0, ports.Points(r.mesh))
	if err != nil {
		return nil, err
	}
	x := &Matrix{Inputs: inputs, Outputs: append(ports.Means(inputs), ports.Probes(s)...), Cooled: s.Cooled(),
		Mesh: r.mesh, Status: many.Status, Device: many.Device}
	x.add(many.Mean)
	x.add(many.Points)
	for n := range inputs {
		x.Hottest = append(x.Hottest, many.Max[n][n])
	}
	x.Asymmetry = x.asymmetry()
	if !peaks {
		return x, nil
	}
	again, err := r.solve(ctx, which, 0, hottestCells(many, which))
	if err != nil {
		return nil, err
	}
	x.Outputs = append(x.Outputs, ports.Peaks(inputs)...)
	x.add(again.Points)
	return x, nil
}

// hottestCells are the hottest cells of inputs when each is heated alone; vector v of many belongs to input which[v].
func hottestCells(many *gpusolve.ManyResult, which []int) []mesh.Sample {
	var points []mesh.Sample
	for v, n := range which {
		points = append(points, mesh.Sample{Terms: []mesh.Term{many.Hottest[v][n]}})
	}
	return points
}

// add appends outputs, given by input.
func (x *Matrix) add(byInput [][]float64) {
	for o := range byInput[0] {
		row := make([]float64, len(byInput))
		for n := range byInput {
			row[n] = byInput[n][o]
		}
		x.R = append(x.R, row)
	}
}

func (x *Matrix) asymmetry() float64 {
	worst := 0.0
	for a := range x.Inputs {
		for b := range a {
			if x.Inputs[a].Kind == ports.Map || x.Inputs[b].Kind == ports.Map {
				continue
			}
			worst = math.Max(worst, math.Abs(x.R[a][b]-x.R[b][a])/math.Sqrt(x.R[a][a]*x.R[b][b]))
		}
	}
	return worst
}

// Rises are the rises of all outputs in K at powers in W, by superposition.
func (x *Matrix) Rises(watts []float64) []float64 {
	rises := make([]float64, len(x.R))
	for o, row := range x.R {
		for n, k := range row {
			rises[o] += k * watts[n]
		}
	}
	return rises
}
