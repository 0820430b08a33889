package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/methods"
)

func processor(t *testing.T) *device.Shared {
	t.Helper()
	d, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Release() })
	return d
}

// Every table on a tiny grid: rows for every method, within the accuracy that the rule gives, and all of it again from
// the JSON.
func TestTables(t *testing.T) {
	maps := t.TempDir()
	seen := map[string]int{}
	r, err := Run(context.Background(), Options{
		Executor: processor(t), Grids: [][2]int{{5, 4}}, Runs: 1, MapsDir: maps, Version: "test",
		Watch: func(e Event) {
			if e.Row != nil {
				seen[e.Table.Name]++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Device.CopyTBperS < 1e-4 || r.Device.Kind != "cpu" || len(r.Problems) != 3 ||
		len(r.Problems[0].LayersUM) != 8 || len(r.Problems[1].LayersUM) != 10 {
		t.Errorf("%+v %+v", r.Device, r.Problems)
	}
	for _, sheet := range r.Tables {
		if len(sheet.Rows) == 0 || seen[sheet.Name] != len(sheet.Rows) {
			t.Errorf("%s: %d rows, %d told", sheet.Name, len(sheet.Rows), seen[sheet.Name])
		}
		if sheet.Name == "steady" || sheet.Name == "transient" {
			checkMethods(t, sheet)
		}
	}
	for _, name := range []string{"sparc", "ev6", "9core"} {
		f, err := os.Open(filepath.Join(maps, "error_"+name+"_5x4.png"))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
	checkFiles(t, r)
}

func checkMethods(t *testing.T, sheet Sheet) {
	if len(sheet.Rows) != 3*len(DefaultMethods()) {
		t.Errorf("%s: %d rows for %d methods", sheet.Name, len(sheet.Rows), len(DefaultMethods()))
	}
	for _, row := range sheet.Rows {
		if !row.Converged {
			t.Errorf("%s, %s: %s %s", sheet.Name, row.Method, row.Reason, row.Note)
			continue
		}
		// With ||r|| <= 1e-6 W, the error in the direction of the least eigenvalue, h times a cell's area over the
		// planes of a column, is ||r|| / lambda in the 2-norm, which bounds the largest error; time steps add to the
		// least eigenvalue and may add up their errors.
		s := sets()[slices.IndexFunc(sets(), func(s *set) bool { return strings.HasPrefix(row.Case, s.name) })]
		width := s.widthMM * 1e-3
		least := s.h * (width / 5) * (width / 4) / float64(s.layers)
		if bound := stopW / least * float64(max(1, row.Steps)); !(float64(row.ErrorK) <= bound) {
			t.Errorf("%s, %s: error %.2g K, above %.2g", sheet.Name, row.Method, float64(row.ErrorK), bound)
		}
		if row.Iterations == 0 && row.Method != "fourier" || row.Runs != 1 || !(row.SolveS > 0) ||
			!(row.TotalS >= row.SolveS) || !(row.BytesPerCell > 8) || !row.ToDefault.Known() ||
			(row.ToDirect > 0) != (s != &tsv) {
			t.Errorf("%s: %+v", sheet.Name, row)
		}
		// The reference is multigrid's, so that the direct solver is not measured against itself. It cannot go where
		// layers have lateral contrast.
		if row.Method == directMethod && (!(row.ErrorK > 0) || (iterations(&row) == "direct") != (s != &tsv) ||
			strings.HasSuffix(row.Note, "layer lower_silicon has a region of sio2 in silicon") != (s == &tsv)) {
			t.Errorf("%s: %+v", sheet.Name, row)
		}
		if sheet.Name == "steady" && !(row.ResidualW <= stopW) {
			t.Errorf("%s: residual %g W", row.Method, float64(row.ResidualW))
		}
	}
}

// checkFiles writes every format, and reads the JSON and the CSV back.
func checkFiles(t *testing.T, r *Result) {
	var text, page, table bytes.Buffer
	if err := errors.Join(r.WriteJSON(&text), r.WriteMarkdown(&page), r.WriteCSV(&table)); err != nil {
		t.Fatal(err)
	}
	back, err := ReadResult(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var again, print bytes.Buffer
	if err := errors.Join(back.WriteJSON(&again), back.WriteText(&print)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Error("what was read back is not what was written")
	}
	rows := 0
	for _, s := range r.Tables {
		rows += len(s.Rows)
		if !strings.Contains(page.String(), "## "+s.Name) || !strings.Contains(print.String(), "\n"+s.Name) {
			t.Errorf("table %s is not printed", s.Name)
		}
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != rows+1 || lines[0][0] != "table" {
		t.Errorf("%d lines of CSV for %d rows: %v", len(lines), rows, err)
	}
	if strings.Count(page.String(), "|---") == 0 {
		t.Error("the page has no tables")
	}
	for _, bad := range []string{"", "[]", `{"schema": 1}`, `{"schema": 2, "speed": "high"}`} {
		if _, err := ReadResult(strings.NewReader(bad)); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}

// What takes too long is cut off, what cannot run says so, and neither ends the benchmark.
func TestRowsThatEndEarly(t *testing.T) {
	o := Options{Executor: processor(t), Tables: []string{"III"}, Systems: []string{"mol10"},
		Grids: [][2]int{{48, 48}, {50, 50}}, Runs: 2, Methods: []string{"none"}, RowSeconds: 1e-3}
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	row := r.Tables[0].Rows[0]
	if row.Converged || !strings.HasPrefix(row.Note, "cut off after 0.001 s") || row.ErrorK.Known() {
		t.Errorf("%+v", row)
	}
	if row := r.Tables[0].Rows[1]; row.Note != "left out: on MoL10-48x48 cut off after 0.001 s" || row.Iterations != 0 {
		t.Errorf("%+v", row)
	}
	o.RowSeconds, o.MaxIter, o.Grids = 60, 2, [][2]int{{8, 8}}
	if r, err = Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if row := r.Tables[0].Rows[0]; row.Converged || row.Note != "not converged: iteration limit" ||
		row.Iterations != 2 {
		t.Errorf("%+v", row)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o.MaxIter = 0
	o.Watch = func(e Event) {
		if e.Row != nil {
			cancel()
		}
	}
	o.Methods = []string{"multigrid", "jacobi", "none"}
	r, err = Run(ctx, o)
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Tables[0].Rows) != 1 {
		t.Errorf("interrupted: %v, %+v", err, r)
	}
}

// A smaller system that took most of the limit leaves the method out of larger ones, but not of time steps, where those
// that were done count; the paper's method takes steps on every system.
func TestLeftOutBySize(t *testing.T) {
	small, large := system{"small", 10, 10, &mol10, nil}, system{"large", 20, 20, &mol10, nil}
	for _, c := range []struct {
		kind, method string
		row          Row
		want         string
	}{
		{"steady", "jacobi", Row{Case: "small", Cells: 1000, TotalS: 3, Converged: true},
			"left out: 3 s on small, so more than the limit of 10 s here"},
		{"steady", "jacobi", Row{Case: "small", Cells: 1000, TotalS: 2.4, Converged: true}, ""},
		{"steady", "jacobi", Row{Case: "small", Cells: 1000, TotalS: 3}, ""},
		{"transient", "jacobi", Row{Case: "small", Cells: 1000, TotalS: 3, Converged: true}, ""},
		{"transient", "jacobi", Row{Case: "small", Cells: 1000, Note: "cut off after 10 s and 3 of 50 steps",
			cutOff: true}, "left out: on small cut off after 10 s and 3 of 50 steps"},
		{"transient", "chebyshev:form=plain", Row{Case: "small", Cells: 1000, Note: "cut off after 10 s", cutOff: true},
			""},
	} {
		b := &Bench{Options: Options{RowSeconds: 10}, times: map[string]took{}}
		j := job{kind: c.kind, system: small, method: c.method}
		if c.kind == "transient" {
			j.steps = 50
		}
		b.keepTime(j, &c.row)
		if j.system = large; b.tooLong(j) != c.want {
			t.Errorf("%+v: %q", c, b.tooLong(j))
		}
	}
}

// Kernels are loaded with a small system of the family, once for each method and kind of run; the job's own mesh, which
// is large, is not touched.
func TestLoadsKernelsOnce(t *testing.T) {
	b := &Bench{dev: processor(t), loaded: map[string]bool{}}
	j := job{kind: "transient", system: system{"large", 40_000, 40_000, &cuth, nil}, steps: 50,
		rule: gpusolve.Options{ATol: stopW, MaxIter: 2}}
	for _, method := range []string{"jacobi", "chebyshev:form=plain", "chebyshev:form=scaled", "chebyshev", "magic"} {
		j.method = method
		b.load(t.Context(), j)
	}
	if j.system.nx != 40_000 || len(b.loaded) != 4 { // chebyshev is its plain form
		t.Errorf("%+v, %v", j.system, b.loaded)
	}
}

// A solve that two tables have is measured once, however it is written.
func TestMeasuredOnce(t *testing.T) {
	var done []string
	r, err := Run(context.Background(), Options{
		Executor: processor(t), Grids: [][2]int{{5, 5}}, Systems: []string{"CUTh"}, Runs: 1,
		Tables: []string{"III", "VII"}, Methods: []string{"multigrid", "chebyshev:precision=adaptive"},
		Watch: func(e Event) { done = append(done, e.Doing) },
	})
	if err != nil {
		t.Fatal(err)
	}
	steady, synergy := r.Tables[0].Rows[1], r.Tables[1].Rows[5]
	if synergy.Variant != "Chebyshev, on" || synergy.Method == steady.Method || synergy.SolveS != steady.SolveS ||
		synergy.Build != steady.Build || !synergy.ToBase.Known() {
		t.Errorf("%+v %+v", steady, synergy)
	}
	// on, and off
	if n := len(slices.DeleteFunc(done, func(s string) bool { return !strings.Contains(s, "chebyshev:") })); n != 2 {
		t.Errorf("%d solves by Chebyshev: %q", n, done)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Tables: []string{"VIII"}}, {Methods: []string{"magic"}},
		{Methods: []string{"multigrid:depth=3"}}, {Device: "abacus"},
		{Executor: processor(t), Systems: []string{"CUTh8"}}} {
		if _, err := Run(context.Background(), o); !errors.Is(err, gpusolve.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	b := &Bench{Options: Options{MaxCells: 15_000_000, MinCells: 6_000_000}}
	for names, want := range map[string]string{"": "[CUTh2 CUTh3 MoL10-8M MoL10-14M TSV-14M]", "cuth": "[CUTh2 CUTh3]",
		"CUTh2,cuth7,mol10": "[CUTh2 MoL10-8M MoL10-14M]"} {
		b.Systems = strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
		var got []string
		chosen, err := b.chooseSystems()
		for _, s := range chosen {
			got = append(got, s.name)
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", names, got, err)
		}
	}
}

// The paper gives the numbers of unknowns and of nonzeros to two figures (Table I); seven diagonals of a grid without
// its faces.
func TestSystemsHaveThePapersSizes(t *testing.T) {
	unknowns, nonzeros := []float64{5.1e6, 8.4e6, 1.4e7, 1.8e7, 2.4e7, 2.8e7, 3.5e7},
		[]float64{3.4e7, 5.6e7, 9.4e7, 1.2e8, 1.6e8, 1.9e8, 2.3e8}
	for i, s := range systems()[:14] {
		if n := float64(s.cells()); fmt.Sprintf("%.1e", n) != fmt.Sprintf("%.1e", unknowns[i%7]) {
			t.Errorf("%s has %g unknowns, the paper's %g", s.name, n, unknowns[i%7])
		}
		entries := float64(7*s.cells() - 2*(s.nx*s.ny+(s.nx+s.ny)*s.set.layers))
		if s.set == &cuth && fmt.Sprintf("%.1e", entries) != fmt.Sprintf("%.1e", nonzeros[i%7]) {
			t.Errorf("%s has %g nonzeros, the paper's %g", s.name, entries, nonzeros[i%7])
		}
	}
}

// Square grids of five to eight layers have the paper's figures in all seven rows, those of other depths have not.
func TestLayersThatFitThePapersSizes(t *testing.T) {
	same := func(v, paper float64) bool { return fmt.Sprintf("%.1e", v) == fmt.Sprintf("%.1e", paper) }
	for layers := 4; layers <= 10; layers++ {
		rows := 0
		for _, paper := range [][2]float64{{5.1e6, 3.4e7}, {8.4e6, 5.6e7}, {1.4e7, 9.4e7}, {1.8e7, 1.2e8},
			{2.4e7, 1.6e8}, {2.8e7, 1.9e8}, {3.5e7, 2.3e8}} {
			for n := 700; n < 3200; n++ {
				if same(float64(n*n*layers), paper[0]) && same(float64(7*n*n*layers-4*n*layers-2*n*n), paper[1]) {
					rows++
					break
				}
			}
		}
		if fits := rows == 7; fits != (layers >= 5 && layers <= 8) {
			t.Errorf("%d layers: %d of 7 rows fit", layers, rows)
		}
	}
}

// A row that was measured again changes what the others are told to take over it, in its own table and in those of
// variants, which have no such row.
func TestMergeRatios(t *testing.T) {
	row := func(method string, solve, ratio Number) Row {
		r := newRow()
		r.Case, r.Method, r.SolveS, r.ToDefault, r.Converged = "CUTh1", method, solve, ratio, true
		return r
	}
	before := &Result{Schema: 2, Tables: []Sheet{
		{Name: "steady", Rows: []Row{row("multigrid", 2, 1), row("ic", 8, 4)}},
		{Name: "transient", Rows: []Row{row("ic", 30, 3)}},
		{Name: "synergy", Rows: []Row{row("jacobi", 16, 8), row("none", 5, Number(math.NaN()))}},
	}}
	again := &Result{Schema: 2, Tables: []Sheet{{Name: "steady", Rows: []Row{row("multigrid", 4, 1)}}}}
	all, err := Merge([]*Result{before, again})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all.Tables {
		for _, r := range s.Rows {
			got = append(got, fmt.Sprint(r.Method, " ", float64(r.ToDefault)))
		}
	}
	if want := "[multigrid 1 ic 2 ic 3 jacobi 4 none NaN]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A solve that was cut off in one table and finished in another, by the same method in other words, stands in both;
// time steps are other solves.
func TestMergeShares(t *testing.T) {
	row := func(method, note string, solve Number) Row {
		r := newRow()
		r.Case, r.Method, r.Variant, r.Note, r.SolveS, r.Converged = "MoL10-5M", method, "of "+method, note, solve,
			note == ""
		return r
	}
	cut := &Result{Schema: 2, Device: Device{Kind: "gpu"}, Tables: []Sheet{
		{Name: "synergy", Rows: []Row{row("chebyshev:precision=adaptive,format=quaddiag", "cut off after 2 s", 2),
			row("jacobi:format=csr,precision=fixed-fp64", "left out: too long", 0)}},
		{Name: "transient", Rows: []Row{row("chebyshev:form=plain", "cut off after 2 s and 1 of 50 steps", 2)}},
	}}
	all, err :=
		Merge(
			[]*Result{cut,
				{Schema: 2, Device: cut.Device, Tables: []Sheet{
					{Name: "steady", Rows: []Row{row("chebyshev:form=plain", "", 7)}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all.Tables {
		for _, r := range s.Rows {
			got = append(got, fmt.Sprint(s.Name, ": ", r.Variant, " ", float64(r.SolveS), " ", r.Note))
		}
	}
	want := []string{
		"steady: of chebyshev:form=plain 7 ", "transient: of chebyshev:form=plain 2 cut off after 2 s and 1 " +
			"of 50 steps",
		"synergy: of chebyshev:precision=adaptive,format=quaddiag 7 ",
		"synergy: of jacobi:format=csr,precision=fixed-fp64 0 left out: too long",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMerge(t *testing.T) {
	result := func(table string, rows ...Row) *Result {
		return &Result{Schema: 2, Tables: []Sheet{{Name: table, Rows: rows}}}
	}
	a := result("transient", Row{Case: "CUTh1", Method: "ic"})
	b := result("steady", Row{Case: "CUTh1", Method: "ic"}, Row{Case: "CUTh2", Method: "ic"})
	c := result("steady", Row{Case: "CUTh1", Method: "ic", Iterations: 7}, Row{Case: "CUTh1", Method: "cmg"})
	all, err := Merge([]*Result{a, b, c})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all.Tables {
		for _, r := range s.Rows {
			got = append(got, fmt.Sprint(s.Name, " ", r.Case, " ", r.Method, " ", r.Iterations))
		}
	}
	if want := "[steady CUTh1 ic 7 steady CUTh1 cmg 0 steady CUTh2 ic 0 transient " +
		"CUTh1 ic 0]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	// The page names what another build than its own measured.
	for n, r := range []*Result{a, b, c} {
		r.Version = fmt.Sprint("v", n)
		for i := range r.Tables[0].Rows {
			r.Tables[0].Rows[i].Build = r.Version
		}
	}
	if all, err = Merge([]*Result{a, b, c}); err != nil || all.Version != "v2" {
		t.Fatalf("version %q, %v", all.Version, err)
	}
	if got, want := all.Tables[0].builds(all.Version), "* Measured by version v2: CUTh1.\n* Measured by version "+
		"v1: CUTh2.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := all.Tables[1].builds(all.Version), "* Measured by version v0: CUTh1.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all.Tables[0].Rows[1].Build = "v0"
	if got, want := all.Tables[0].builds("v0"), "* Measured by version v2: CUTh1 (ic).\n* Measured by version v0: "+
		"CUTh1 (cmg).\n* Measured by version v1: CUTh2.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := c.Tables[0].builds("v2"); got != "" {
		t.Errorf("%q of one build", got)
	}
	b.Device.Name = "another"
	if _, err := Merge([]*Result{a, b}); err == nil {
		t.Error("merged two devices")
	}
}

func TestAverage(t *testing.T) {
	fine := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} // 6 x 2
	coarse := make([]float64, 3)
	average(coarse, [2]int{3, 1}, fine, 6, 2, 0.5)
	for i, want := range []float64{(1 + 2 + 7 + 8) / 8., (3 + 4 + 9 + 10) / 8., (5 + 6 + 11 + 12) / 8.} {
		if coarse[i] != want {
			t.Errorf("%v", coarse)
		}
	}
}

// The committed measurements can be printed with those of other programs.
func TestCommittedMeasurements(t *testing.T) {
	data, err := os.ReadFile("../../docs/measurements/bench-h200.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadResult(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"external-amgx-h200.json", "external-table2-cpu.json"} {
		if data, err = os.ReadFile("../../docs/measurements/" + name); err != nil {
			t.Fatal(err)
		}
		external, err := ReadExternal(name, data)
		if err != nil || len(r.LeftOut(external)) > 0 || r.AddExternal(external) != nil {
			t.Fatalf("%s: %v, %+v", name, err, r.LeftOut(external))
		}
	}
	var page bytes.Buffer
	if err := r.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"(Table II)", "(Table VII)", "| AmgX",
		"| 128x128x10 | HotSpot 7.0 (external) | - | - | 131 s | 131 s | 1.408 | 0.161 | 0.057 | 0.011 |"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("no %q in the tables", part)
		}
	}
}

// The table of precisions takes forms, precisions and other settings from the methods, and uses both forms otherwise.
func TestPrecisionsOfMethods(t *testing.T) {
	names := func(all ...string) (got []string) {
		for _, v := range precisions(all) {
			got = append(got, v.name)
			if _, set, err := methods.Find(v.method); err != nil || !strings.Contains(v.name, set.Text("precision")) ||
				!strings.Contains(v.name, set.Text("form")) {
				t.Errorf("%s is %s: %v", v.name, v.method, err)
			}
		}
		return got
	}
	for _, c := range []struct{ methods, want []string }{
		{[]string{"multigrid"}, []string{"plain, fixed-fp64", "plain, adaptive", "plain, fixed-fp32",
			"plain, fixed-fp16", "scaled, fixed-fp64", "scaled, adaptive", "scaled, fixed-fp32", "scaled, fixed-fp16"}},
		{[]string{"chebyshev:promote=paper", "jacobi"}, []string{"plain, fixed-fp64, promote=paper",
			"plain, adaptive, promote=paper", "plain, fixed-fp32, promote=paper", "plain, fixed-fp16, promote=paper"}},
		{[]string{"chebyshev:form=scaled,precision=adaptive,bounds=found", "chebyshev:precision=fixed-fp64"},
			[]string{"scaled, adaptive, bounds=found", "plain, fixed-fp64"}},
	} {
		if got := names(c.methods...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.methods, got, c.want)
		}
	}
	row := func(method string, solve Number) *Result {
		r := Row{Case: "CUTh1", Method: method, Variant: "plain, adaptive", SolveS: solve}
		return &Result{Schema: 2, Tables: []Sheet{{Name: "precision", Rows: []Row{r}}}}
	}
	all, err := Merge([]*Result{row("chebyshev:precision=adaptive,form=plain", 1),
		row("chebyshev:form=plain,precision=adaptive", 2)})
	if err != nil || len(all.Tables[0].Rows) != 1 || all.Tables[0].Rows[0].SolveS != 2 {
		t.Errorf("a row in other words does not replace: %+v, %v", all, err)
	}
	const want = "chebyshev:promote=paper,precision=adaptive"
	if v := precisions([]string{"chebyshev:promote=paper"})[1]; v.method != want {
		t.Errorf("the setting is lost: %s", v.method)
	}
}

// Time steps that start from the previous step are rows of their own, which take more iterations and end at the same
// temperature.
func TestFromPreviousStep(t *testing.T) {
	var results []*Result
	for _, previous := range []bool{false, true} {
		r, err := Run(context.Background(), Options{Executor: processor(t), Grids: [][2]int{{6, 5}},
			Systems: []string{"CUTh"}, Runs: 1, Tables: []string{"IV"}, Methods: []string{"ic"},
			FromPrevious: previous})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	all, err := Merge(results)
	if err != nil || len(all.Tables[0].Rows) != 2 {
		t.Fatalf("%v: %+v", err, all)
	}
	a, b := all.Tables[0].Rows[0], all.Tables[0].Rows[1]
	if a.Variant != "" || b.Variant == "" || !(b.Iterations > a.Iterations) || !b.Converged ||
		math.Abs(float64(a.PeakK-b.PeakK)) > 1e-4 {
		t.Errorf("%+v\n%+v", a, b)
	}
}
