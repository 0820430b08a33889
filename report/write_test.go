package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var n []string
	for _, e := range entries {
		if e.Name() != ".thermsim" { // what transactions note
			n = append(n, e.Name())
		}
	}
	return n
}

func readCSV(t testing.TB, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func parse(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// writeRun writes the files of a run into a folder, and returns their paths.
func writeRun(ctx context.Context, dir string, r *Run, s *summary.Summary, o Options) ([]string, error) {
	done, err := staging.Do(ctx, dir, staging.Options{Set: RunFiles, Command: r.Command},
		func(files *staging.Transaction) error {
			start := time.Now()
			if err := stagePictures(ctx, files, r, s, &o, func() {}); err != nil {
				return err
			}
			return stageTables(ctx, files, r, s, &o, start)
		})
	if err != nil {
		return nil, err
	}
	return done.Files, nil
}

func TestWriteMakesWhatTheContractLists(t *testing.T) {
	r := sampleRun(t, 25, 20)
	s := summarise(t, r)
	dir := filepath.Join(t.TempDir(), "new", "out")
	files, err := writeRun(context.Background(), dir, r, s, Options{Maps: []string{"lid"}, Figures: []string{"panels"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"blocks.csv", "layers.csv", "map_feol.csv", "map_feol.png", "map_lid.csv", "map_lid.png",
		"panels.png", "summary.json"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	for i, f := range files {
		if f != filepath.Join(dir, want[i]) {
			t.Errorf("file %d is %s, want %s", i, f, want[i])
		}
	}
	f, err := os.ReadFile(filepath.Join(dir, "map_lid.png"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(f)); err != nil {
		t.Errorf("map_lid.png: %v", err)
	}
	rows := readCSV(t, filepath.Join(dir, "blocks.csv"))
	if len(rows) != 4 || rows[1][1] != "core" {
		t.Fatalf("blocks.csv: %q", rows)
	}
	near(t, "average of the core in blocks.csv", parse(t, rows[1][6]), s.Blocks[0].AvgK, 1e-6)
	near(t, "density of the core in blocks.csv", parse(t, rows[1][4]), 12/(3.3e-3*2.7e-3), 1e-3)
	if rows = readCSV(t, filepath.Join(dir, "layers.csv")); len(rows) != 5 || rows[4][0] != "lid" {
		t.Errorf("layers.csv: %q", rows)
	}
}

// A map holds the hotter of the two planes of feol at every cell, rows from the south.
func TestMapCSV(t *testing.T) {
	r := linearRun(t, samples.Stack(11, 7))
	dir := t.TempDir()
	if _, err := writeRun(context.Background(), dir, r, summarise(t, r), Options{}); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, filepath.Join(dir, "map_feol.csv"))
	if len(rows) != 8 || len(rows[0]) != 12 {
		t.Fatalf("%d rows of %d, want 8 of 12", len(rows), len(rows[0]))
	}
	for j, row := range rows[1:] {
		y := parse(t, row[0])
		near(t, "y", y, (float64(j)+0.5)*8e-3/7, 1e-11)
		for i, cell := range row[1:] {
			x := parse(t, rows[0][i+1])
			near(t, "x", x, (float64(i)+0.5)*10e-3/11, 1e-11)
			near(t, "cell", parse(t, cell), samples.Linear(x, y, 201.5e-6), 2e-6)
		}
	}
}

func TestSummaryJSONHasTheNamesOfTheContract(t *testing.T) {
	r := sampleRun(t, 10, 8)
	r.Solution.Steps = []solution.Step{{Time: 1, MaxK: 310, PowerW: 16, Converged: true}}
	r.Solution.Dt = 1
	var b bytes.Buffer
	if err := summarise(t, r).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	contract := map[string]string{
		"": "schema command version stack input_sha256 grid device solver temperature power energy " +
			"rth_K_per_W time memory steps dt_s iterations_total step_maxima",
		"grid":   "nx ny nz cells",
		"device": "kind name",
		"solver": "method preconditioner iterations residual_norm_W relative_residual estimated_error_K " +
			"converged reason",
		"temperature": "max_K min_K mean_K max_at",
		"power":       "requested_W mapped_W",
		"energy":      "in_W out_W stored_W imbalance_rel by_face_W",
		"time":        "parse_s mesh_s device_s setup_s solve_s report_s total_s",
		"memory":      "device_bytes host_peak_bytes",
	}
	for part, keys := range contract {
		object := all
		if part != "" {
			object, _ = all[part].(map[string]any)
		}
		for _, key := range strings.Fields(keys) {
			if _, there := object[key]; !there {
				t.Errorf("%s lacks %s", part, key)
			}
		}
	}
	at, _ := all["temperature"].(map[string]any)["max_at"].(map[string]any)
	if at["layer"] != "feol" || at["block"] != "core" || at["x_m"] == nil || at["y_m"] == nil || at["z_m"] == nil {
		t.Errorf("max_at: %v", at)
	}
	if all["schema"] != 1.0 || all["input_sha256"] != inputDigest(r.Mesh.Stack.Inputs) {
		t.Errorf("schema %v, input_sha256 %v", all["schema"], all["input_sha256"])
	}
}

func TestInputDigest(t *testing.T) {
	// printf '00\n11\n' | sha256sum
	const two = "2e4d9a8ad44fd728788b359e300d7c86bc37f0a326621247a174b4fa2dd6fed3"
	in := samples.Stack(1, 1).Inputs
	if got := inputDigest(in); got != two {
		t.Errorf("digest of two inputs %s, want %s", got, two)
	}
	if got := inputDigest(in[:1]); got != "00" {
		t.Errorf("digest of one input %s, want its own", got)
	}
}

func TestUnknownMapNamesTheLayers(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := filepath.Join(t.TempDir(), "out")
	_, err := writeRun(context.Background(), dir, r, summarise(t, r), Options{Maps: []string{"lidd"}})
	if err == nil || !strings.Contains(err.Error(), `"lidd"`) ||
		!strings.Contains(err.Error(), "bulk, feol, tim, lid") {
		t.Errorf("error %v", err)
	}
	if got := names(t, dir); got != nil {
		t.Errorf("left %q", got)
	}
}

func TestAFileInPlaceOfTheFolder(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(dir, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := writeRun(context.Background(), dir, r, summarise(t, r), Options{})
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(dir); string(b) != "mine" {
		t.Error("the file was changed")
	}
}

// begin starts a transaction that fails what fault says.
func begin(t testing.TB, dir string, fault func(op, name string) error) *staging.Transaction {
	t.Helper()
	files, err := staging.Begin(dir, staging.Options{Set: RunFiles, Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(files.Abort)
	return files
}

// fullDisk fails writes after the first n.
func fullDisk(n int64) func(op, name string) error {
	var written atomic.Int64
	return func(op, _ string) error {
		if op == "write" && written.Add(1) > n {
			return syscall.ENOSPC
		}
		return nil
	}
}

func TestFullDiskLeavesNothing(t *testing.T) {
	r := sampleRun(t, 10, 8)
	s := summarise(t, r)
	for n := range int64(2) {
		dir := filepath.Join(t.TempDir(), "out")
		_, err := staging.Do(t.Context(), dir, staging.Options{Fault: fullDisk(n)},
			func(files *staging.Transaction) error {
				return stageTables(t.Context(), files, r, s, &Options{}, time.Now())
			})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("with %d writes done, left %q", n, names(t, dir))
		}
	}
}

func TestCancelledRunLeavesNothingAndKeepsOldFiles(t *testing.T) {
	r := sampleRun(t, 10, 8)
	s := summarise(t, r)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "summary.json"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := writeRun(ctx, dir, r, s, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	files := begin(t, dir, nil)
	if err := CheckPictures(ctx, files, r.Mesh, new(PictureStyle)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	files.Abort()
	if got := names(t, dir); !slices.Equal(got, []string{"summary.json"}) {
		t.Errorf("the folder holds %q", got)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "summary.json")); string(b) != "old" {
		t.Error("the old summary was changed")
	}
}

// A name that cannot be taken, because a folder has it, takes back the files renamed before.
func TestFailedRenameTakesBack(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "map_feol.png"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := writeRun(context.Background(), dir, r, summarise(t, r), Options{})
	if err == nil || !strings.Contains(err.Error(), "map_feol.png") {
		t.Errorf("error %v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"map_feol.png"}) {
		t.Errorf("the folder holds %q", got)
	}
}

type brokenField struct{}

func (brokenField) Plane(int, []float64) error { return errors.New("device lost") }

func TestBrokenFieldLeavesNothing(t *testing.T) {
	r := sampleRun(t, 10, 8)
	s := summarise(t, r)
	r.Solution.Field = brokenField{}
	dir := filepath.Join(t.TempDir(), "out")
	if _, err := writeRun(context.Background(), dir, r, s, Options{Maps: []string{"all"}}); err == nil ||
		!strings.Contains(err.Error(), "device lost") {
		t.Errorf("error %v", err)
	}
	if got := names(t, dir); got != nil {
		t.Errorf("left %q", got)
	}
}

func TestLargePlanesHaveNoCSVUnlessAsked(t *testing.T) {
	st := samples.Stack(2001, 2000)
	m := samples.Build(t, st)
	plane := make([]float64, m.NX()*m.NY())
	r := &Run{Mesh: m, Solution: &solution.Solution{Field: samePlane(plane)}}
	dir := t.TempDir()
	if _, err := writeRun(context.Background(), dir, r, summarise(t, r), Options{}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Contains(got, "map_feol.png") || slices.Contains(got, "map_feol.csv") {
		t.Errorf("the folder holds %q", got)
	}
}

func TestFileNamesOfOddLayers(t *testing.T) {
	s := &stack.Stack{Layers: []stack.Layer{{Name: "a/b"}, {Name: "a b"}, {Name: "A_B"}, {Name: "../x"}}}
	if got, want := fileNames(s), []string{"a_b", "a_b_2", "A_B_3", ".._x"}; !slices.Equal(got, want) {
		t.Errorf("file names %q, want %q", got, want)
	}
}

// Pictures of a stack are drawn on all cores: before one of them is whole, another one is being written.
func TestCheckPicturesTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var mu sync.Mutex
	writing := map[string]bool{}
	second := make(chan struct{})
	fault := func(op, name string) error {
		if op != "write" || !strings.HasSuffix(name, ".png") {
			return nil
		}
		mu.Lock()
		if writing[name] = true; len(writing) == 2 {
			close(second)
			writing["both"] = true
		}
		mu.Unlock()
		select {
		case <-second:
		case <-time.After(20 * time.Second):
			t.Errorf("%s is written alone", name)
		}
		return nil
	}
	_, err := staging.Do(t.Context(), t.TempDir(), staging.Options{Fault: fault},
		func(files *staging.Transaction) error {
			return CheckPictures(t.Context(), files, samples.Build(t, samples.Stack(40, 32)), new(PictureStyle))
		})
	if err != nil {
		t.Error(err)
	}
}

func TestCheckPictures(t *testing.T) {
	st := samples.Stack(40, 32)
	st.Layers[2].Regions =
		[]stack.Region{{Name: "die", Material: 0, Rect: stack.Rect{X: 1e-3, Y: 1e-3, Width: 5e-3, Height: 5e-3}}}
	st.Layers[2].ContactResistance = 1e-6
	st.Layers[3].Powers = []stack.Power{{Uniform: 3, Area: stack.Rect{X: 1e-3, Y: 1e-3, Width: 2e-3, Height: 2e-3}}}
	st.Boundary[stack.West] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 320}
	st.Boundary[stack.North] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e4}
	dir, m := t.TempDir(), samples.Build(t, st)
	done, err := staging.Do(t.Context(), dir, staging.Options{}, func(files *staging.Transaction) error {
		return CheckPictures(t.Context(), files, m, new(PictureStyle))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"floorplan_feol.png", "floorplan_lid.png", "stack.png"}
	if got := names(t, dir); !slices.Equal(got, want) || len(done.Files) != 3 {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	for l := range st.Layers {
		if drawn := slab(m, l); drawn.Contact != (l == 2) {
			t.Errorf("contact resistance drawn above layer %d: %t", l, drawn.Contact)
		}
	}
}

func BenchmarkMapCSV512(b *testing.B) {
	m := samples.Build(b, samples.Stack(512, 512))
	plane := make([]float64, 512*512)
	if err := (samples.Field{Mesh: m, Of: samples.Bumps}).Plane(2, plane); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := writeMapCSV(io.Discard, m, layerView(m, 1), plane, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func TestMapOfNaNStaysReadable(t *testing.T) {
	m := samples.Build(t, samples.Stack(3, 2))
	var b bytes.Buffer
	if err := writeMapCSV(&b, m, layerView(m, 1), []float64{1, 2, math.NaN(), 4, 5, 6}, ""); err != nil ||
		!strings.Contains(b.String(), ",NaN\n") {
		t.Errorf("error %v in\n%s", err, b.String())
	}
}
