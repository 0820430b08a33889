package checkpoint

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// numbers is a field whose planes and statistics are known.
type numbers struct{ base float64 }

func (n numbers) Plane(k int, dst []float64) error {
	for c := range dst {
		dst[c] = n.base + float64(k) + 0.1*float64(c)
	}
	return nil
}

func (n numbers) Reduce(*reduction.Regions) (*reduction.Values, error) {
	return &reduction.Values{
		Extents: []reduction.Extent{{Sum: n.base, Weight: 2, Min: math.Inf(1), Max: math.Copysign(0, -1), Rect: 1,
			Cell: -2, NonFinite: 3}},
		Points: []float64{n.base, math.NaN()}, Peaks: []reduction.Peak{{Max: 7, Plane: 1, Cell: 2}},
		PlanePeaks: []reduction.Peak{},
	}, nil
}

func (n numbers) Quantise(_ reduction.Quanta, counts []int32) (bool, error) {
	for c := range counts {
		counts[c] = int32(n.base) - int32(c)
	}
	return true, nil
}

// reading is what a recorder does with a step.
func reading(t *testing.T, f solution.Field) (all []uint64) {
	t.Helper()
	bits := func(values ...float64) {
		for _, v := range values {
			all = append(all, math.Float64bits(v))
		}
	}
	v, err := solution.Reduce(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := v.Extents[0]
	bits(e.Sum, e.Weight, e.Min, e.Max, float64(e.Rect), float64(e.Cell), float64(e.NonFinite), v.Peaks[0].Max,
		float64(v.Peaks[0].Cell))
	bits(v.Points...)
	if v.PlanePeaks == nil {
		t.Error("no peaks of planes")
	}
	plane := make([]float64, 3)
	if err := f.Plane(2, plane); err != nil {
		t.Fatal(err)
	}
	bits(plane...)
	counts := make([]int32, 2)
	if done, err := solution.ReducerOf(f).Quantise(reduction.Quanta{}, counts); !done || err != nil {
		t.Fatal(done, err)
	}
	return append(all, uint64(uint32(counts[0])), uint64(uint32(counts[1])))
}

func tell(t *testing.T, f *Files, n int) []uint64 {
	t.Helper()
	heard, err := f.Hear(solution.Step{Time: float64(n), MaxK: math.NaN(), Iterations: n, Converged: true},
		numbers{float64(n)})
	if err != nil {
		t.Fatal(err)
	}
	return reading(t, heard)
}

func save(t *testing.T, f *Files, history []Point, state string) {
	t.Helper()
	if err := f.Save(history, func(w io.Writer) error { _, err := io.WriteString(w, state); return err }); err != nil {
		t.Fatal(err)
	}
}

var facts = []Fact{{"--dt", "1 ms"}, {"stack.toml", strings.Repeat("ab", 32)}}

// What was read is read again, bit for bit, up to the last state, whatever came after it; and the run goes on from
// there.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, facts, "2 steps")
	if err != nil {
		t.Fatal(err)
	}
	var want [][]uint64
	history := []Point{{1, 1, 0.5}}
	want = append(want, tell(t, f, 1), tell(t, f, 2))
	save(t, f, history, "first")
	want = append(want, tell(t, f, 3))
	history = append(history, Point{3, 1, math.Inf(1)}, Point{3, 2, 0.1})
	save(t, f, history, "second")
	tell(t, f, 4) // is lost
	if err := f.log.sync(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f, err = Resume(dir, facts); err != nil {
			t.Fatal(err)
		}
		n := 0
		steps, was, state, err := f.Replay(func(s solution.Step, field solution.Field) error {
			got := reading(t, field)
			for i := range got {
				if got[i] != want[n][i] {
					t.Errorf("step %d: value %d differs", n+1, i)
				}
			}
			n++
			if s.Time != float64(n) || !math.IsNaN(s.MaxK) || s.Iterations != n || !s.Converged {
				t.Errorf("step %d is %+v", n, s)
			}
			return nil
		})
		if err != nil || len(steps) != 3 || len(was) != 3 || was[1] != history[1] || f.Interval != "2 steps" {
			t.Fatalf("%d steps, %v, interval %q: %v", len(steps), was, f.Interval, err)
		}
		text := make([]byte, 6)
		if _, err := io.ReadFull(state, text); err != nil || string(text) != "second" {
			t.Errorf("state %q, %v", text, err)
		}
		f.Close()
	}
}

// Whatever byte of the state or of its log is changed, and wherever they are cut, nothing is taken up.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, facts, "1 s")
	if err != nil {
		t.Fatal(err)
	}
	tell(t, f, 1)
	save(t, f, nil, "state")
	f.Close()
	for _, name := range []string{stateName, logName} {
		path := filepath.Join(dir, Folder, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(dir, facts); !errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "is a folder") {
			t.Errorf("%s as a folder: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		try := func(content []byte) {
			t.Helper()
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			if f, err := Resume(dir, facts); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v", name, err)
				if err == nil {
					f.Close()
				}
			}
		}
		for n := range whole {
			changed := append([]byte{}, whole...)
			changed[n] ^= 0x10
			try(changed)
			try(whole[:n])
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for want, other := range map[string][]Fact{
		"--dt was 1 ms, and is 2 ms":            {{"--dt", "2 ms"}, facts[1]},
		"stack.toml has changed":                {facts[0], {"stack.toml", strings.Repeat("cd", 32)}},
		"--dt was 1 ms, and is not set now":     {facts[1]},
		"--figures was not set, and is all now": {facts[0], facts[1], {"--figures", "all"}},
	} {
		if _, err := Resume(dir, other); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Resume(t.TempDir(), facts); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
}

// A state whose writing fails leaves the one before it.
func TestFailedSave(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, facts, "1 s")
	if err != nil {
		t.Fatal(err)
	}
	save(t, f, nil, "one")
	failed := errors.New("full")
	if err := f.Save(nil, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return failed }); !errors.Is(err,
		failed) {
		t.Errorf("got %v", err)
	}
	f.Close()
	if f, err = Resume(dir, facts); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Whether there is a checkpoint is never a guess.
func TestExists(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{dir, file, filepath.Join(dir, "nothing")} {
		if there, err := Exists(out); there || err != nil {
			t.Errorf("%s: %v, %v", out, there, err)
		}
	}
	if there, err := Exists(filepath.Join(dir, strings.Repeat("x", 5000))); there || err == nil {
		t.Errorf("a name that cannot be looked at: %v, %v", there, err)
	}
	f, err := Create(dir, facts, "1 s")
	if err != nil {
		t.Fatal(err)
	}
	save(t, f, nil, "one")
	f.Close()
	if there, err := Exists(dir); !there || err != nil {
		t.Errorf("after a save: %v, %v", there, err)
	}
}

// A state that cannot be removed keeps its log: alone it would be damaged, and no run could go on or begin.
func TestStateThatStays(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, facts, "1 s")
	if err != nil {
		t.Fatal(err)
	}
	save(t, f, nil, "one")
	state := filepath.Join(dir, Folder, stateName)
	if err := errors.Join(os.Remove(state), os.MkdirAll(filepath.Join(state, "in the way"), 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err == nil {
		t.Error("the state stays, and nothing is said")
	}
	if _, err := os.Stat(filepath.Join(dir, Folder, logName)); err != nil {
		t.Error(err)
	}
}
