package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// The rankings beside the paper's take times, iterations and places from the measured tables.
func TestRanking(t *testing.T) {
	data, err := os.ReadFile("../../docs/measurements/bench-h200.json")
	if err != nil {
		t.Fatal(err)
	}
	measured, err := ReadResult(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	type ranked struct {
		Table, Case, Method, Name, Build string
		Iterations, Place                int
		Total                            Number `json:"total_s"`
	}
	var ranking struct{ Rows []ranked }
	if data, err = os.ReadFile("../../docs/measurements/cuth-ranking.json"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &ranking); err != nil || len(ranking.Rows) != 84 {
		t.Fatalf("%d rows, %v", len(ranking.Rows), err)
	}
	for _, r := range ranking.Rows {
		place := 1
		for _, other := range ranking.Rows {
			if other.Table == r.Table && other.Case == r.Case && other.Total < r.Total {
				place++
			}
		}
		sheet := slices.IndexFunc(measured.Tables, func(s Sheet) bool { return s.Name == r.Table })
		if sheet < 0 {
			t.Fatalf("no table %s", r.Table)
		}
		rows := measured.Tables[sheet].Rows
		i := slices.IndexFunc(rows, func(m Row) bool {
			return m.Case == r.Case && (m.Method == r.Method || m.Variant == r.Method)
		})
		if i < 0 {
			t.Errorf("%s, %s, %s was not measured", r.Table, r.Case, r.Name)
			continue
		}
		if m := rows[i]; r.Place != place || r.Iterations != m.Iterations || r.Total != m.TotalS || r.Build != m.Build {
			t.Errorf("%+v, place %d: measured %d iterations, %g s, by %s", r, place, m.Iterations, m.TotalS, m.Build)
		}
	}
}
