package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// Grids of five to eight layers have the paper's figures in all seven rows; nine and ten have not.
func TestLayersThatFitTheTable(t *testing.T) {
	for layers := 4; layers <= 10; layers++ {
		fits := true
		for system := range 7 {
			_, found := side(paper[system+1], layers)
			fits = fits && found
		}
		if want := layers >= 5 && layers <= 8; fits != want {
			t.Errorf("%d layers: %v", layers, fits)
		}
	}
}

// Nonzeros are those of the matrix that is solved.
func TestNonzeros(t *testing.T) {
	for _, layers := range []int{7, 8} {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: 9, Layers: layers, Bulk: 100e-6}))
		if err != nil {
			t.Fatal(err)
		}
		d, _, err := gpusolve.Export(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(d.CSR().Val); got != nonzeros(9, layers) {
			t.Errorf("%d layers: %d entries, want %d", layers, got, nonzeros(9, layers))
		}
	}
}

// A candidate on a small grid: its counts are in the order of the methods, and its cells as large as in full.
func TestSolve(t *testing.T) {
	dev, err := gpusolve.OpenDevice("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Release()
	r, err := candidate{8, 100, 22, 1e5, 120}.solve(context.Background(), dev, 1, 38)
	if err != nil {
		t.Fatal(err)
	}
	if r.Cells != 21 || r.SameDigits || !(r.CG > r.Jacobi && r.Jacobi > r.IC && r.IC > r.Chebyshev && r.Chebyshev > 1) {
		t.Errorf("%+v", r)
	}
}

// Places are by total time among the rows that both have, which come in the paper's order.
func TestRank(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	theirs := write("paper.json", `{"rows": [
		{"table": "steady", "case": "CUTh1", "method": "a", "total_s": 3}, {"table": "steady", "case": "CUTh1", "method": "b", "total_s": 1},
		{"table": "steady", "case": "CUTh1", "method": "missing", "total_s": 2}, {"table": "synergy", "case": "CUTh1", "method": "on", "total_s": 2}]}`)
	ours := write("bench.json", `{"schema": 2, "tables": [{"name": "steady", "rows": [{"case": "CUTh1", "method": "a", "total_s": 0.1, "converged": true}, {"case": "CUTh1", "method": "b", "total_s": 0.2, "converged": true}, {"case": "CUTh1", "method": "missing", "total_s": 0.01, "note": "cut off"}]},
		{"name": "synergy", "rows": [{"case": "CUTh1", "method": "x", "variant": "on", "total_s": 0.3, "converged": true}]}]}`)
	out := filepath.Join(folder, "out.json")
	if err := rank(theirs, ours, out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
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
