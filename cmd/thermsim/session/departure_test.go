package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/staging"
)

// A command that does not end by itself is left, unless something would be lost; a second signal ends it in any case.
func TestDeparture(t *testing.T) {
	for name, c := range map[string]struct {
		prepare       func(d *departure)
		second, leave bool
	}{
		"nothing begun":             {func(*departure) {}, false, true},
		"steps are finished":        {func(d *departure) { d.Keep() }, false, false},
		"steps, second signal":      {func(d *departure) { d.Keep() }, true, true},
		"commit goes on":            {func(d *departure) { d.commits("out") }, false, false},
		"commit hangs, second":      {func(d *departure) { d.commits("out") }, true, true},
		"commit is over":            {func(d *departure) { d.Keep(); d.commits("out")(nil) }, false, true},
		"the command ended already": {func(d *departure) { d.gone = true }, true, false},
	} {
		status, said := -1, ""
		d := &departure{Exit: func(s int) { status = s }, Say: func(text string) { said = text }}
		c.prepare(d)
		d.leave(c.second)
		if left := status == exit.Interrupted; left != c.leave || left != (said != "") {
			t.Errorf("%s: status %d, said %q", name, status, said)
		}
	}
}

// The message names results that are kept.
func TestDepartureKeeping(t *testing.T) {
	said := ""
	d := &departure{Exit: func(int) {}, Say: func(text string) { said = text }}
	d.Keeping("interrupted; kept")
	d.leave(false)
	if said != "interrupted; kept" {
		t.Errorf("said %q", said)
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
	d := &departure{Exit: func(int) {}, Say: func(string) {}}
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

// Saving what a transient finished survives one interrupt and ends with the second; the one that ended the solve
// counts.
func TestOutlast(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	signal := func(t *testing.T) {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Skipf("this system sends no interrupts: %v", err)
		}
	}
	ended := func(ctx context.Context, wait time.Duration) bool {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(wait):
			return false
		}
	}
	t.Run("interrupted solve", func(t *testing.T) {
		solve, cancel := context.WithCancel(context.Background())
		cancel()
		saving, stop := Outlast(solve)
		defer stop()
		if ended(saving, 20*time.Millisecond) {
			t.Fatal("saving ended with the solve")
		}
		signal(t)
		if !ended(saving, 10*time.Second) {
			t.Error("the second interrupt did not end saving")
		}
	})
	t.Run("finished solve", func(t *testing.T) {
		saving, stop := Outlast(context.Background())
		defer stop()
		signal(t)
		if ended(saving, 50*time.Millisecond) {
			t.Fatal("one interrupt ended saving")
		}
		signal(t)
		if !ended(saving, 10*time.Second) {
			t.Error("the second interrupt did not end saving")
		}
	})
	t.Run("stopped", func(t *testing.T) {
		saving, stop := Outlast(context.Background())
		stop()
		if !ended(saving, 10*time.Second) {
			t.Error("stop leaves the context open")
		}
	})
}
