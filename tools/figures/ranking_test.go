package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Places are by total time among the rows that both have, which come in the paper's order.
func TestRanking(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("paper-cuth.json", `{"rows": [
		{"table": "steady", "case": "CUTh1", "method": "a", "total_s": 3}, {"table": "steady", "case": "CUTh1", "method": "b", "total_s": 1},
		{"table": "steady", "case": "CUTh1", "method": "missing", "total_s": 2}, {"table": "synergy", "case": "CUTh1", "method": "on", "total_s": 2}]}`)
	write("bench-h200.json", `{"schema": 2, "tables": [{"name": "steady", "rows": [{"case": "CUTh1", "method": "a", "total_s": 0.1, "converged": true}, {"case": "CUTh1", "method": "b", "total_s": 0.2, "converged": true}, {"case": "CUTh1", "method": "missing", "total_s": 0.01, "note": "cut off"}]},
		{"name": "synergy", "rows": [{"case": "CUTh1", "method": "x", "variant": "on", "total_s": 0.3, "converged": true}]}]}`)
	if err := renewRanking(folder); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "cuth-ranking.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Rows []ranked }
	if err := json.Unmarshal(data, &got); err != nil || len(got.Rows) != 3 {
		t.Fatalf("%s: %v", data, err)
	}
	if a, b, on := got.Rows[0], got.Rows[1], got.Rows[2]; a.PaperPlace != 1 || a.Place != 2 || b.PaperPlace != 2 ||
		b.Place != 1 || on.Place != 1 || on.TotalS != 0.3 {
		t.Errorf("%+v", got.Rows)
	}
}
