package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"thermsim/study/bench"
)

// published is what the paper measured: its Tables III, IV and VII.
type published struct {
	Rows []struct {
		Table      string  `json:"table"`
		Case       string  `json:"case"`
		Method     string  `json:"method"` // or variant
		Name       string  `json:"name"`
		Iterations int     `json:"iterations"`
		TotalS     float64 `json:"total_s"`
	} `json:"rows"`
}

// ranked is a method on a system, there and here: places are by total time among the methods that both have.
type ranked struct {
	Table           string  `json:"table"`
	Case            string  `json:"case"`
	Method          string  `json:"method"`
	Name            string  `json:"name"`
	PaperIterations int     `json:"paper_iterations"`
	PaperTotalS     float64 `json:"paper_total_s"`
	PaperPlace      int     `json:"paper_place"`
	Iterations      int     `json:"iterations"`
	TotalS          float64 `json:"total_s"`
	Place           int     `json:"place"`
	Build           string  `json:"build"`
	Note            string  `json:"note,omitempty"`
}

// rank puts the rows of a benchmark beside the paper's.
func rank(paperFile, benchFile, out string) error {
	data, err := os.ReadFile(paperFile)
	if err != nil {
		return err
	}
	var theirs published
	if err := json.Unmarshal(data, &theirs); err != nil {
		return fmt.Errorf("%s: %w", paperFile, err)
	}
	f, err := os.Open(benchFile)
	if err != nil {
		return err
	}
	defer f.Close()
	ours, err := bench.ReadResult(f)
	if err != nil {
		return fmt.Errorf("%s: %w", benchFile, err)
	}
	var all []ranked
	for _, p := range theirs.Rows {
		row, found := find(ours, p.Table, p.Case, p.Method)
		if !found {
			continue
		}
		all = append(all, ranked{
			Table: p.Table, Case: p.Case, Method: p.Method, Name: p.Name, PaperIterations: p.Iterations,
			PaperTotalS: p.TotalS,
			Iterations:  row.Iterations, TotalS: float64(row.TotalS), Build: row.Build, Note: row.Note,
		})
	}
	for i := range all {
		r := &all[i]
		r.PaperPlace = 1 + before(all, r, func(o *ranked) bool { return o.PaperTotalS < r.PaperTotalS })
		r.Place = 1 + before(all, r, func(o *ranked) bool { return o.TotalS < r.TotalS })
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Case, b.Case),
			cmp.Compare(a.PaperPlace, b.PaperPlace))
	})
	b, err := json.MarshalIndent(map[string]any{"device": ours.Device.Name, "date": ours.Date, "rows": all}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

// find a row of a table by its method or its variant, if the solve was finished.
func find(r *bench.Result, table, system, method string) (bench.Row, bool) {
	for _, t := range r.Tables {
		if t.Name != table {
			continue
		}
		if i := slices.IndexFunc(t.Rows, func(r bench.Row) bool {
			return r.Case == system && (r.Method == method || r.Variant == method)
		}); i >= 0 {
			return t.Rows[i], t.Rows[i].TotalS > 0 && t.Rows[i].Converged
		}
	}
	return bench.Row{}, false
}

// before counts the rows of the same table and system that come first.
func before(all []ranked, r *ranked, first func(*ranked) bool) int {
	n := 0
	for i := range all {
		if o := &all[i]; o.Table == r.Table && o.Case == r.Case && first(o) {
			n++
		}
	}
	return n
}
