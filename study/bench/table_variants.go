package bench

import (
	"context"
	"fmt"
	"strings"

	"thermsim/gpusolve/methods"
)

// precision is Table VI: the Chebyshev method in fixed and adaptive precision.
func precision() Table {
	return Table{
		Name: "precision", Number: "VI", Title: "Chebyshev in fixed and adaptive precision",
		About: []string{
			"Every solve must reduce the true residual to 1e-6 W. If only the recursive residual reaches it, the row " +
				"reports drift, with the error.",
			"plain is the unmodified matrix, the paper's form; scaled is scaled symmetrically by its diagonal. x " +
				"base is the time relative to FP64 in the same form.",
		},
		Columns: []Column{columnCase, columnVariant, columnIterations, columnSolve, columnToBase, columnToDefault,
			columnCopy, columnError, columnResidual, columnNote},
		run: eachSystem(func(ctx context.Context, b *Bench, s system) error {
			return b.variants(ctx, s, precisions())
		}),
	}
}

// precisions are the precisions of the method in both forms, FP64 first.
func precisions() []variant {
	var list []variant
	for _, form := range words("chebyshev", "form") {
		var rest []variant
		for _, p := range words("chebyshev", "precision") {
			v := variant{fmt.Sprintf("%s, %s", form, p), fmt.Sprintf("chebyshev:precision=%s,form=%s", p, form),
				strings.Contains(p, "64")}
			if v.base {
				list = append(list, v)
				continue
			}
			rest = append(rest, v)
		}
		list = append(list, rest...)
	}
	return list
}

// synergy is Table VII: the effect of format and precision on three preconditioners.
func synergy() Table {
	return Table{
		Name: "synergy", Number: "VII", Title: "Effect of storage format and precision on three preconditioners",
		About: []string{
			"off: compressed sparse rows in FP64. on: four diagonals in adaptive precision.",
			"x base is the time relative to plain conjugate gradients with both off.",
		},
		Columns: []Column{columnCase, columnVariant, columnIterations, columnSetup, columnSolve, columnTotal,
			columnToBase, columnToDefault, columnError, columnBytes, columnNote},
		run: eachSystem(func(ctx context.Context, b *Bench, s system) error {
			const off, on = "precision=fixed-fp64,format=csr", "precision=adaptive,format=quaddiag"
			return b.variants(ctx, s, []variant{
				{"CG, off", "none:" + off, true}, {"CG, on", "none:" + on, false},
				{"Jacobi, off", "jacobi:" + off, false}, {"Jacobi, on", "jacobi:" + on, false},
				{"Chebyshev, off", "chebyshev:" + off, false}, {"Chebyshev, on", "chebyshev:" + on, false},
			})
		}),
	}
}

// eachSystem runs a table's measurement on each system.
func eachSystem(measure func(context.Context, *Bench, system) error) func(context.Context, *Bench) error {
	return func(ctx context.Context, b *Bench) error {
		for _, s := range b.systems {
			if err := measure(ctx, b, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// variant is a method with the name of the variant; times are relative to the base.
type variant struct {
	name, method string
	base         bool
}

// variants measures several methods on a system.
func (b *Bench) variants(ctx context.Context, s system, list []variant) error {
	j, err := b.begin(ctx, "steady", s, 0)
	if err != nil {
		return err
	}
	if err := b.timeDefault(ctx, j); err != nil {
		return err
	}
	var base Number
	for _, v := range list {
		j.method = v.method
		if err := methods.Check(v.method); err != nil {
			row := newRow()
			row.Case, row.Grid, row.Cells, row.Method, row.Variant, row.Note = s.name, s.grid(), s.cells(), v.method,
				v.name, "not in this build: "+err.Error()
			b.add(row)
			continue
		}
		row, err := b.measure(ctx, j, v.name)
		if err != nil {
			return err
		}
		b.compare(&row, j)
		if v.base {
			base = row.SolveS
			if !row.Converged {
				base = newRow().SolveS
			}
		}
		row.ToBase = row.SolveS / base
		if !row.Converged {
			row.ToBase = newRow().ToBase
		}
		b.add(row)
	}
	return nil
}
