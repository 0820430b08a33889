package response

import (
	"context"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/stack"
)

// Request selects step responses.
type Request struct {
	From []int // inputs, by index; nil for all.
	// To are additional inputs whose means are outputs; Probes adds every probe.
	To     []int
	Probes bool
	// Start and End of the times in s. The default End is long after the slowest time constant; the default Start is 9
	// decades before the end.
	Start, End float64
}

// Decades is the default length of a response.
const Decades = 9

// Steps are step responses on common times.
type Steps struct {
	Inputs []ports.Input
	Times  []float64 // s, ascending by 10^(1/20)
	Curves []Curve
	// Resolved is the time in s from which the grid resolves conduction out of the thickest of the heated planes and
	// their neighbors. Before, the heated planes behave adiabatically.
	Resolved float64
	Slowest  float64 // s, the slowest time constant
	Shifts   int     // number of shifted operators
	Mesh     *mesh.Mesh
	Status   gpusolve.Status // of the steady state
	Device   gpusolve.DeviceInfo
}

// Curve is the rise of an output after a step of 1 W in an input, Z_th(t).
type Curve struct {
	From   int // input
	To     ports.Output
	Z      []float64 // K/W, at each time
	Steady float64   // K/W, the thermal resistance
}

// Own reports whether the output is the mean of the heated input: a driving point, whose response has a positive
// spectrum.
func (c *Curve) Own() bool { return c.To.Kind == ports.Mean && c.To.Of == c.From }

// StepResponses solves (K + s C) x = q for 1 W in each input, at 5 real shifts s per decade, and inverts the
// transforms. In addition to the error of the solves, the relative error of a driving point is at most FilterBound; for
// other outputs it is relative to the geometric mean of the two driving points.
func StepResponses(ctx context.Context, s *stack.Stack, o Options, w Request) (*Steps, error) {
	r, err := newSystem(s, o, 0)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if w.From == nil {
		w.From = all(len(r.inputs))
	}
	x := &Steps{Inputs: r.inputs, Mesh: r.mesh, Resolved: resolved(r.mesh, r.inputs, w.From)}
	if x.Slowest, err = slowest(ctx, s, r.mesh); err != nil {
		return nil, err
	}
	times := w.times(x.Slowest)
	for n := range times.count {
		x.Times = append(x.Times, times.at(n))
	}
	shifts := times.shifts()
	x.Shifts, r.total = len(shifts), (1+len(shifts))*len(w.From)
	steady, err := r.solve(ctx, w.From, 0, ports.Points(r.mesh))
	if err != nil {
		return nil, err
	}
	x.Status, x.Device = steady.Status, steady.Device
	points := append(ports.Points(r.mesh), hottestCells(steady, w.From)...)
	transforms := make([]*gpusolve.ManyResult, len(shifts))
	for j, shift := range shifts {
		if transforms[j], err = r.solve(ctx, w.From, shift, points); err != nil {
			return nil, err
		}
	}
	x.invert(times, &w, steady, transforms)
	return x, nil
}

// StepOf is the step response at times from start to end of a network with an impedance at real s. The error is that of
// a driving point.
func StepOf(start, end float64, impedance func(s float64) float64) (times, z []float64) {
	t := newSpan(start, end)
	for n := range t.count {
		times = append(times, t.at(n))
	}
	h := t.shifts()
	for j, s := range h {
		h[j] = impedance(s)
	}
	return times, t.response(h)
}

// times are the requested times.
func (w *Request) times(slowest float64) span {
	start, end := w.Start, w.End
	if end == 0 {
		end = math.Pow(10, math.Ceil(math.Log10(5*slowest))) // within exp(-5) of the end
		if start > 0 {
			end = max(end, 10*start)
		}
	}
	if start == 0 {
		start = end / math.Pow(10, Decades)
	}
	return newSpan(start, end)
}

// invert computes the curves of every input.
func (x *Steps) invert(times span, w *Request, steady *gpusolve.ManyResult, transforms []*gpusolve.ManyResult) {
	probes := len(steady.Points[0])
	h := make([]float64, len(transforms))
	add := func(from int, to ports.Output, rest float64, of func(r *gpusolve.ManyResult) float64) {
		for j, r := range transforms {
			h[j] = of(r)
		}
		x.Curves = append(x.Curves, Curve{from, to, times.response(h), rest})
	}
	means, peaks, ends := ports.Means(x.Inputs), ports.Peaks(x.Inputs), ports.Probes(x.Mesh.Stack)
	for v, n := range w.From {
		for _, o := range slices.Compact(append([]int{n}, slices.DeleteFunc(slices.Clone(w.To), func(o int) bool {
			return o == n
		})...)) {
			add(n, means[o], steady.Mean[v][o], func(r *gpusolve.ManyResult) float64 { return r.Mean[v][o] })
		}
		add(n, peaks[n], steady.Max[v][n], func(r *gpusolve.ManyResult) float64 { return r.Points[v][probes+v] })
		for p := range ends {
			if w.Probes {
				add(n, ends[p], steady.Points[v][p], func(r *gpusolve.ManyResult) float64 { return r.Points[v][p] })
			}
		}
	}
}

// slowest estimates the slowest time constant on a coarse grid, which is sufficient.
func slowest(ctx context.Context, s *stack.Stack, m *mesh.Mesh) (float64, error) {
	const cells = 24
	if m.NX() <= cells && m.NY() <= cells || s.Cooled() {
		return stepping.SlowestTimeConstant(ctx, m)
	}
	coarse := *ports.Responding(s)
	coarse.Grid = stack.Grid{X: stack.Axis{Cells: min(cells, m.NX())}, Y: stack.Axis{Cells: min(cells, m.NY())}}
	if g, err := mesh.Build(&coarse); err == nil {
		m = g
	}
	return stepping.SlowestTimeConstant(ctx, m)
}

// resolved is the diffusion time of the thickest heated or adjacent plane: its height squared divided by the
// diffusivity.
func resolved(m *mesh.Mesh, inputs []ports.Input, which []int) float64 {
	longest := 0.0
	for _, n := range which {
		in := &inputs[n]
		at := in.Heated(m)[0]
		p := m.PowerPlanes(in.Layer)
		for k := max(0, p[0]-1); k < min(m.NZ(), p[1]+1); k++ {
			c := m.At(at.I, at.J, k)
			longest = max(longest, m.DZ(k)*m.DZ(k)*c.C/c.K[2])
		}
	}
	return longest
}
