package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/mesh"
)

// Own is a user's stack, on which the methods are ranked.
type Own struct {
	Name string
	Mesh *mesh.Mesh
}

func (o *Own) system() system {
	m := o.Mesh
	return system{name: o.Name, nx: m.NX(), ny: m.NY(), set: &set{name: o.Name, layers: m.NZ()}, own: m}
}

// cooledRTol is for stacks with coolant that give no criterion, where some methods cannot estimate an error
// in K.
const cooledRTol = 1e-8

// rule is the stopping criterion of the stack.
func (o *Own) rule() gpusolve.Options {
	v := &o.Mesh.Stack.Solver
	if o.Mesh.Stack.Cooled() && v.RTol == 0 && v.ATol == 0 {
		return gpusolve.Options{RTol: cooledRTol}
	}
	return gpusolve.Options{Tol: v.Tol, RTol: v.RTol, ATol: v.ATol}
}

func (o *Own) problem() Problem {
	rule := o.rule()
	stop := fmt.Sprintf("an estimated error of %g K", cmp.Or(rule.Tol, gpusolve.DefaultTol))
	switch {
	case rule.RTol > 0:
		stop = fmt.Sprintf("||b - A x||2 <= %g ||b||2", rule.RTol)
	case rule.ATol > 0:
		stop = fmt.Sprintf("||b - A x||2 <= %g W", rule.ATol)
	}
	s := o.system()
	return Problem{Name: o.Name, About: fmt.Sprintf("%s: %s cells, %d in all; solves stop at %s", o.Mesh.Stack.Title,
		s.grid(), s.cells(), stop)}
}

// ranking is the table of a user's stack.
func ranking() Table {
	return Table{
		Name: "ranking", Title: "A steady solve of one stack by every method, the fastest first",
		About: []string{
			"total is setup and solve, from the initial temperature of the stack; times are medians after a warm-up.",
			"||e|| is the largest difference from the reference: the default method to attainable accuracy.",
		},
		Columns: []Column{columnRank, columnMethod, columnSolver, columnIterations, columnReason, columnSetup,
			columnSolve, columnTotal, columnError, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error { return b.rank(ctx) },
	}
}

func (b *Bench) rank(ctx context.Context) error {
	j, err := b.begin(ctx, "ranking", b.systems[0], 0)
	if err != nil {
		return err
	}
	j.rule = b.Own.rule()
	j.rule.MaxIter = b.MaxIter
	for _, method := range b.Methods {
		j.method = method
		row, err := b.measure(ctx, j, "")
		if err != nil {
			return err
		}
		if row.Solver != "" {
			_, row.Settings, _ = strings.Cut(canonical(method, b.kind), ",")
		}
		b.add(row)
	}
	reference, status := newRow(), &b.exact.status
	reference.Case, reference.Grid, reference.Cells = j.system.name, j.system.grid(), j.system.cells()
	reference.Method, reference.Variant, reference.Iterations = methods.Names()[0], "reference", status.IterationsTotal
	reference.Solver, reference.Reason, reference.ResidualW = status.Method, status.Reason, Number(status.ResidualW)
	reference.Note = fmt.Sprintf("reference, ||b - A x||2 = %.2g W", status.ResidualW)
	b.add(reference)
	sortByTime(b.result.Tables[len(b.result.Tables)-1].Rows)
	return nil
}

// sortByTime ranks the rows that converged by their total time, and puts those that did not below, and the reference
// last.
func sortByTime(rows []Row) {
	group := func(r *Row) int {
		switch {
		case r.Variant != "":
			return 3
		case r.Converged:
			return 0
		case r.SolveS.Known():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		if order := group(&a) - group(&b); order != 0 || group(&a) != 0 {
			return order
		}
		return cmp.Compare(a.TotalS, b.TotalS)
	})
	for i := range rows {
		if group(&rows[i]) == 0 {
			rows[i].Rank = i + 1
		}
	}
}
