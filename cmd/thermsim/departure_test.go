package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"thermsim/internal/staging"
)

// A command that does not end by itself is left, unless something would be lost; a second signal ends it in any case.
func TestDeparture(t *testing.T) {
	for name, c := range map[string]struct {
		prepare       func(d *departure)
		second, leave bool
	}{
		"nothing begun":             {func(*departure) {}, false, true},
		"steps are finished":        {func(d *departure) { d.keep() }, false, false},
		"steps, second signal":      {func(d *departure) { d.keep() }, true, true},
		"commit goes on":            {func(d *departure) { d.commits("out") }, false, false},
		"commit hangs, second":      {func(d *departure) { d.commits("out") }, true, true},
		"commit is over":            {func(d *departure) { d.keep(); d.commits("out")(nil) }, false, true},
		"the command ended already": {func(d *departure) { d.gone = true }, true, false},
	} {
		status, said := -1, ""
		d := &departure{exit: func(s int) { status = s }, say: func(text string) { said = text }}
		c.prepare(d)
		d.leave(c.second)
		if left := status == exitInterrupted; left != c.leave || left != (said != "") {
			t.Errorf("%s: status %d, said %q", name, status, said)
		}
	}
}

// What was staged is removed on the way out.
func TestDepartureRemovesWhatWasStaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	tr, err := staging.Begin(dir, staging.Options{Command: "steady"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Create("map.png"); err != nil {
		t.Fatal(err)
	}
	d := &departure{exit: func(int) {}, say: func(string) {}}
	d.opened(tr)
	d.leave(false)
	for range 1000 { // the removal goes on where the machine is slow
		if _, err := os.Stat(filepath.Join(dir, ".thermsim", "new", "map.png")); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the staged file is still there")
}
