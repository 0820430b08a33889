package report

import (
	"sync/atomic"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/field"
)

// readUntil is a field that must not be read once it is gone.
type readUntil struct {
	solution.Field
	gone  *atomic.Bool
	after *atomic.Int64
}

func (f readUntil) Plane(k int, dst []float64) error {
	if f.gone.Load() {
		f.after.Add(1)
	}
	return f.Field.Plane(k, dst)
}

// OnRead comes once, when nobody reads the field of a steady state any more; where that is not sure, not at all.
func TestOnRead(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		kept    OutputOptions
		told    int64
	}{
		"page and saved run": {Options{}, OutputOptions{Page: true, SaveLast: true}, 1},
		"fields":             {Options{}, OutputOptions{Page: true, Formats: []string{"npz"}}, 1},
		"figures":            {Options{Figures: []string{"panels"}}, OutputOptions{Page: true}, 0},
	} {
		r := sampleRun(t, 12, 10)
		var gone atomic.Bool
		var told, after atomic.Int64
		r.Solution.Field = readUntil{r.Solution.Field, &gone, &after}
		files := begin(t, t.TempDir(), nil)
		box := field.GridOf(r.Mesh).Whole()
		c.kept.Box = &box
		w, err := NewRecording(files, r, 0, c.options, c.kept)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		w.OnRead = func() {
			gone.Store(true)
			told.Add(1)
			close(ended)
		}
		if _, err := w.Finish(t.Context(), nil); err != nil {
			t.Fatal(name, err)
		}
		if c.told > 0 {
			<-ended
		}
		if told.Load() != c.told || after.Load() > 0 {
			t.Errorf("%s: told %d times, %d planes were read after that", name, told.Load(), after.Load())
		}
		if _, err := files.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
