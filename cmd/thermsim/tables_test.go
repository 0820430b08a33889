package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/report"
	"thermsim/report/printout"
	"thermsim/report/summary"
)

// The tables of runs of the small stack, cell by cell, against fields by elimination. What a column is called, where it
// stands and its unit are part of it.
func TestTablesAgainstElimination(t *testing.T) {
	dir := quickFolder(t)
	for _, c := range []struct {
		name         string
		leaks, steps bool
	}{
		{"steady", false, false}, {"steady with leakage", true, false},
		{"transient", false, true}, {"transient with leakage", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(dir, c.name)
			command := "steady"
			if c.steps {
				command = "transient"
			}
			text := output(t, exit.TooHot, command, writeSmall(t, dir, c.leaks), "--out", out,
				"--device", "cpu", "--tol", "1e-9", "--maps", "all")
			w := newWanted(c.leaks, c.steps)
			for name, columns := range map[string][]wantedColumn{
				"layers": layerColumns(), "blocks": blockColumns(), "regions": regionColumns(), "dies": dieColumns(),
			} {
				compareTable(t, name+".csv", readTable(t, filepath.Join(out, name+".csv")), w.table(name, columns))
			}
			compareTable(t, "limits.csv", readTable(t, filepath.Join(out, "limits.csv")), w.limits())
			for l := range smallLayers {
				name := "map_" + smallLayers[l].name + ".csv"
				compareTable(t, name, readTable(t, filepath.Join(out, name)), w.mapOf(l))
			}
			if c.steps {
				compareTable(t, "trace.csv", readTable(t, filepath.Join(out, "trace.csv")), w.trace())
			}
			w.compareText(t, text)
			w.compareLines(t, text)
			w.comparePage(t, filepath.Join(out, report.PageName))
			summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(summary, &got); err != nil {
				t.Fatal(err)
			}
			compareJSON(t, "summary", got, w.summary())
		})
	}
}

// Sensitivities are differences of fields by elimination, and resistances their rises for 1 W.
func TestStudiesAgainstElimination(t *testing.T) {
	dir := quickFolder(t)
	path := writeSmall(t, dir, false)

	out := filepath.Join(dir, "sensitivity")
	text := output(t, exit.Done, "sensitivity", path, "--of", "io", "--out", out)
	want := sensitivities(volume{0, smallSources[1].box})
	compareTable(t, "sensitivity.csv", readTable(t, filepath.Join(out, "sensitivity.csv")), want.csv)
	compareTable(t, "Sensitivities", section(t, text, "Sensitivities  base/io"), want.text)

	out = filepath.Join(dir, "rth")
	text = output(t, exit.Done, "rth", path, "--out", out, "--no-page")
	own, pairs, matrix := resistances()
	compareTable(t, "rth.csv", readTable(t, filepath.Join(out, "rth.csv")), matrix)
	compareTable(t, "Inputs", section(t, text, "Inputs"), own)
	compareTable(t, "Couplings", section(t, text, "Couplings"), pairs)
}

// The hottest end of a step that follows the temperatures is told also where it lies between the times that are asked
// for, which all else is about. Its time is that at which the blocks' power falls.
func TestPeakBetweenTimes(t *testing.T) {
	dir := quickFolder(t)
	out := filepath.Join(dir, "out")
	text := output(t, exit.TooHot, "transient", writeSmall(t, dir, true), "--dt-tol", "1 mK", "--at", "0.4 s, 1.6 s",
		"--until", "1.6 s", "--out", out, "--device", "cpu", "--tol", "1e-7", "--no-page")
	// Backward Euler of first order, extrapolated from steps of 10 and 5 ms.
	coarse, fine := (&smallModel{leaks: true, parts: 20}).steps(), (&smallModel{leaks: true, parts: 40}).steps()
	top := func(step int) float64 { return 2*slices.Max(fine[step]) - slices.Max(coarse[step]) }
	const accuracy = 0.02 // K
	var got struct {
		Peak     summary.Peak
		Stepping summary.Stepping
	}
	summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err == nil {
		err = json.Unmarshal(summary, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := &got.Stepping; math.Abs(p.PeakS-0.8) > 1e-12 || math.Abs(p.PeakK-top(4)) > accuracy {
		t.Errorf("hottest step %v K at %v s, want %v K at 0.8 s", p.PeakK, p.PeakS, top(4))
	}
	if p := &got.Peak; p.TimeS != 0.4 || math.Abs(p.MaxK-top(2)) > accuracy {
		t.Errorf("hottest time %v K at %v s, want %v K at 0.4 s", p.MaxK, p.TimeS, top(2))
	}
	between := fmt.Sprintf("Maximum between output times: %.2f degC, at t = 800 ms", celsiusOf(got.Stepping.PeakK))
	if !strings.Contains(text, between) {
		t.Errorf("no word of the hottest step in\n%s", text)
	}
	for n, row := range readTable(t, filepath.Join(out, "trace.csv"))[1:] {
		step := []int{2, 8}[n]
		for c, want := range map[int]float64{0: smallDt * float64(step), 2: top(step)} {
			x, err := strconv.ParseFloat(row[c], 64)
			if err != nil || math.Abs(x-want) > accuracy {
				t.Errorf("trace.csv, row %d, column %d: %s, want %v", n+1, c+1, row[c], want)
			}
		}
	}
}

// output runs a command line in this process and returns what it prints.
func output(t *testing.T, status int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &out, Stderr: &errs, Style: printout.Style{Width: 100}},
		Start: time.Now()}
	if got := execute(g, append(args, "--verbose")); got != status {
		t.Fatalf("%q: exit status %d, want %d: %s", args, got, status, errs.String())
	}
	return out.String()
}

// writeSmall writes the small stack.
func writeSmall(t *testing.T, dir string, leaks bool) (path string) {
	t.Helper()
	path = filepath.Join(dir, fmt.Sprintf("leaks-%v.toml", leaks))
	text := smallStack
	if !leaks {
		text = regexp.MustCompile(`(?m)^ *leakage .*\n`).ReplaceAllString(text, "")
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// readTable reads a CSV file, the head first.
func readTable(t *testing.T, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// wantedTable is a head and rows of strings, numbers, and what people read of numbers.
type wantedTable struct {
	head   []string
	rows   [][]any
	within float64 // of numbers, relative; 0 is agreement
}

// agreement is how well numbers agree with elimination: conductances in FP32 cost 1e-7 of a rise.
const agreement = 1e-6

// marked is a number with a mark behind it.
type marked struct {
	value float64
	mark  string
}

// inSeconds is a time, written with a unit.
type inSeconds float64

// roughly is a number in JSON that is known to 1e-3.
type roughly float64

func compareTable(t *testing.T, name string, got [][]string, want wantedTable) {
	t.Helper()
	if len(got) != len(want.rows)+1 {
		t.Fatalf("%s has %d rows, want %d: %q", name, len(got)-1, len(want.rows), got)
	}
	if !slices.Equal(got[0], want.head) {
		t.Fatalf("%s has the columns\n%q, want\n%q", name, got[0], want.head)
	}
	for n, row := range want.rows {
		for c := range row {
			if fault := compareCell(got[n+1][c], row[c], cmp.Or(want.within, agreement)); fault != "" {
				t.Errorf("%s, row %d, %s: %s", name, n+1, want.head[c], fault)
			}
		}
	}
}

// compareCell compares a number to as many digits as are written, and no better than within so much of it.
func compareCell(got string, want any, within float64) (fault string) {
	text, digits := got, got
	var value float64
	switch want := want.(type) {
	case string:
		if got != want {
			return fmt.Sprintf("%q, want %q", got, want)
		}
		return ""
	case float64:
		value = want
	case marked:
		value = want.value
		ok := false
		if text, ok = strings.CutSuffix(got, want.mark); !ok {
			return fmt.Sprintf("%q lacks %q", got, want.mark)
		}
		digits = text
	case inSeconds:
		value = float64(want)
		number, unit, _ := strings.Cut(got, " ")
		exponent, ok := map[string]string{"s": "e0", "ms": "e-3", "us": "e-6"}[unit]
		if !ok {
			return fmt.Sprintf("%q has no unit of time", got)
		}
		text, digits = number+exponent, number
	}
	if math.IsNaN(value) && got == "" {
		return ""
	}
	x, err := strconv.ParseFloat(text, 64)
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(strings.Split(strings.ToLower(digits), "e")[0], ".")
	e, _ := strconv.Atoi(exponent)
	rounding := 0.5 * math.Pow(10, float64(e-len(decimals)))
	if err != nil || !(math.Abs(x-value) <= within*math.Abs(value)+1.001*rounding) {
		return fmt.Sprintf("%q, want %v", got, value)
	}
	return ""
}

// compareJSON compares objects key by key, and numbers to 1e-6; nil stands for what is not compared.
func compareJSON(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case nil:
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is %v, want an object", at, got)
		}
		for key := range object {
			if _, ok := want[key]; !ok {
				t.Errorf("%s has %q", at, key)
			}
		}
		for key, v := range want {
			if x, ok := object[key]; ok {
				compareJSON(t, at+"."+key, x, v)
			} else {
				t.Errorf("%s lacks %q", at, key)
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s is %v, want %v", at, got, want)
			return
		}
		for n := range want {
			compareJSON(t, fmt.Sprintf("%s[%d]", at, n), list[n], want[n])
		}
	case roughly:
		if x, ok := got.(float64); !ok || math.Abs(x-float64(want)) > 1e-3*float64(want) {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	case float64:
		x, ok := got.(float64)
		if math.IsNaN(want) && got == nil {
			return
		}
		if !ok || !(math.Abs(x-want) <= agreement*math.Abs(want)+1e-15) {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

// quickFolder is a temporary folder in memory, where there is such a thing.
func quickFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "thermsim-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
