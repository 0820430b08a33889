//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// All targets of the repository are found, each once, and those of shares exist.
func TestFind(t *testing.T) {
	t.Chdir("../..")
	all, err := find(regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	seen, names := map[string]bool{}, map[string]bool{}
	for _, f := range all {
		if seen[f.String()] {
			t.Errorf("%s is listed twice", f)
		}
		seen[f.String()], names[f.Target] = true, true
	}
	for _, want := range []string{"stack/stackfile FuzzTOML", "cmd/thermsim FuzzStacks",
		"stack/internal/units FuzzParse",
		"study/verify FuzzSteady"} {
		if !seen[want] {
			t.Errorf("%s was not found", want)
		}
	}
	for name := range shares {
		if !names[name] {
			t.Errorf("%s has a share, and is no target", name)
		}
	}
	some, err := find(regexp.MustCompile("^study/policy "))
	if err != nil || len(some) != 1 || some[0].String() != "study/policy FuzzParse" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := find(regexp.MustCompile("^none$")); err == nil {
		t.Error("no target, and no error")
	}
}

// A target of share 3 gets three times the time of one of share 1.
func TestTurns(t *testing.T) {
	c := &fuzzer{settings: &settings{slice: time.Second}, end: time.Now().Add(time.Hour)}
	often, rarely := &target{row: row{Target: "FuzzArguments"}}, &target{row: row{Target: "FuzzFrame"}}
	broken := &target{row: row{Target: "FuzzBroken", Crashers: mostCrashers}}
	c.targets = []*target{often, rarely, broken}
	for range 40 {
		f, length := c.next(context.Background())
		if f == nil || f == broken || length != time.Second {
			t.Fatalf("%v for %s", f, length)
		}
	}
	if often.taken != 30 || rarely.taken != 10 {
		t.Errorf("%g and %g s", often.taken, rarely.taken)
	}
	c.end = time.Now().Add(2 * time.Second)
	if f, _ := c.next(context.Background()); f != nil {
		t.Errorf("a turn of %v begins with two seconds left", f)
	}
}

// Executions are read from the last line of progress, and the name of an input that failed from its message.
func TestOutputOfFuzzer(t *testing.T) {
	if n := executions([]byte("fuzz: elapsed: 3s, gathering baseline coverage: 1/18 completed\nfuzz: elapsed: 3s, " +
		"execs: 8487 (2828/sec), new interesting: 116 (total: 134)\n" +
		"fuzz: elapsed: 6s, execs: 9001 (20/sec), new interesting: 117 (total: 135)\nFAIL")); n != 9001 {
		t.Errorf("%d executions", n)
	}
	if m := written.FindStringSubmatch("    Failing input written to testdata/fuzz/FuzzTOML/6035909e1eeaf686\n"); m ==
		nil || m[1] != "6035909e1eeaf686" {
		t.Errorf("%v", m)
	}
	if m := seeded.FindStringSubmatch("failure while testing seed corpus entry: FuzzStacks/seed#0\n"); m == nil ||
		m[1] != "seed#0" {
		t.Errorf("%v", m)
	}
}

// Counts of a campaign are added to those of earlier ones, by target, each time that they are written.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fuzzing.json")
	c := &fuzzer{settings: &settings{json: path, commit: "c"}}
	for _, rows := range [][]row{
		{{"a", "FuzzX", 10, 2, 0.5, 1}, {"a", "FuzzY", 1, 0, 0.25, 0}, {"a", "FuzzZ", 0, 0, 0, 0}},
		{{"a", "FuzzX", 5, 1, 0.25, 0}, {"b", "FuzzX", 7, 7, 1, 0}},
	} {
		var err error
		if c.earlier, err = readRecord(path); err != nil {
			t.Fatal(err)
		}
		c.targets = nil
		for _, w := range rows {
			c.targets = append(c.targets, &target{row: w})
		}
		for range 2 {
			if err := c.write(); err != nil {
				t.Fatal(err)
			}
		}
		c.commit = "d"
	}
	r, err := readRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []row{{"a", "FuzzX", 15, 3, 0.75, 1}, {"a", "FuzzY", 1, 0, 0.25, 0}, {"b", "FuzzX", 7, 7, 1, 0}}
	if !slices.Equal(r.Rows, want) || r.Commit != "d" || r.Total.Executions != 23 || r.Total.CoreHours != 2 ||
		r.Total.Targets != 3 {
		t.Errorf("%+v", r)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files", len(left))
	}
}

// A workplace has the files of the package and the seeds of a target; what is written there stays there.
func TestWorkplace(t *testing.T) {
	t.Chdir("../..")
	f := &target{row: row{Package: "stack/stackfile", Target: "FuzzTOML"}}
	work, err := f.workplace()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"load.go", "testdata/fuzz/FuzzTOML/coolant_without_size",
		"../../examples/quickstart/stack.toml"} {
		if _, err := os.Stat(filepath.Join(work, name)); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(work, "testdata/fuzz/FuzzTOML/new"), nil, 0o666); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("stack/stackfile/testdata/fuzz/FuzzTOML/new"); err == nil {
		t.Error("the package has it too")
	}
}
