package saved

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack/stackfile"
)

const sample = `schema = 1
title = "saved"
ambient = "300 K"
size = ["4 mm", "3 mm"]
grid = { nx = 9, ny = 7 }
boundary.top = { h = 1e4 }

[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
cells = 2
  [[layer.block]]
  name = "core"
  x = "1 mm"
  y = "1 mm"
  width = "1 mm"
  height = "1 mm"
  power = "3 W"
`

func sampleMesh(t *testing.T) *mesh.Mesh {
	t.Helper()
	s, err := stackfile.Parse("in/stack.toml", []byte(sample), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type formula float64

func (f formula) Plane(k int, dst []float64) error {
	for n := range dst {
		dst[n] = float64(f) + float64(k)/3 + math.Sqrt(float64(n))
	}
	return nil
}

func solved() *solution.Solution {
	return &solution.Solution{
		Status: solution.Status{Method: "pcg", Preconditioner: "multigrid", Iterations: 3, IterationsTotal: 7,
			ResidualW: 1e-9, EstimatedErrorK: 2e-5, Converged: true, Reason: "tolerance reached"},
		Energy: solution.Energy{In: 3, Out: 2, Stored: 1, ByFace: [6]float64{0, 2}, Scale: 3, ImbalanceRel: 1e-9},
		PeakK:  330, Device: solution.DeviceInfo{Kind: "cpu", Name: "x"}, Dt: 0.5,
		Steps: []solution.Step{{Time: 0.5, MaxK: 310, PowerW: 3, Iterations: 4, Converged: true},
			{Time: 1, MaxK: 330, PowerW: 3, Iterations: 3, Converged: true}},
	}
}

// write saves two steps and returns the path.
func write(t *testing.T, m *mesh.Mesh) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, m.NX()*m.NY())
	for _, step := range []int{1, 2} {
		if err := w.Step(step, m.NZ(), formula(300+10*step)); err != nil {
			t.Fatal(err)
		}
	}
	about := Describe("transient", "1.0", m.Stack, solved())
	about.History = []Iteration{{1, 1, 0.5}, {1, 2, Number(math.NaN())}}
	if err := w.Close(about, m.Stack, strings.NewReader("time_s\n")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A saved run gives back the same bits, the same mesh and what the solver told.
func TestRoundTrip(t *testing.T) {
	m := sampleMesh(t)
	r, err := Open(filepath.Dir(write(t, m)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if diff := cmp.Diff(m.X, r.Mesh.X) + cmp.Diff(m.Z, r.Mesh.Z) +
		cmp.Diff(m.Power.Layers[0].Watts(), r.Mesh.Power.Layers[0].Watts()); diff != "" {
		t.Error(diff)
	}
	if r.Mesh.Stack.File != "in/stack.toml" || r.Mesh.Stack.Inputs[0] != m.Stack.Inputs[0] {
		t.Errorf("inputs %v", r.Mesh.Stack.Inputs)
	}
	want := solved()
	got := r.Manifest.Solution()
	if diff := cmp.Diff(want.Status, got.Status) + cmp.Diff(want.Energy, got.Energy) +
		cmp.Diff(want.Steps, got.Steps); diff != "" {
		t.Error(diff)
	}
	if r.Last() != 2 || r.TimeOf(1) != 0.5 || r.TimeOf(2) != want.Steps[1].Time || !math.IsNaN(r.TimeOf(0)) ||
		!math.IsNaN(r.TimeOf(3)) {
		t.Errorf("last %d, time %g", r.Last(), r.TimeOf(1))
	}
	rows, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if trace, err := io.ReadAll(rows); errors.Join(err, rows.Close()) != nil || string(trace) != "time_s\n" ||
		!r.HasTrace() {
		t.Errorf("trace %q, %v", trace, err)
	}
	if h := r.Manifest.History; len(h) != 2 || h[0].ErrorK != 0.5 || !math.IsNaN(float64(h[1].ErrorK)) {
		t.Errorf("history %v", h)
	}
	a, b := make([]float64, 63), make([]float64, 63)
	for _, step := range []int{1, 2} {
		f, err := r.Field(step)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			if err := f.Plane(k, a); err != nil {
				t.Fatal(err)
			}
			if err := formula(300+10*step).Plane(k, b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("step %d, plane %d: %s", step, k, diff)
			}
		}
		if err := f.Plane(2, a); err == nil {
			t.Error("a plane above the top")
		}
	}
	if _, err := r.Field(3); err == nil || !strings.Contains(err.Error(), "which holds steps [1 2]") {
		t.Errorf("a step that is not there: %v", err)
	}
}

// A flipped bit in a field is found, a cut file is refused, and messages say what to do.
func TestDamage(t *testing.T) {
	path := write(t, sampleMesh(t))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, []byte("plane_0000.f64")) + 100
	flipped := bytes.Clone(whole)
	flipped[at] ^= 4
	bad := filepath.Join(t.TempDir(), "bad.zip")
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":   {whole[:len(whole)/2], "is not a saved run, or was cut short; solve again with --save last"},
		"empty": {nil, "is not a saved run"},
		"bit":   {flipped, "is damaged, step 1"},
	} {
		if err := os.WriteFile(bad, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(bad, nil)
		if err == nil {
			var f *Field
			if f, err = r.Field(1); err == nil {
				err = f.Plane(0, make([]float64, 63))
			}
			_ = r.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Open(t.TempDir(), nil); err == nil ||
		!strings.Contains(err.Error(), "run.zip is missing; solve again with --save last") {
		t.Error(err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// A step of more bytes than a buffer holds is not taken for saved where nothing can be written, whether temperatures or
// the heads of their planes meet the end of the room first; nor is an archive.
func TestStepsThatCannotBeWritten(t *testing.T) {
	const planes = 20
	for cells := 64; cells < 600; cells++ { // 10 to 96 kB; archives are written in pieces of 4 kB
		w := NewWriter(full{}, cells)
		if err := w.Step(1, planes, formula(300)); !errors.Is(err, io.ErrShortWrite) || len(w.Steps()) > 0 {
			t.Fatalf("planes of %d cells: %v, steps %v are saved", cells, err, w.Steps())
		}
	}
	w := NewWriter(full{}, 1)
	if err := w.Close(Manifest{}, sampleMesh(t).Stack, nil); err == nil {
		t.Error("an archive ends that was not written")
	}
}
