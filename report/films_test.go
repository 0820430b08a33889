package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/samples"
	"thermsim/stack"
)

// TestFilms tells of a face that radiates from cells that conduct so well that its surface has their temperature.
func TestFilms(t *testing.T) {
	s := samples.Stack(8, 6)
	for i := range s.Materials {
		s.Materials[i].K = [3]float64{1e9, 1e9, 1e9}
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, Temperature: 300,
		Film: stack.Film{Emissivity: 0.5, Natural: "up", Length: 1e-3}}
	r := sampleRun(t, 8, 6)
	r.Mesh = samples.Build(t, s)
	r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: func(float64, float64, float64) float64 { return 350 }}
	sum, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Energy.Films) != 1 {
		t.Fatalf("%+v", sum.Energy.Films)
	}
	f := sum.Energy.Films[0]
	radiated := 0.5 * 5.670374419e-8 * (math.Pow(350, 4) - math.Pow(300, 4)) * s.Size[0] * s.Size[1]
	if math.Abs(f.RadiationW-radiated) > 1e-6*radiated || math.Abs(f.SurfaceMaxK-350) > 1e-4 ||
		math.Abs(f.MeanH*50*s.Size[0]*s.Size[1]-f.RadiationW-f.ConvectionW) > 1e-6*radiated {
		t.Errorf("%+v, want %g W of radiation", f, radiated)
	}
	if !(f.Rayleigh > 1 && f.Rayleigh < 10) || !strings.Contains(f.Outside, "is outside 1e+04 to 1e+11") {
		t.Errorf("%+v", f)
	}
	var text bytes.Buffer
	if err := printout.Write(&text, sum, printout.Style{Details: true}); err != nil ||
		!strings.Contains(text.String(), "film       top mean h ") {
		t.Errorf("%v\n%s", err, text.String())
	}
	r.Mesh.Stack.Boundary[stack.Top].Film = stack.Film{Emissivity: 0.5} // which is known at any temperature
	if sum, err := Summarise(r); err != nil || len(sum.Energy.Films) != 1 || sum.Energy.Films[0].Outside != "" {
		t.Errorf("%v, %+v", err, sum.Energy.Films)
	}
	if sum, err := Summarise(sampleRun(t, 8, 6)); err != nil || sum.Energy.Films != nil {
		t.Errorf("%v, %+v", err, sum.Energy.Films)
	}
}

// remote is a field that takes statistics itself.
type remote struct {
	samples.Field
	read *[]int // planes
}

func (f remote) Plane(k int, dst []float64) error {
	*f.read = append(*f.read, k)
	return f.Field.Plane(k, dst)
}
func (f remote) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	return solution.ReducePlanes(f.Field, r)
}
func (f remote) Quantise(reduction.Quanta, []int32) (bool, error) { return false, nil }

// TestFilmsOfSides reads the planes of bottom and top alone, and no others, to sum the films of all faces.
func TestFilmsOfSides(t *testing.T) {
	s := samples.Stack(8, 6)
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, Temperature: 300, H: 5,
			Film: stack.Film{Emissivity: 0.5}}
	}
	m := samples.Build(t, s)
	whole := samples.Field{Mesh: m, Of: func(x, y, z float64) float64 { return 320 + 3e3*x + 2e3*y + 1e4*z }}
	want, err := summariseFilms(m, whole.Plane)
	var read []int
	got, err2 := summariseFilms(m, outermost(m, remote{whole, &read}))
	if diff := cmp.Diff(want, got); err != nil || err2 != nil || diff != "" || len(got) != stack.NumFaces {
		t.Errorf("%v, %v, %s", err, err2, diff)
	}
	if diff := cmp.Diff([]int{0, m.NZ() - 1}, read); diff != "" || m.NZ() < 3 {
		t.Errorf("planes %v of %d are read", read, m.NZ())
	}
}
