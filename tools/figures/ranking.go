package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"thermsim/study/bench"
)

// ranked is a method on a system, in the CUTh-Solver paper and here. Places are ranks by total time among the methods
// of a table that are in both.
type ranked struct {
	Table           string  `json:"table"`
	Case            string  `json:"case"`
	Method          string  `json:"method"`     // that ran here, or variant
	PaperName       string  `json:"paper_name"` // of what the paper ran
	PaperIterations int     `json:"paper_iterations"`
	PaperTotalS     float64 `json:"paper_total_s"`
	PaperPlace      int     `json:"paper_place"`
	Iterations      int     `json:"iterations"`
	TotalS          float64 `json:"total_s"`
	Place           int     `json:"place"`
	Build           string  `json:"build"`
	Note            string  `json:"note,omitempty"`
}

// renewRanking generates cuth-ranking.json in a folder of measurements: rows of the benchmark next to those of the
// paper.
func renewRanking(dir string) error {
	var paper struct {
		Rows []struct {
			Table, Case, Method, Name string
			Iterations                int
			TotalS                    float64 `json:"total_s"`
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "paper-cuth.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &paper); err != nil {
		return fmt.Errorf("paper-cuth.json: %w", err)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "bench-h200.json")); err != nil {
		return err
	}
	ours, err := bench.ReadResult(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("bench-h200.json: %w", err)
	}
	var all []ranked
	for _, p := range paper.Rows {
		if r, found := finished(ours, p.Table, p.Case, p.Method); found {
			all = append(all, ranked{Table: p.Table, Case: p.Case, Method: p.Method, PaperName: p.Name,
				PaperIterations: p.Iterations, PaperTotalS: p.TotalS, Iterations: r.Iterations,
				TotalS: float64(r.TotalS), Build: r.Build, Note: r.Note})
		}
	}
	for i := range all {
		r := &all[i]
		r.PaperPlace, r.Place = 1, 1
		for _, o := range all {
			if o.Table != r.Table || o.Case != r.Case {
				continue
			}
			if o.PaperTotalS < r.PaperTotalS {
				r.PaperPlace++
			}
			if o.TotalS < r.TotalS {
				r.Place++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Case, b.Case),
			cmp.Compare(a.PaperPlace, b.PaperPlace))
	})
	text, err = json.MarshalIndent(map[string]any{"device": ours.Device.Name, "date": ours.Date, "rows": all}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "cuth-ranking.json"), append(text, '\n'), 0o644)
}

// finished finds a row of a table by its method, or by its variant in tables of variants, if its solve converged.
func finished(r *bench.Result, table, system, method string) (bench.Row, bool) {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if t.Name == table && row.Case == system &&
				(row.Method == method && row.Variant == "" || row.Variant == method) {
				return row, row.TotalS > 0 && row.Converged
			}
		}
	}
	return bench.Row{}, false
}
