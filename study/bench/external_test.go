package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

const externalHead = `{"schema": 1, "table": "steady", "program": "AmgX", "version": "2.5", "device": "GPU", "settings": "PCG", "source": "a paper", "rule": "1e-6 W", "rows": [
`

// measured has two systems of a table.
func measured() *Result {
	row := func(system, grid, method string, cells int, solve Number) Row {
		r := newRow()
		r.Case, r.Grid, r.Cells, r.Method, r.SolveS, r.Converged = system, grid, cells, method, solve, true
		return r
	}
	r := &Result{Schema: 2, Tables: []Sheet{{Name: "steady", Rows: []Row{
		row("one", "2x2x10", "multigrid", 40, 0.01), row("one", "2x2x10", "fourier", 40, 0.002),
		row("two", "3x3x10", "multigrid", 90, 0.5),
	}}, {Name: "graphs", Rows: []Row{row("road", "", "cmg", 77, 1)}}}}
	r.Device.Name = "GPU"
	return r
}

// Rows stand behind those of their system, whole in every format, with their ratios where the device is the same; a
// second time they are replaced.
func TestExternalRows(t *testing.T) {
	rows, err := ReadExternal("a.json", []byte(externalHead+`
  {"grid": "2x2x10", "unknowns": 40, "setup_s": 0.29, "solve_s": 0.04, "iterations": 12, "residual_W": 9e-7},
  {"case": "Two", "unknowns": 90, "solve_s": 1.5, "device": "another"},
  {"table": "graphs", "case": "road", "unknowns": 77, "solve_s": 3, "setup_s": null},
  {"grid": "9x9x10", "unknowns": 810, "solve_s": 3}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := measured()
	for range 2 {
		if err := r.AddExternal(rows); err != nil {
			t.Fatal(err)
		}
	}
	if left := r.LeftOut(rows); len(left) != 1 || left[0].System() != "steady 9x9x10" {
		t.Errorf("left out: %+v", left)
	}
	if len(r.Tables[0].Rows) != 5 || len(r.Tables[1].Rows) != 2 {
		t.Fatalf("%+v", r.Tables)
	}
	first, second := r.Tables[0].Rows[2], r.Tables[0].Rows[4]
	if first.Method != "AmgX 2.5 (external)" || first.Case != "one" || first.Iterations != 12 ||
		math.Abs(float64(first.TotalS)-0.33) > 1e-15 || first.ToDefault != 4 || first.ToDirect != 20 {
		t.Errorf("%+v", first)
	}
	if second.Case != "two" || second.ToDefault.Known() || second.SetupS.Known() || second.TotalS != 1.5 ||
		second.External.Device != "another" {
		t.Errorf("%+v", second)
	}
	var page, table, text bytes.Buffer
	if err := r.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	if want := "| one | AmgX 2.5 (external) | 12 | 290 ms | 40.0 ms | 330 ms | 4.00 | 20.0 | - | - | " +
		"external, on GPU |"; !strings.Contains(page.String(), want) {
		t.Errorf("no row %s in\n%s", want, page.String())
	}
	for _, want := range []string{"\n* AmgX 2.5 (external): on GPU; PCG; to 1e-6 W; source: a paper\n",
		"\n* AmgX 2.5 (external): on another; PCG; to 1e-6 W; source: a paper\n"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no line %s in\n%s", want, page.String())
		}
	}
	if err := r.WriteCSV(&table); err != nil ||
		!strings.Contains(table.String(), "AmgX 2.5 (external): on another; PCG; to 1e-6 W; source: a paper\n") {
		t.Errorf("%v\n%s", err, table.String())
	}
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	back, err := ReadResult(&text)
	if err != nil || *back.Tables[0].Rows[2].External != *first.External {
		t.Errorf("read back: %v", err)
	}
}

// A CSV file tells the same as JSON.
func TestExternalCSV(t *testing.T) {
	rows, err := ReadExternal("a.CSV",
		[]byte(
			"# times of a colleague\ntable,grid,unknowns,program,version,device,settings,source,rule,solve_s,setup_s\n"+
				"steady, 2x2x10, 40, hypre, 2.33, \"EPYC, 64 cores\", BoomerAMG, a letter, 1e-6 W, 0.5,\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e := rows[0]; len(rows) != 1 || e.Device != "EPYC, 64 cores" || e.SolveS != 0.5 || e.SetupS.Known() ||
		e.Program != "hypre" || e.location != "a.CSV:3:1" {
		t.Errorf("%+v", rows)
	}
}

func TestFaultsOfExternalFiles(t *testing.T) {
	good := `{"grid": "2x2x10", "unknowns": 40, "solve_s": 0.04}`
	for text, want := range map[string]string{
		externalHead + good + `,` + good +
			`]}`: "a.json:2:53: duplicate of the row at a.json:2:1",
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40}]}`: "a.json:2:1: the row lacks solve_s",
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": -1}]}`: `a.json:2:47: solve_s: "-1": expected a finite number of at least 0`,
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": "0x1p4"}]}`: `a.json:2:47: solve_s: "0x1p4": expected a finite number of at least 0`,
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": "fast"}]}`: `a.json:2:47: solve_s: "fast"`,
		externalHead + `{"grid": "2x2x10", "unknowns": 40, "solve_s": 0}]}`: "expected a time above 0 s",
		externalHead +
			`{"grid": "2x2", "unknowns": 40, "solve_s": 1}]}`: "a.json:2:10: grid: \"2x2\": expected NXxNYxNZ",
		externalHead +
			`{"grid": "2x2x10", "unknowns": 41, "solve_s": 1}]}`: "a.json:2:32: unknowns: got 41; a grid of " +
			"2x2x10 has 40",
		externalHead +
			`{"unknowns": 41, "solve_s": 1}]}`: "neither a case nor a grid",
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": 1, "speed": 3}]}`: `a.json:2:59: unknown field "speed"; expected one of table, case,`,
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": 1, "solve_s": 2}]}`: `a.json:2:50: duplicate "solve_s"`,
		externalHead +
			`{"grid": ["2x2x10"]}]}`: "a.json:2:10: grid: expected a string or a number",
		externalHead +
			`{"grid": "2x2x10", "table": "floorplans", "unknowns": 40, "solve_s": 1}]}`: "need case and grid",
		externalHead +
			`{"grid": "2x2x10", "unknowns": 40, "solve_s": 1, "mae_K": 1}]}`: "are of table floorplans",
		externalHead +
			`{"grid": "2x2x10", "table": "spmv", "unknowns": 40, "solve_s": 1}]}`: "expected one of floorplans, steady, transient, graphs",
		externalHead + `{"grid": "2x2x10", "settings": "a\u0007b", "unknowns": 40, "solve_s": 1}]}`: "printable",
		externalHead + `{"grid": "2x2x10", "unknowns": 1.5, "solve_s": 1}]}`:                        "an integer",
		externalHead + strings.Repeat("{},", maxExternal) +
			"{}]}": "a.json:2:30001: more than 10000 rows; split the file",
		externalHead + `7]}`:                    "a.json:2:1: expected an object { }",
		externalHead + `{"grid": `:              "unexpected end of file",
		externalHead + `{"grid": 2x`:            "invalid JSON",
		externalHead + `]}`:                     "no rows",
		externalHead + good + `]} more`:         "unexpected data after the end",
		`{"schema": 2, "rows": []}`:             `a.json:1:12: expected "schema": 1`,
		`{"rows": []}`:                          `a.json:1:1: expected "schema": 1`,
		`{"schema": 1, "rows": [], "rows": []}`: "duplicate list of rows",
		`[]`:                                    "expected an object { }",
		"":                                      "unexpected end of file",
		"\xff":                                  "UTF-8",
	} {
		if rows, err := ReadExternal("a.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s\n%+v", text, err, want, rows)
		}
	}
	for text, want := range map[string]string{
		"":                     "a.csv:1:1: the file is empty",
		"table,speed\n":        `a.csv:1:7: unknown field "speed"`,
		"table,table\n":        `a.csv:1:7: duplicate column "table"`,
		"table,grid\nsteady\n": "a.csv:2:1: row has 1 values, the first has 2",
		"table,grid,unknowns,program,version,device,settings,source,rule,solve_s\nsteady,2x2x10,40,p,1,d,s,w,r,soon\n": `a.csv:2:30: solve_s: "soon"`,
		"table\n": "a.csv: no rows",
	} {
		if rows, err := ReadExternal("a.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s\n%+v", text, err, want, rows)
		}
	}
	rows, err := ReadExternal("a.json", []byte(externalHead+`{"case": "one", "unknowns": 41, "solve_s": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := measured().AddExternal(rows); err == nil ||
		!strings.Contains(err.Error(), "a.json:2:1: unknowns: got 41; expected 40, as one 2x2x10 of table steady has") {
		t.Errorf("another system: %v", err)
	}
}

func FuzzReadExternal(f *testing.F) {
	f.Add([]byte(externalHead + `{"grid": "2x2x10", "unknowns": 40, "solve_s": 0.04}]}`))
	f.Add([]byte(`{"schema": 1, "rows": [{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"a.json", "a.csv"} {
			rows, err := ReadExternal(name, data)
			for _, e := range rows {
				if err != nil || !(e.SolveS > 0) || e.Unknowns < 1 || e.Program == "" {
					t.Fatalf("%v, %+v", err, e)
				}
			}
		}
	})
}

// The systems that are written for other programs are those that are measured: of the same sizes and names.
func TestSystems(t *testing.T) {
	o := Options{Tables: []string{"steady", "graphs"}, Grids: [][2]int{{4, 4}}}
	systems, err := Systems(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Executor, o.Runs, o.Methods = processor(t), 1, []string{"multigrid", "cmg"}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, sheet := range r.Tables {
		for _, row := range sheet.Rows {
			sizes[sheet.Name+row.Case+row.Grid] = row.Cells
		}
	}
	names := map[string]bool{}
	for _, s := range systems {
		a, b, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		if n := sizes[s.Table+s.Case+s.Grid]; n != a.N() || n != len(b) || names[s.Name] {
			t.Errorf("%s %s has %d unknowns, %d were measured", s.Table, s.Case, a.N(), n)
		}
		names[s.Name] = true
	}
	if len(systems) != len(sizes) {
		t.Errorf("%d systems, %d were measured", len(systems), len(sizes))
	}
	// At the sizes of GPUs, without one.
	systems, err = Systems(Options{Tables: []string{"III"}, Device: "gpu"})
	if err != nil || len(systems) != 16 {
		t.Errorf("%d systems of GPUs: %v", len(systems), err)
	}
}

// The files in docs are read, and name systems that exist.
func TestExternalExamples(t *testing.T) {
	for name, want := range map[string]int{"external-amgx-h200.json": 2, "external-parac-a100.json": 9} {
		data, err := os.ReadFile("../../docs/measurements/" + name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ReadExternal(name, data)
		if err != nil || len(rows) != want || !json.Valid(data) {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		systems, err := Systems(Options{Tables: []string{rows[0].Table}, Device: "gpu"})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rows {
			if !slices.ContainsFunc(systems, func(s ExportedSystem) bool {
				return s.Table == e.Table && (e.Grid == "" || e.Grid == s.Grid) && (e.Case == "" || e.Case == s.Case)
			}) {
				t.Errorf("%s: there is no %s", name, e.System())
			}
		}
	}
}
