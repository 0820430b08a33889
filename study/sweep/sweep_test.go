package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"thermsim/internal/staging"
	"thermsim/report/summary"
	"thermsim/stack/stackfile"
)

func planOf(t *testing.T, text string, points string) *Plan {
	t.Helper()
	f, err := stackfile.ParseSweep("s.toml", []byte("stack = \"chip.toml\"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(f, []byte(points))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// all values of all runs.
func all(p *Plan) (rows []string) {
	for run := range p.Count() {
		rows = append(rows, strings.Join(p.Values(run), "|"))
	}
	return rows
}

const twoParameters = `[[vary]]
key = "boundary.top.h"
from = "1e3 W/(m^2 K)"
to = "1e5 W/(m^2 K)"
count = 3
scale = "log"
[[vary]]
key = "layer.a.thickness"
keys = ["layer.b.thickness"]
values = ["1 mm", "2 mm", 3e-3]
`

func TestPlans(t *testing.T) {
	grid := planOf(t, twoParameters, "")
	want := []string{"1000 W/(m^2 K)|1 mm", "1000 W/(m^2 K)|2 mm", "1000 W/(m^2 K)|3e-3", "10000 W/(m^2 K)|1 mm",
		"10000 W/(m^2 K)|2 mm", "10000 W/(m^2 K)|3e-3",
		"100000 W/(m^2 K)|1 mm", "100000 W/(m^2 K)|2 mm", "100000 W/(m^2 K)|3e-3"}
	if got := all(grid); !slices.Equal(got, want) {
		t.Errorf("grid %q", got)
	}
	if !grid.Numbers[0] || grid.Units[0] != "W/(m^2 K)" || grid.Numbers[1] {
		t.Errorf("numbers %v of %q", grid.Numbers, grid.Units)
	}
	set, err := grid.Set(1)
	if err != nil || len(set) != 3 || set[2].Text != "layer.b.thickness=2 mm" {
		t.Errorf("set %v, %v", set, err)
	}
	if got := all(planOf(t, "method = \"list\"\n"+twoParameters, "")); !slices.Equal(got,
		[]string{want[0], want[4], want[8]}) {
		t.Errorf("list %q", got)
	}
	wide := planOf(t, "[[vary]]\nkey = \"boundary.top.h\"\nfrom = 1e-200\nto = 1e200\ncount = 3\nscale = \"log\"\n", "")
	if got := all(wide); !slices.Equal(got, []string{"1e-200", "1", "1e+200"}) {
		t.Errorf("400 decades %q", got)
	}
	points := planOf(t, `points = "p.csv"`, "boundary.top.h,title\n1,one\n2,\"a, b\"\n")
	if got := all(points); !slices.Equal(got, []string{"1|one", "2|a, b"}) {
		t.Errorf("points %q", got)
	}
}

// Each of n equal parts of every parameter holds one run, the values of a list come equally often, and the seed
// decides.
func TestLatinHypercube(t *testing.T) {
	text := "method = \"latin-hypercube\"\nsamples = 60\nseed = %d\n" + strings.Replace(twoParameters, "count = 3\n",
		"", 1)
	p := planOf(t, fmt.Sprintf(text, 7), "")
	parts, words := make([]int, 60), map[string]int{}
	for run := range p.Count() {
		x, _, err := stackfile.SplitQuantity(p.Values(run)[0])
		if err != nil {
			t.Fatal(err)
		}
		parts[min(59, int(math.Log10(x/1e3)/2*60+1e-6))]++
		words[p.Values(run)[1]]++
	}
	if slices.Max(parts) != 1 || words["1 mm"] != 20 || words["2 mm"] != 20 {
		t.Errorf("parts %v, words %v", parts, words)
	}
	if !slices.Equal(all(p), all(planOf(t, fmt.Sprintf(text, 7), ""))) ||
		slices.Equal(all(p), all(planOf(t, fmt.Sprintf(text, 8), ""))) {
		t.Error("the seed does not decide")
	}
}

// Parameters are permuted independently: the correlation of any two columns of n runs is about 1/sqrt(n).
func TestLatinHypercubeIsUncorrelated(t *testing.T) {
	const runs, columns = 400, 4
	p := planOf(t, fmt.Sprintf("method = \"latin-hypercube\"\nsamples = %d\nseed = 3\n", runs)+
		parameters(columns, "from = 0\nto = 1\n"), "")
	var ranks [columns][]float64
	for run := range p.Count() {
		for i, v := range p.Values(run) {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			ranks[i] = append(ranks[i], 2*x-1) // of mean 0 and variance 1/3
		}
	}
	for i := range ranks {
		for j := range i {
			product := 0.0
			for run, x := range ranks[i] {
				product += 3 * x * ranks[j][run] / runs
			}
			if math.Abs(product) > 4/math.Sqrt(runs) {
				t.Errorf("parameters %d and %d have the correlation %.2f", i, j, product)
			}
		}
	}
}

// parameters are n of them.
func parameters(n int, of string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[vary]]\nkey = \"p%d\"\n%s", i, of)
	}
	return b.String()
}

func TestPlanFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "nothing varies",
		`points = "p.csv"`: "p.csv:1: expected a header of keys",
		"[[vary]]\nkey = \"a\"\nfrom = 1\nto = 2\ncount = 100000\n[[vary]]\nkey = \"b\"\nfrom = 1\nto = " +
			"2\ncount = 100000\n": "more than 1000000 runs",
		"method = \"latin-hypercube\"\nsamples = 1000000\n" +
			parameters(11, "from = 1\nto = 2\n"): "1000000 runs of 11 parameters exceed 10000000 values; " +
			"use fewer runs",
		parameters(1, "from = 1\nto = 2\ncount = 1000000\n") +
			parameters(12, "values = [1]\n")[len(parameters(1, "values = [1]\n")):]: "1000000 runs of 12 parameters " +
			"exceed",
	} {
		f, err := stackfile.ParseSweep("s.toml", []byte("stack = \"c\"\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"[[vary]]\nkey = \"a\"\n":              "s.toml:2:3: a has no values",
		"[[vary]]\nkey = \"a\"\nvalues = []\n": "values is empty",
		"[[vary]]\nkey = \"a\"\nvalues = " +
			"[1]\ncount = 2\n": "both values and count",
		"[[vary]]\nkey = \"a\"\nfrom = \"1 mm\"\nto = \"2 " +
			"um\"\ncount = 2\n": "the same unit; write both in mm",
		"[[vary]]\nkey = \"a\"\nfrom = 0\nto = 2\ncount = 2\nscale " +
			"= \"log\"\n": "numbers above 0",
		"[[vary]]\nkey = \"a\"\nfrom = " +
			"0\nto = 2\n": "from and to need count",
		"method = \"latin-hypercube\"\n[[vary]]\nkey = " +
			"\"a\"\nvalues = [1]\n": "samples belongs to",
		"samples = 3\n[[vary]]\nkey = " +
			"\"a\"\nvalues = [1]\n": "samples belongs to",
		"method = \"list\"\n[[vary]]\nkey = \"a\"\nvalues = [1]\n[[vary]]\nkey = " +
			"\"b\"\nvalues = [1, 2]\n": "b has 2 values, a has 1",
		"points = \"p\"\n[[vary]]\nkey = " +
			"\"a\"\nvalues = [1]\n": "points and vary",
		"set = [\"a\"]\n": "write KEY=VALUE",
		"stak = 1\n":      `unknown key "stak" in a sweep file; did you mean "stack"?`,
	} {
		if _, err := stackfile.ParseSweep("s.toml", []byte("stack = \"c\"\n"+text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestShards(t *testing.T) {
	environment := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, tt := range []struct {
		of   int
		env  []string
		want Shard
	}{
		{0, []string{"SLURM_ARRAY_TASK_ID", "14", "SLURM_ARRAY_TASK_MIN", "10", "SLURM_ARRAY_TASK_STEP", "2",
			"SLURM_ARRAY_TASK_COUNT", "8"}, Shard{2, 8}},
		{0, []string{"AWS_BATCH_JOB_ARRAY_INDEX", "3", "AWS_BATCH_JOB_ARRAY_SIZE", "5"}, Shard{3, 5}},
		{4, []string{"JOB_COMPLETION_INDEX", "1"}, Shard{1, 4}},
	} {
		if got, err := fromEnvironment(tt.of, environment(tt.env...)); err != nil || got != tt.want {
			t.Errorf("%v: %v, %v", tt.env, got, err)
		}
	}
	for _, env := range [][]string{nil, {"JOB_COMPLETION_INDEX", "1"},
		{"AWS_BATCH_JOB_ARRAY_INDEX", "5", "AWS_BATCH_JOB_ARRAY_SIZE", "5"}, {"JOB_COMPLETION_INDEX", "x"}} {
		if s, err := fromEnvironment(0, environment(env...)); err == nil {
			t.Errorf("%v: %v", env, s)
		}
	}
	for _, text := range []string{"", "1", "8/8", "-1/8", "x/8", "1/0"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q: %v", text, s)
		}
	}
	var seen []int
	for i := range 3 {
		seen = append(seen, Shard{i, 3}.Runs(10)...)
	}
	if slices.Sort(seen); !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("runs of three parts: %v", seen)
	}
}

// A table that was cut off at any byte goes on to the table of a sweep that was not.
func TestCutOff(t *testing.T) {
	state := State{Schema: 1, Version: "v", Identity: "i", Runs: 6, Shard: 0, Shards: 1,
		Header: []string{"run", "h", "status", "max_K", "message"}}
	row := func(run int) *Row {
		return &Row{Run: run, Values: []string{fmt.Sprint(run, " W,\"x\"")}, Status: Done,
			Cells: []string{strconv.Itoa(300 + run)}, Message: "a\nb"}
	}
	finish := func(folder string) []byte {
		j, err := Open(folder, state)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range Whole.Runs(6)[j.Done:] {
			if err := j.Add(row(run)); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(j.Path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole := finish(t.TempDir())
	for cut := range len(whole) + 1 {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "sweep.csv"), whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "sweep.csv")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		j, err := Open(folder, state)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder, state); runtime.GOOS == "linux" && !errors.Is(err, staging.ErrBusy) {
			t.Fatalf("a table that another one writes: %v", err)
		}
		if err := errors.Join(j.Close(), os.WriteFile(path, whole[:cut], 0o666)); err != nil {
			t.Fatal(err)
		}
		if got := finish(folder); !bytes.Equal(got, whole) {
			t.Fatalf("cut at %d:\n%s", cut, got)
		}
	}
	folder := t.TempDir()
	finish(folder)
	other := state
	other.Identity = "j"
	if _, err := Open(folder, other); !errors.Is(err, ErrOther) {
		t.Errorf("another sweep: %v", err)
	}
}

// What a spreadsheet would run is text; numbers stay as they are. Rows without a result count in tables that are read
// again.
func TestCells(t *testing.T) {
	line := []string{"-40 degC", "-1.5e-3", "+3", "=1+1", "-1+cmd", "@x", "--set a: b", "-1 W/(m K)", ""}
	if got, want := Cells(line), []string{"-40 degC", "-1.5e-3", "+3", "'=1+1", "'-1+cmd", "'@x", "'--set a: b",
		"'-1 W/(m K)", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := Faults([][]string{{"run", "h", "status", "max_K"}, {"0", "done", "runaway", ""}, {"1", "2", "done", "300"},
		{"2", "3", "failed", ""}}); n != 2 {
		t.Errorf("%d faults, want 2", n)
	}
	for _, label := range []string{"max_K", "run", "message"} {
		f, err := stackfile.ParseSweep("s.toml",
			fmt.Appendf(nil, "stack = \"c\"\n[[vary]]\nkey = \"a\"\nlabel = %q\nvalues = [1]\n", label))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(f, nil); err == nil {
			t.Errorf("label %q is taken", label)
		}
	}
}

// Rows come in order whatever the runs take, and the first error ends it.
func TestEach(t *testing.T) {
	runs := Whole.Runs(200)
	var got []int
	err := Each(context.Background(), runs, 7, func(_ context.Context, run int) (*Row, error) {
		return &Row{Run: run}, nil
	},
		func(r *Row) error { got = append(got, r.Run); return nil })
	if err != nil || !slices.Equal(got, runs) {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("broken")
	got = nil
	err = Each(context.Background(), runs, 7, func(_ context.Context, run int) (*Row, error) {
		if run == 50 {
			return nil, broken
		}
		return &Row{Run: run}, nil
	}, func(r *Row) error { got = append(got, r.Run); return nil })
	if !errors.Is(err, broken) || !slices.Equal(got, runs[:len(got)]) || len(got) > 50 {
		t.Errorf("%v, %v", got, err)
	}
	err = Each(context.Background(), runs, 7, func(_ context.Context, run int) (*Row, error) {
		return &Row{Run: run}, nil
	}, func(r *Row) error { return broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err = Each(ctx, runs, 7, func(ctx context.Context, run int) (*Row, error) {
		return nil, ctx.Err()
	}, func(r *Row) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestColumns(t *testing.T) {
	p := planOf(t, twoParameters, "")
	s := &summary.Summary{Probes: []summary.Probe{{Name: "p", TemperatureK: 310}},
		Blocks: []summary.Block{{Layer: "die", Name: "core", MaxK: 320}},
		Layers: []summary.Layer{{Name: "die", MaxK: 320}}}
	s.Temperature.MaxK, s.Temperature.AmbientK, s.RthKPerW = 320, 300, math.NaN()
	s.Solver.Converged = true
	c, err := NewColumns(p, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	header, row := c.Header(), c.Row(4, p.Values(4), s).record()
	fault := c.Fault(4, p.Values(4), Invalid, errors.New("one\ntwo")).record()
	if len(header) != len(row) || len(header) != len(fault) {
		t.Fatalf("%d columns, rows of %d and %d", len(header), len(row), len(fault))
	}
	for name, want := range map[string]string{"run": "4", "boundary.top.h": "10000 W/(m^2 K)", "status": "done",
		"max_K": "320", "rise_K": "20", "rth_K_per_W": "",
		"probe/p_K": "310", "die/core_K": "320"} {
		if got := row[slices.Index(header, name)]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if fault[len(fault)-1] != "one" {
		t.Errorf("fault %q", fault)
	}
	s.Temperature.MaxK = 1e13
	if r := c.Row(4, p.Values(4), s); r.Status != Invalid ||
		!strings.Contains(r.Message, "hottest cell is at 1e+13 K") {
		t.Errorf("at 1e13 K: %s, %s", r.Status, r.Message)
	}
	if _, err := NewColumns(p, []string{"die/cor"}, s); err == nil {
		t.Error("an output that is not there was accepted")
	}
}
