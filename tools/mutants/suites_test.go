package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every suite names files that are there, and every run of its tests a package that is there.
func TestSuites(t *testing.T) {
	t.Chdir("../..")
	suites, err := readSuites(suitesText)
	if err != nil || len(suites) < 10 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	for _, s := range suites {
		if list, err := s.faults(1); err != nil || len(list) < 5 {
			t.Errorf("%s: %d faults, %v", s.files, len(list), err)
		}
		for _, args := range s.tests {
			packages := 0
			for _, a := range args {
				if folder, named := strings.CutPrefix(a, "./"); named {
					packages++
					if _, err := os.Stat(filepath.FromSlash(strings.TrimSuffix(folder, "/..."))); err != nil {
						t.Errorf("%s: %v", s.files, err)
					}
				}
			}
			if packages == 0 {
				t.Errorf("%s: %q names no package", s.files, args)
			}
		}
	}
}

// Shares add up to the sample and follow the weights.
func TestShares(t *testing.T) {
	got := shares([]suite{{weight: 1}, {weight: 2}, {weight: 1}}, 10)
	if got[0]+got[1]+got[2] != 10 || got[1] != 5 {
		t.Errorf("shares %v of 10", got)
	}
}

// Of a comparison all of its faults are planted, each where it stands.
func TestFaultsOfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte("package a\n\nfunc f(x, y int) bool {\n\treturn x < y && y > 3\n}\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	list, err := faultsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"return x <= y && y > 3": true, "return x >= y && y > 3": true, "return x < y || y > 3": true,
		"return x < y && y >= 3": true, "return x < y && y <= 3": true, "return x < y && y > (3 + 1)": true,
	}
	for _, f := range list {
		if !want[f.Becomes] {
			t.Errorf("unexpected or twice: %s", f.Becomes)
		}
		delete(want, f.Becomes)
		if text, err := f.planted(); err != nil || !strings.Contains(text, f.Becomes) {
			t.Errorf("planted %q, %v", text, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("not planted: %v", want)
	}
}

// Every fault of the audit still has its place, and a suite that should notice; a text that stands nowhere, or twice,
// is an error.
func TestListedFaults(t *testing.T) {
	t.Chdir("../..")
	suites, err := readSuites(suitesText)
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile("")
	plans, err := listed("tools/mutants/audit.txt", suites, all)
	if err != nil || len(plans) < 25 {
		t.Fatalf("%d faults, %v", len(plans), err)
	}
	for _, p := range plans {
		f := &p.faults[0]
		if text, err := f.planted(); err != nil || len(p.tests) == 0 || strings.Contains(text, f.Was) &&
			f.Becomes == "" {
			t.Errorf("%s: %s: %v", f.File, f.Function, err)
		}
	}
	if some, err := listed("tools/mutants/audit.txt", suites, regexp.MustCompile("^mesh/")); err != nil ||
		len(some) != 3 {
		t.Errorf("%d faults of mesh, %v", len(some), err)
	}
	for _, was := range []string{"no such text", "package"} {
		list := filepath.Join(t.TempDir(), "list.txt")
		if err := os.WriteFile(list, []byte("mesh: a fault\n-"+was+"\n+other\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := listed(list, suites, all); was == "no such text" && err == nil {
			t.Errorf("%q was planted", was)
		}
	}
}

// Results are kept line by line and known to the next campaign, where a survivor may have got its reason.
func TestResultsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	f := fault{File: "a.go", Function: "f", Was: "x < y", Becomes: "x <= y"}
	for n, want := range []string{"", survived, harmless} {
		r := runner{reasons: map[string]string{}}
		if n == 2 {
			r.reasons[f.name()] = "nobody sees it"
		}
		if err := r.resume(path); err != nil {
			t.Fatal(err)
		}
		if r.recall(); len(r.results) != min(n, 1) || n > 0 && r.results[0].Outcome != want {
			t.Fatalf("campaign %d: %v, want %q", n, r.results, want)
		}
		if n == 0 {
			r.found[f.name()] = result{Outcome: survived}
			if res, err := r.one(t.Context(), f, nil); err != nil || res.Outcome != survived {
				t.Fatalf("%v, %v", res, err)
			}
			if err := json.NewEncoder(r.record).Encode(r.results[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A fault is planted without a change of the file, tests notice it or not, and what does not compile does not count.
func TestCampaign(t *testing.T) {
	t.Chdir("../..")
	suites := []suite{{files: "internal/testtier/*.go", weight: 1, tests: [][]string{{"./internal/testtier"}}}}
	list := filepath.Join(t.TempDir(), "list.txt")
	const text = `internal/testtier: another tier
-== "extended"
+!= "extended"
internal/testtier: no fault
-	return quick
+	return (quick)
`
	if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	plans, err := listed(list, suites, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	invalidFirst := plans[0].faults[0]
	invalidFirst.with = "is"
	plans[0].faults = append([]fault{invalidFirst}, plans[0].faults...)
	var kept bytes.Buffer
	r := runner{folder: t.TempDir(), limit: time.Minute, record: &kept}
	if err := r.all(t.Context(), plans, 1); err != nil {
		t.Fatal(err)
	}
	if len(r.results) != 2 || r.results[0].Outcome != killed || r.results[0].By != "TestPick" ||
		r.results[0].Run != 1 || r.results[1].Outcome != survived {
		t.Errorf("%v", r.results)
	}
	if n := strings.Count(kept.String(), "\n"); n != 3 {
		t.Errorf("%d lines of results, want 3:\n%s", n, &kept)
	}
}

// Tests that fail without a fault are left out; how long the others take is read.
func TestBaseline(t *testing.T) {
	b := readBaseline("--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/sub (0.1s)\nFAIL\tthermsim/x\t1.5s\n" +
		"ok  \tthermsim/y\t12.25s\n")
	if b.longest != 12250*time.Millisecond {
		t.Errorf("the longest takes %v", b.longest)
	}
	if got := strings.Join(b.arguments([]string{"-skip", "TestB", "./x"}), " "); got != "-skip TestB|^(TestA)$ ./x" {
		t.Errorf("arguments %s", got)
	}
	if got := strings.Join(b.arguments([]string{"./x"}), " "); got != "-skip ^(TestA)$ ./x" {
		t.Errorf("arguments %s", got)
	}
}

// Counts by package add up, what the first run of tests noticed is counted beside, and harmless faults are no part of
// the percentage.
func TestSummary(t *testing.T) {
	of := func(file, outcome string, run int) result {
		return result{fault: fault{File: file}, Outcome: outcome, Run: run}
	}
	got := summarise(&settings{}, []result{of("b/x.go", killed, 1), of("a/x.go", survived, 0), of("a/y.go", killed, 2),
		of("a/c/z.go", killed, 1), of("a/z.go", harmless, 0)}).Rows
	want := []counts{{"a", 3, 1, 0, 1, 1, 50}, {"a/c", 1, 1, 1, 0, 0, 100}, {"b", 1, 1, 1, 0, 0, 100},
		{"all", 5, 3, 2, 1, 1, 75}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
