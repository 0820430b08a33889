package report

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"thermsim/gpusolve"
)

// pageOf writes the page of a run and returns its text.
func pageOf(t *testing.T, r *Run) string {
	t.Helper()
	dir := t.TempDir()
	out, err := NewOutputs(r.Mesh, 0, OutputOptions{Dir: dir, Page: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Last(0, 0, r.Solution.Field); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Finish(context.Background(), r, summarise(t, r), nil, nil); err != nil {
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
	for _, want := range []string{"three blocks under a lid", "in layer feol, block core", `id="hotspots"`, `id="blocks"`, "converged: tolerance reached", "10000 W/(m² K)", "within 0.01 K"} {
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
	r.Solution.Status.Converged, r.Solution.Status.Reason = false, gpusolve.ReasonIterations
	if text := pageOf(t, r); !strings.Contains(text, `class="caveat" role="alert">NOT CONVERGED`) || !strings.Contains(text, "NOT CONVERGED: iteration limit") {
		t.Error("the page does not say so")
	}
}

// Whatever fails, nothing is left: neither files nor the folder.
func TestOutputsLeaveNothingBehind(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := filepath.Join(t.TempDir(), "new")
	out, err := NewOutputs(r.Mesh, 2, OutputOptions{Dir: dir, Page: true, SaveAll: true, Formats: FieldFormats()})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Add(1, 1e-3, r.Solution.Field); err != nil {
		t.Fatal(err)
	}
	if err := out.Last(2, 2e-3, r.Solution.Field); err != nil {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := out.Finish(stopped, r, summarise(t, r), nil, nil); err == nil {
		t.Error("finished although cancelled")
	}
	out.Abort()
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("left behind: %q", names(t, dir))
	}
	if _, err := NewOutputs(r.Mesh, 0, OutputOptions{Dir: dir, Formats: []string{"hdf5"}}); err == nil || !strings.Contains(err.Error(), "there are vtr, npz") {
		t.Error(err)
	}
}
