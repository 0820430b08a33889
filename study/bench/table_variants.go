package bench

import (
	"context"
	"slices"
	"strings"

	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
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
			return b.variants(ctx, s, precisions(b.Methods))
		}),
	}
}

// precisions are the precisions of the method, FP64 first, for every form and other settings among the methods; in both
// forms if chebyshev is not among them.
func precisions(all []string) []variant {
	isChebyshev := func(m string) bool { name, _ := precond.Split(m); return name == "chebyshev" }
	if !slices.ContainsFunc(all, isChebyshev) {
		all = DefaultMethods()
	}
	var list []variant
	for _, m := range all {
		if isChebyshev(m) {
			list = append(list, precisionsOf(m)...)
		}
	}
	return list
}

// precisionsOf are all precisions of a method with settings, or the one among its settings.
func precisionsOf(method string) []variant {
	_, set, err := methods.Find(method)
	if err != nil {
		return nil
	}
	_, settings := precond.Split(method)
	var given, others []string
	for setting := range strings.SplitSeq(settings, ",") {
		name, _, _ := strings.Cut(setting, "=")
		name = strings.TrimSpace(name)
		if name != "" && name != "precision" {
			given = append(given, setting)
		}
		if name != "" && name != "precision" && name != "form" {
			others = append(others, setting)
		}
	}
	tried := []string{"fixed-fp64", "adaptive", "fixed-fp32", "fixed-fp16"}
	if set.Given("precision") {
		tried = []string{set.Text("precision")}
	}
	var list []variant
	for _, p := range tried {
		list = append(list, variant{
			name:   strings.Join(append([]string{set.Text("form"), p}, others...), ", "),
			method: "chebyshev:" + strings.Join(append(given, "precision="+p), ","),
			base:   p == "fixed-fp64",
		})
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
