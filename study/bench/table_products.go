package bench

import (
	"context"
	"errors"
	"fmt"

	"thermsim/gpusolve"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/chebyshev"
)

// products is Table V: the product with A in two formats, and its effect on a solve.
func products() Table {
	return Table{
		Name: "spmv", Number: "V", Title: "Products with A: compressed sparse rows (CSR) and four diagonals",
		About: []string{
			"product is one y = A x, or one fused Chebyshev step, measured by the device clock.",
			"least is the minimum memory traffic in bytes per cell; as copy is the traffic of a copy in the same " +
				"time, and share their ratio.",
			"Solves use the Chebyshev method in FP64 and differ only in the format; x base is the time relative to " +
				"CSR.",
		},
		Columns: []Column{columnCase, columnVariant, columnIterations, columnProduct, columnLeast, columnCopy,
			columnShare, columnSolve, columnToBase, columnError, columnNote},
		run: eachSystem(func(ctx context.Context, b *Bench, s system) error {
			if err := b.timeProducts(ctx, s); err != nil {
				return err
			}
			return b.variants(ctx, s, []variant{
				{"solve, CSR, FP64", "chebyshev:precision=fixed-fp64,format=csr", true},
				{"solve, four diagonals, FP64", "chebyshev:precision=fixed-fp64,format=quaddiag", false},
			})
		}),
	}
}

// kernel is a product to time.
type kernel struct {
	name    string
	rows    bool            // CSR format
	entries mixed.Precision // of the matrix
	vectors mixed.Precision
	fused   bool // a step of the Chebyshev iteration
}

func productKernels() []kernel {
	return []kernel{
		{"CSR, FP64", true, mixed.Double, mixed.Double, false},
		{"four diagonals, FP64", false, mixed.Double, mixed.Double, false},
		{"four diagonals, FP32 in FP64", false, mixed.Single, mixed.Double, false},
		{"four diagonals, FP32", false, mixed.Single, mixed.Single, false},
		{"four diagonals, FP16 in FP32", false, mixed.Half, mixed.Single, false},
		{"Chebyshev step, FP64", false, mixed.Double, mixed.Double, true},
		{"Chebyshev step, FP32", false, mixed.Single, mixed.Single, true},
		{"Chebyshev step, FP16 in FP32", false, mixed.Half, mixed.Single, true},
	}
}

// minBytes per row: the matrix, and every vector once for each read and write. A step reads z, rest and d and writes
// z, rest and the next d. Compressed sparse rows take 12 bytes per entry and 8 per row.
func (k kernel) minBytes(perRow float64) float64 {
	vectors := 2.0
	if k.fused {
		vectors = 6
	}
	matrix := 4 * float64(k.entries.Bytes())
	if k.rows {
		matrix = 8 + 12*perRow
	}
	return matrix + vectors*float64(k.vectors.Bytes())
}

// timeProducts measures the kernels one by one.
func (b *Bench) timeProducts(ctx context.Context, s system) error {
	b.doing("%s, products", s.name)
	m, err := s.mesh()
	if err != nil {
		return err
	}
	defer b.dev.Bind()()
	sys, err := b.dev.Assemble(m, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", gpusolve.ErrDevice, err)
	}
	defer sys.Free()
	work, err := sys.NewWorkspace()
	if err != nil {
		return fmt.Errorf("%w: %w", gpusolve.ErrDevice, err)
	}
	forms, ok := sys.(ops.Forms)
	clock, too := sys.(stopwatch)
	operations, err := chebyshev.On(work)
	if !ok || !too || err != nil {
		return errors.New("this device does not support products in selected precisions")
	}
	var byRows Number
	for _, k := range productKernels() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row := newRow()
		row.Case, row.Grid, row.Cells, row.Variant, row.Converged, row.Runs = s.name, s.grid(), s.cells(), k.name, true,
			b.Runs
		if err := timeKernel(&row, k, forms, operations, clock); err != nil {
			row.Converged, row.Note = false, "cannot run: "+err.Error()
		}
		row.CopyBytes = row.ProductS * b.result.Device.CopyTBperS * 1e12 / Number(row.Cells)
		if k.rows {
			byRows = row.ProductS
		}
		if !k.fused {
			row.ToBase = row.ProductS / byRows
		}
		b.add(row)
	}
	return nil
}

// stopwatch measures the time on a device, in seconds.
type stopwatch interface {
	Time(body func()) (float64, error)
}

// timeKernel stores the matrix in the kernel's format, and times the kernel.
func timeKernel(row *Row, k kernel, forms ops.Forms, sys chebyshev.Operations, clock stopwatch) error {
	stored, perRow, release, err := store(k, forms, sys)
	if err != nil {
		return err
	}
	defer release()
	row.LeastBytes = Number(k.minBytes(perRow))
	noise, err := sys.NewVector(stored, mixed.Single) // zeros could be faster
	if err != nil {
		return err
	}
	sys.Seed(noise, 1)
	var v [4]ops.Vector
	for i := range v {
		if i > 1 && !k.fused {
			break
		}
		if v[i], err = sys.NewVector(stored, k.vectors); err != nil {
			return err
		}
		sys.Convert(v[i], noise, 1)
	}
	product := func() { sys.Multiply(stored, k.entries, v[1], v[0]) }
	if k.fused {
		step := chebyshev.Recurrence{Keep: 0.1, Gain: 0.1}
		product = func() { sys.Step(stored, k.entries, step, chebyshev.Iterate{Z: v[0], Rest: v[1], D: v[2]}, v[3]) }
	}
	product()
	var times []float64
	for range row.Runs {
		const repeats = 20
		took, err := clock.Time(func() {
			for range repeats {
				product()
			}
		})
		if err != nil {
			return err
		}
		times = append(times, took/repeats)
	}
	row.ProductS = median(times)
	return sys.Err()
}

func store(k kernel, forms ops.Forms, sys chebyshev.Operations) (stored mixed.Stored, perRow float64, release func(),
	err error) {
	copies := mixed.Copies{Double: k.entries == mixed.Double, Single: k.entries == mixed.Single,
		Half: k.entries == mixed.Half}
	if k.rows {
		r, err := forms.Rows()
		if err != nil {
			return nil, 0, nil, err
		}
		stored, err := sys.StoreRows(r, copies)
		if err != nil {
			r.Release()
			return nil, 0, nil, err
		}
		return stored, float64(r.Entries()) / float64(r.Len()), func() { stored.Release(); r.Release() }, nil
	}
	d, err := forms.Diagonals()
	if err != nil {
		return nil, 0, nil, err
	}
	defer d.Release()
	if stored, err = sys.StoreDiagonals(d, copies); err != nil {
		return nil, 0, nil, err
	}
	return stored, 0, stored.Release, nil
}
