package gpusolve

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// ProductTime is how long one product with a matrix, or one step of the Chebyshev iteration, takes on a device.
type ProductTime struct {
	Operation string // "product" or "step", a product with what follows it in one pass
	Format    string // krylov.QuadDiag or krylov.RowWise
	Form      string // "plain" or "scaled"
	Entries   string // precision of the matrix: fp64, fp32 or fp16
	Vectors   string
	Bytes     float64 // that must move per cell: every entry and value read or written once
	Seconds   float64 // median
}

// TimeProducts measures the products of CUTh-Solver in all precisions and both formats, and the fused Chebyshev step, on the operator of a mesh.
// Each is the median of runs measurements of several products in a row. The device is that of the options, from which nothing else counts.
func TimeProducts(m *mesh.Mesh, o Options, runs int) ([]ProductTime, error) {
	if runs < 1 {
		return nil, fmt.Errorf("%w: %d runs; give at least 1", ErrOption, runs)
	}
	dev, _, err := o.openFor(o.demandOf(m, 0))
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	defer dev.Bind()()
	sys, err := dev.Assemble(m, 0)
	if err != nil {
		return nil, blame(err)
	}
	defer sys.Free()
	work, err := sys.NewWorkspace()
	if err != nil {
		return nil, blame(err)
	}
	c, ok := work.(ops.Chebyshev)
	clock, timed := sys.(ops.Clock)
	if !ok || !timed {
		return nil, fmt.Errorf("%w: %s has no products in mixed precision", ErrDevice, dev.Name())
	}
	w := &stopwatch{operator: sys, sys: c, clock: clock, runs: runs, shape: [3]int{m.NX(), m.NY(), m.NZ()}}
	for _, form := range []string{"plain", "scaled"} {
		err = w.format(krylov.QuadDiag, form, ops.Copies{Double: true, Single: true, Half: true, Scaled: form == "scaled"})
		if err != nil {
			return nil, blame(err)
		}
	}
	err = w.format(krylov.RowWise, "plain", ops.Copies{Double: true, Single: true})
	if err != nil {
		return nil, blame(err)
	}
	return w.times, nil
}

// stopwatch collects measurements.
type stopwatch struct {
	operator ops.Operator
	sys      ops.Chebyshev
	clock    ops.Clock
	runs     int
	shape    [3]int
	times    []ProductTime
}

// format measures what a stored matrix can do.
func (w *stopwatch) format(format, form string, c ops.Copies) error {
	a, err := krylov.Store(w.operator, w.sys, format, c)
	if err != nil {
		return err
	}
	defer a.Release()
	for _, pair := range [][2]ops.Precision{{ops.Double, ops.Double}, {ops.Single, ops.Double}, {ops.Single, ops.Single}, {ops.Half, ops.Single}} {
		entries, vectors := pair[0], pair[1]
		if entries == ops.Half && !c.Half {
			continue
		}
		kind := ProductTime{Format: format, Form: form, Entries: entries.String(), Vectors: vectors.String()}
		if err := w.pair(a, entries, vectors, kind); err != nil {
			return err
		}
	}
	return nil
}

// pair measures the product and the step in one pair of precisions. Vectors are the system's until it is freed.
func (w *stopwatch) pair(a ops.Stored, entries, vectors ops.Precision, kind ProductTime) (err error) {
	var v [4]ops.Vector
	for i := range v {
		if v[i], err = w.sys.NewMixed(a, vectors); err != nil {
			return err
		}
	}
	diagonals := 4.0
	if entries == ops.Half && kind.Form == "scaled" {
		diagonals = 3 // the main one is one everywhere
	}
	matrix := diagonals * float64(entries.Bytes())
	if kind.Format == krylov.RowWise {
		matrix = w.rowBytes(entries)
	}
	kind.Operation, kind.Bytes = "product", matrix+2*float64(vectors.Bytes())
	if err := w.measure(kind, func() { w.sys.MixedMultiply(a, entries, v[1], v[0]) }); err != nil {
		return err
	}
	if kind.Format == krylov.RowWise || vectors != ops.Single && entries != vectors {
		return nil
	}
	kind.Operation, kind.Bytes = "step", matrix+6*float64(vectors.Bytes())
	u := ops.Recurrence{Keep: 0.5, Gain: 1e-3}
	return w.measure(kind, func() { w.sys.ChebyshevStep(a, entries, u, v[0], v[1], v[2], v[3]) })
}

// rowBytes is what a row-wise product reads of a seven-point matrix: seven entries with their columns, but for those beyond the faces, and a row
// pointer.
func (w *stopwatch) rowBytes(entries ops.Precision) float64 {
	x, y, z := float64(w.shape[0]), float64(w.shape[1]), float64(w.shape[2])
	perRow := 7 - 2/x - 2/y - 2/z
	return perRow*float64(entries.Bytes()+4) + 8
}

// perRun is how many operations are measured together.
const perRun = 5

func (w *stopwatch) measure(kind ProductTime, body func()) error {
	body() // to load kernels and warm up
	var all []float64
	for range w.runs {
		t, err := w.clock.Time(func() {
			for range perRun {
				body()
			}
		})
		if err != nil {
			return err
		}
		all = append(all, t/perRun)
	}
	slices.Sort(all)
	kind.Seconds = all[len(all)/2]
	w.times = append(w.times, kind)
	return nil
}
