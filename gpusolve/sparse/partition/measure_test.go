package partition

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"thermsim/gpusolve/sparse"
)

// measurement is a pattern whose dropped entries are counted, in % of all entries, the diagonal included. The first
// four have exactly as many rows and entries as the matrices that the paper of ddilu cuts with METIS: 7-point grids;
// three of these with the unknowns of a cell in a chain; a triangulated plane. BreadthFirst is of parts that grow
// breadth-first, METIS of gpmetis 5.1.0 (-seed=1 -ufactor=1, as many parts as fill the limit).
type measurement struct {
	Case         string  `json:"case"`
	Shape        [3]int  `json:"shape"`
	Unknowns     int     `json:"unknowns_per_cell"`
	Limit        int     `json:"rows_limit"`
	Entries      int     `json:"entries"`
	Parts        int     `json:"parts"`
	BreadthFirst float64 `json:"breadth_first"`
	METIS        float64 `json:"metis"`
	Multilevel   float64 `json:"multilevel"`
	Paper        float64 `json:"paper,omitempty"`
}

// TestMeasureDroppedEntries writes docs/measurements/partition.json where THERMSIM_MEASURE names the file.
func TestMeasureDroppedEntries(t *testing.T) {
	file := os.Getenv("THERMSIM_MEASURE")
	if file == "" {
		t.Skip("measures: set THERMSIM_MEASURE to a file")
	}
	rows := []measurement{
		{"parabolic_fem", [3]int{1025, 513, 1}, 1, 8192, 3674625, 0, 1.32, 1.18, 0, 2.01},
		{"spe10", [3]int{60, 220, 85}, 1, 8192, 7780000, 0, 8.20, 4.35, 0, 4.84},
		{"rhd", [3]int{128, 128, 128}, 1, 8192, 14581760, 0, 8.63, 4.70, 0, 5.15},
		{"rhd-3T", [3]int{128, 128, 128}, 3, 8192, 52133888, 0, 12.80, 6.43, 0, 6.67},
		{"poisson 160", [3]int{160, 160, 160}, 1, 4778, 28518400, 0, 10.63, 5.80, 0, 0},
		{"poisson 160, fp64", [3]int{160, 160, 160}, 1, 2389, 28518400, 0, 13.36, 7.58, 0, 0},
	}
	for i := range rows {
		m := &rows[i]
		a := pattern(m.Shape, m.Unknowns, m.Case == "parabolic_fem")
		if a.Entries() != m.Entries {
			t.Errorf("%s has %d entries, want %d", m.Case, a.Entries(), m.Entries)
		}
		part, parts := Divide(a, m.Limit)
		m.Parts = parts
		m.Multilevel = math.Round(1e4*float64(cut(t, a, part, parts, m.Limit))/float64(m.Entries)) / 100
		if m.Multilevel > 1.03*m.METIS || m.Paper > 0 && m.Multilevel > m.Paper {
			t.Errorf("%s: %.2f %% of the entries are dropped, by METIS %.2f %%, in the paper %.2f %%", m.Case,
				m.Multilevel, m.METIS, m.Paper)
		}
	}
	data, err := json.MarshalIndent(map[string]any{
		"command": "go test ./gpusolve/sparse/partition -run DroppedEntries", "rows": rows,
	}, "", " ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// pattern couples the cells of a grid with their neighbours, those of a plane also along one diagonal if wanted, and
// the unknowns of a cell in a chain.
func pattern(shape [3]int, unknowns int, diagonal bool) *sparse.CSR {
	a := &sparse.CSR{RowPtr: []int64{0}}
	nx, ny, nz := shape[0], shape[1], shape[2]
	for row := range nx * ny * nz * unknowns {
		cell, u := row/unknowns, row%unknowns
		i, j, k := cell%nx, cell/nx%ny, cell/(nx*ny)
		for _, c := range []struct {
			inside bool
			offset int
		}{
			{k > 0, -nx * ny * unknowns}, {diagonal && i > 0 && j > 0, -nx - 1}, {j > 0, -nx * unknowns},
			{i > 0, -unknowns}, {u > 0, -1}, {true, 0}, {u < unknowns-1, 1}, {i < nx-1, unknowns},
			{j < ny-1, nx * unknowns}, {diagonal && i < nx-1 && j < ny-1, nx + 1}, {k < nz-1, nx * ny * unknowns},
		} {
			if c.inside {
				a.Col = append(a.Col, int32(row+c.offset))
			}
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	a.Val = make([]float64, len(a.Col))
	return a
}
