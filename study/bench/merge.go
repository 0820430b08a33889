package bench

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"thermsim/gpusolve/methods"
)

// Merge combines the tables of results that were measured on one device; rows of one system are adjacent. A repeated
// row replaces the previous one, and date and version are those of the last result. A solve that several tables share
// is copied to each. Times relative to the default method and to the direct solver are recomputed from the remaining
// rows.
func Merge(results []*Result) (*Result, error) {
	all := *results[len(results)-1]
	all.Problems, all.Tables = nil, nil
	for _, r := range results {
		problems, same := mergeProblems(all.Problems, r.Problems)
		all.Problems = problems
		if r.Device.Name != all.Device.Name || !same {
			return nil, fmt.Errorf("results of %s and of %s, or of different systems, cannot be combined",
				all.Device.Name, r.Device.Name)
		}
		all.Device.CopyTBperS = max(all.Device.CopyTBperS, r.Device.CopyTBperS)
		for _, t := range r.Tables {
			i := slices.IndexFunc(all.Tables, func(s Sheet) bool { return s.Name == t.Name })
			if i < 0 {
				all.Tables, i = append(all.Tables, Sheet{Name: t.Name}), len(all.Tables)
			}
			for _, row := range t.Rows {
				same := func(r Row) bool { return r.repeats(&row, all.Device.Kind) }
				if n := slices.IndexFunc(all.Tables[i].Rows, same); n >= 0 {
					all.Tables[i].Rows[n] = row
					continue
				}
				all.Tables[i].Rows = append(all.Tables[i].Rows, row)
			}
		}
	}
	for i := range all.Tables {
		var cases []string
		for _, r := range all.Tables[i].Rows {
			if !slices.Contains(cases, r.Case) {
				cases = append(cases, r.Case)
			}
		}
		slices.SortStableFunc(all.Tables[i].Rows, func(a, b Row) int {
			return slices.Index(cases, a.Case) - slices.Index(cases, b.Case)
		})
	}
	all.share()
	all.relate()
	order := func(s Sheet) int { return slices.IndexFunc(Tables(), func(t Table) bool { return t.Name == s.Name }) }
	slices.SortStableFunc(all.Tables, func(a, b Sheet) int { return order(a) - order(b) })
	return &all, nil
}

// repeats reports whether two rows of a table measure the same on devices of a kind.
func (r *Row) repeats(other *Row, kind string) bool {
	return r.Case == other.Case && r.Grid == other.Grid && r.Variant == other.Variant &&
		canonical(r.Method, kind) == canonical(other.Method, kind) &&
		csvText(reflect.ValueOf(r.External)) == csvText(reflect.ValueOf(other.External))
}

// mergeProblems combines the families of two results; common ones must be equal.
func mergeProblems(a, b []Problem) (all []Problem, same bool) {
	all = slices.Clone(a)
	for _, p := range b {
		i := slices.IndexFunc(all, func(q Problem) bool { return q.Name == p.Name })
		if i < 0 {
			all = append(all, p)
			continue
		}
		if !reflect.DeepEqual(all[i], p) {
			return all, false
		}
	}
	return all, true
}

// ofSteady are the tables of steady solves, which can share solves.
var ofSteady = []string{"steady", "spmv", "precision", "synergy"}

// share completes rows that were cut off or skipped if another table contains the same solve.
func (r *Result) share() {
	for _, t := range r.Tables {
		for n := range t.Rows {
			row := &t.Rows[n]
			if !slices.Contains(ofSteady, t.Name) || row.Converged || !strings.HasPrefix(row.Note, "left out") &&
				!strings.HasPrefix(row.Note, "cut off") {
				continue
			}
			if same := r.solve(row.Case, canonical(row.Method, r.Device.Kind)); same != nil {
				method, variant := row.Method, row.Variant
				*row = *same
				row.Method, row.Variant, row.ToBase = method, variant, newRow().ToBase
			}
		}
	}
}

// solve finds a completed steady solve by its method with all settings; nil if there is none.
func (r *Result) solve(system, method string) *Row {
	for _, t := range r.Tables {
		if !slices.Contains(ofSteady, t.Name) {
			continue
		}
		for n := range t.Rows {
			if row := &t.Rows[n]; row.Case == system && row.Converged && row.External == nil && row.Method != "" &&
				canonical(row.Method, r.Device.Kind) == method {
				return row
			}
		}
	}
	return nil
}

// relate recomputes times relative to the default method and the direct solver. Tables of variants use those of the
// steady table.
func (r *Result) relate() {
	for _, t := range r.Tables {
		kind := t.Name
		if slices.Contains(ofSteady, kind) {
			kind = "steady"
		}
		for n := range t.Rows {
			row := &t.Rows[n]
			variant := "" // steps with another start are relative to each other
			if kind == "transient" {
				variant = row.Variant
			}
			if base := r.solveOf(kind, row.Case, methods.Names()[0], variant); row.ToDefault.Known() && base.Known() {
				row.ToDefault = row.SolveS / base
			}
			if base := r.solveOf(kind, row.Case, directMethod, variant); row.ToDirect.Known() && base.Known() {
				row.ToDirect = row.SolveS / base
			}
		}
	}
}

// solveOf is the solve time of a method on a system, unknown if it was not measured.
func (r *Result) solveOf(table, system, method, variant string) Number {
	for _, t := range r.Tables {
		if t.Name != table {
			continue
		}
		for _, row := range t.Rows {
			if row.Case == system && row.Method == method && row.Variant == variant && row.Converged &&
				row.SolveS.Known() && (method != directMethod || row.Iterations == 0) {
				return row.SolveS
			}
		}
	}
	return unknown
}
