package importer

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"thermsim/internal/inputfile"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

func result() *Result {
	s := &stack.Stack{
		Ambient: 300, Size: [2]float64{1e-3, 1e-3}, Grid: stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
		Materials: []stack.Material{{Name: "a", K: [3]float64{1, 1, 1}, C: 1}},
		Layers:    []stack.Layer{{Name: "die", Thickness: 1e-4, Cells: 1}},
	}
	return &Result{
		Stack: s, Format: &Format{Title: "Other"}, Comments: stackfile.Comments{Head: []string{"From somewhere."}},
		Notes: []Note{
			{NotCarried, stack.Pos{File: "x.in", Line: 3, Col: 1}, "cores"},
			{Warning, stack.Pos{File: "x.in", Line: 5, Col: 2}, "odd"},
			{NotCarried, stack.Pos{File: "x.in", Line: 9, Col: 1}, "colours"},
		},
		Deviations: []Deviation{
			{Name: "first", What: "it rounds", Instead: "exact", Measured: true, SizeK: 0.25, Field: true},
			{Name: "second", What: "it cuts", Instead: "whole", Emulated: true},
		},
	}
}

// The head of the stack file tells what did not come along and what is calculated otherwise; the rest reads back.
func TestWriteStack(t *testing.T) {
	var b bytes.Buffer
	if err := result().WriteStack(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# From somewhere.\n", "# Not carried over:\n#   x.in:3:1: cores\n#   x.in:9:1: colours\n",
		"# To be checked:\n#   x.in:5:2: odd\n",
		"# Numerics of Other that differ (docs/guides/import.md):\n#   first: it rounds; here: exact; effect: up to " +
			"0.25 K\n#   second: it cuts; emulated\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("missing:\n%s\nin\n%s", want, b.String())
		}
	}
	if _, err := stackfile.Parse("stack.toml", b.Bytes(), inputfile.Read); err != nil {
		t.Error(err)
	}
}

func TestNotes(t *testing.T) {
	r := result()
	for n, want := range []string{"x.in:3:1: not carried over: cores", "x.in:5:2: warning: odd"} {
		if got := r.Notes[n].String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := r.Summary(), "2 lines not carried over, 1 warning"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Notes = nil
	if got, want := r.Summary(), "everything was carried over"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Faults come in the order of files and lines, the main file first, and no more than can be read.
func TestFaults(t *testing.T) {
	var f Faults
	if f.Err("main") != nil {
		t.Error("an error without a fault")
	}
	f.Add(stack.Pos{File: "a.flp", Line: 1}, "", "third")
	f.Add(stack.Pos{File: "main", Line: 9}, "mend it", "second")
	f.AddError(stack.ErrorList{{Pos: stack.Pos{File: "main", Line: 2}, Msg: "first"}})
	if got, want := f.Err("main").Error(), "main:2: first\nmain:9: second; mend it\na.flp:1: third"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f.AddError(errors.New("placeless"))
	for n := range 1000 {
		f.Add(stack.Pos{File: "z", Line: n + 1}, "", "many")
	}
	var list stack.ErrorList
	if !errors.As(f.Err("main"), &list) || len(list) != 21 || list[20].Msg != "and 984 more errors" {
		t.Errorf("%d faults, the last %v", len(list), list[len(list)-1])
	}
}

func TestReadFile(t *testing.T) {
	_, err := inputfile.Read(t.TempDir() + "/none")
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(Reason(err), "/none") {
		t.Errorf("%v: %s", err, Reason(err))
	}
}
