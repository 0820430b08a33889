package report

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"thermsim/gpusolve/solution"
)

// pageOf writes the page of a run and returns its text.
func pageOf(t *testing.T, r *Run) string {
	t.Helper()
	dir := t.TempDir()
	files := begin(t, dir, nil)
	out, err := NewRecording(files, r, 0, Options{}, OutputOptions{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, PageName))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Without scripts the page still tells the outcome, and it names no other address.
func TestPageIsCompleteAndSelfContained(t *testing.T) {
	text := pageOf(t, sampleRun(t, 30, 24))
	for _, want := range []string{"three blocks under a lid", "in layer feol, block core", `id="hotspots"`,
		`id="blocks"`, "converged: tolerance reached", "10000 W/(m² K)", "at most 0.01 K"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := regexp.MustCompile(`(https?:|src=|@import|url\()[^"\s]*`).FindString(text); found != "" {
		t.Errorf("the page refers to %s", found)
	}
	if strings.Contains(text, "NOT CONVERGED") {
		t.Error("a caveat without a reason")
	}
}

// Names cannot break out of the page, wherever they stand in it.
func TestPageSurvivesStrangeNames(t *testing.T) {
	const strange = `</script><script>alert("x")</script><!--fields-->`
	r := sampleRun(t, 10, 8)
	s := r.Mesh.Stack
	s.Title, s.Layers[1].Name, s.Layers[1].Powers[0].Blocks[0].Name = strange, strange+"2", strange+"3"
	text := pageOf(t, r)
	if n := strings.Count(text, "<script"); n != 3 { // data, one frame, the scripts
		t.Errorf("%d scripts", n)
	}
	if strings.Contains(text, `alert("x")`) || strings.Contains(text, "<!--") {
		t.Error("a name stands in the page as it is")
	}
}

func TestPageShoutsWhenNotConverged(t *testing.T) {
	r := sampleRun(t, 10, 8)
	r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonIterations
	if text := pageOf(t, r); !strings.Contains(text, `class="caveat" role="alert">NOT CONVERGED`) ||
		!strings.Contains(text, "NOT CONVERGED: iteration limit") {
		t.Error("the page does not say so")
	}
}

// Whatever fails, nothing is left: neither files nor the folder.
func TestRecordingLeavesNothingBehind(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := filepath.Join(t.TempDir(), "new")
	files := begin(t, dir, nil)
	out, err := NewRecording(files, r, 2, Options{}, OutputOptions{Page: true, SaveAll: true, Formats: FieldFormats()})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		step := solution.Step{Time: 1e-3 * float64(n+1)}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Step(n+1, step, r.Solution.Field); err != nil {
			t.Fatal(err)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := out.Finish(stopped, nil); err == nil {
		t.Error("finished although cancelled")
	}
	files.Abort()
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("left behind: %q", names(t, dir))
	}
	again := begin(t, dir, nil)
	if _, err := NewRecording(again, r, 0, Options{}, OutputOptions{Formats: []string{"hdf5"}}); err == nil ||
		!strings.Contains(err.Error(), "expected one of vtr, npz") {
		t.Error(err)
	}
}

// countedField counts how often each plane is fetched.
type countedField struct {
	solution.Field
	fetched map[int]int
}

func (c countedField) Plane(k int, dst []float64) error {
	c.fetched[k]++
	return c.Field.Plane(k, dst)
}

// Trace, page, saved run, field files and animation look at a step's field, and the tables, maps and figures at the
// last one: every plane comes from the device once a step, and once more for the end.
func TestFieldsAreFetchedOnce(t *testing.T) {
	const steps = 3
	r := sampleRun(t, 10, 8)
	field := countedField{r.Solution.Field, map[int]int{}}
	r.Solution.Field = field
	out, err := NewRecording(begin(t, t.TempDir(), nil), r, steps,
		Options{Maps: []string{"all"}, Figures: []string{"all"}, At: [2]float64{math.NaN(), math.NaN()}},
		OutputOptions{Page: true, SaveAll: true, Formats: FieldFormats(),
			FileSteps: []StepRange{{From: 1, To: 2, Every: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range steps {
		step := solution.Step{Time: 1e-3 * float64(n+1), MaxK: 370}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Step(n+1, step, field); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for k := range r.Mesh.NZ() {
		if field.fetched[k] != steps+1 {
			t.Errorf("plane %d was fetched %d times in %d steps", k, field.fetched[k], steps)
		}
	}
	files := &fieldFiles{options: OutputOptions{Formats: FieldFormats(), FileSteps: []StepRange{{2, 4, 2}}}}
	for n, want := range []bool{true, false, true, false, true, false} { // 0 is a steady state
		if got := files.Reads(n); got != want {
			t.Errorf("field files read step %d: %t", n, got)
		}
	}
}
