package verify

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// exact asks for the attainable accuracy: peers are compared to 1e-5 K.
var exact = gpusolve.Options{Device: "cpu", Tol: 1e-7}

func loadPeer(t *testing.T, path ...string) *stack.Stack {
	t.Helper()
	st, err := stackfile.Load(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func loadMaps(t *testing.T, path ...string) [][]float64 {
	t.Helper()
	m, err := readPeerFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return m.Values
}

// planeError is the largest difference in K between plane k of f and a peer's map of it.
func planeError(t *testing.T, f solution.Field, k int, want []float64) float64 {
	t.Helper()
	got := make([]float64, len(want))
	if err := f.Plane(k, got); err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for c := range want {
		// Not math.Max: a NaN must not pass.
		if d := math.Abs(got[c] - want[c]); !(d <= largest) {
			largest = d
		}
	}
	return largest
}

func judgePeer(t *testing.T, largest, tolerance float64) {
	t.Helper()
	t.Logf("largest difference %.2e K, tolerance %.0e K", largest, tolerance)
	if !(largest <= tolerance) {
		t.Errorf("largest difference %.2e K exceeds %.0e K", largest, tolerance)
	}
}

func steadyField(t *testing.T, st *stack.Stack) *solution.Solution {
	t.Helper()
	m, err := mesh.Build(st)
	if err != nil {
		t.Fatal(err)
	}
	s, err := gpusolve.Steady(t.Context(), m, exact)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Status.Converged {
		t.Fatalf("not converged: %+v", s.Status)
	}
	return s
}

// stepThrough runs the steps that the stack's file asks for.
func stepThrough(t *testing.T, st *stack.Stack, visit func(n int, f solution.Field)) {
	t.Helper()
	m, err := mesh.Build(st)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_, err = gpusolve.Transient(t.Context(), m, exact, gpusolve.TransientOptions{
		Steps: st.Transient.Steps, Dt: st.Transient.Dt,
		OnStep: func(s solution.Step, f solution.Field) error {
			if !s.Converged {
				t.Errorf("step %d did not converge", n)
			}
			visit(n, f)
			n++
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n != st.Transient.Steps {
		t.Fatalf("%d steps, want %d", n, st.Transient.Steps)
	}
}

// Planes of the 3D-ICE maps: logic and memory FEOL, and bond, TIM, spreader, sink.
var feolPlanes, otherPlanes = [2]int{1, 5}, [4]int{3, 7, 8, 9}

func Test3DICESteady(t *testing.T) {
	for _, name := range []string{"steady", "aniso"} {
		t.Run(name, func(t *testing.T) {
			f := steadyField(t, loadPeer(t, "3dice", name+".toml")).Field
			feol, other := loadMaps(t, "3dice", name+"_feol.fld.gz"), loadMaps(t, "3dice", name+"_other.fld.gz")
			largest := 0.0
			for i, k := range feolPlanes {
				largest = max(largest, planeError(t, f, k, feol[i]))
			}
			for i, k := range otherPlanes {
				largest = max(largest, planeError(t, f, k, other[i]))
			}
			judgePeer(t, largest, 1e-5)
		})
	}
}

// The FEOL layers are known after every step, the others at the end of each slot of ten.
func Test3DICETransient(t *testing.T) {
	const slot = 10
	st := loadPeer(t, "3dice", "transient.toml")
	feol, other := loadMaps(t, "3dice", "transient_feol.fld.gz"), loadMaps(t, "3dice", "transient_other.fld.gz")
	steps := st.Transient.Steps
	if len(feol) != 2*steps || len(other) != 4*steps/slot {
		t.Fatalf("%d and %d maps", len(feol), len(other))
	}
	largest := 0.0
	stepThrough(t, st, func(n int, f solution.Field) {
		for i, k := range feolPlanes {
			largest = max(largest, planeError(t, f, k, feol[i*steps+n]))
		}
		if n%slot == slot-1 {
			for i, k := range otherPlanes {
				largest = max(largest, planeError(t, f, k, other[i*steps/slot+n/slot]))
			}
		}
	})
	judgePeer(t, largest, 1e-5)
}

func TestHotSpotSteady(t *testing.T) {
	for _, cells := range []int{64, 128} {
		t.Run(strconv.Itoa(cells), func(t *testing.T) {
			st := loadPeer(t, "hotspot", "steady.toml")
			st.Grid.X.Cells, st.Grid.Y.Cells = cells, cells
			f := steadyField(t, st).Field
			largest := 0.0
			for k, want := range loadMaps(t, "hotspot", "steady_"+strconv.Itoa(cells)+".fld.gz") {
				largest = max(largest, planeError(t, f, k, want))
			}
			judgePeer(t, largest, 1e-4)
		})
	}
}

func TestHotSpotTransient(t *testing.T) {
	st := loadPeer(t, "hotspot", "transient.toml")
	maps := loadMaps(t, "hotspot", "transient_64.fld.gz")
	layers := len(st.Layers)
	if len(maps) != layers*st.Transient.Steps {
		t.Fatalf("%d maps", len(maps))
	}
	largest := 0.0
	stepThrough(t, st, func(n int, f solution.Field) {
		for k := range layers {
			largest = max(largest, planeError(t, f, k, maps[n*layers+k]))
		}
	})
	judgePeer(t, largest, 1e-4)
}

// Celsius is a finite-element solver, so its scattered points are compared with the interpolated field. The limits are
// what an independent finite-volume code finds on the same 80 x 80 x 40 cells (0.0044 and 0.013 K; 0.0039 and 0.148 K),
// plus half the last digit.
func TestCelsius(t *testing.T) {
	for _, c := range []struct {
		name          string
		mean, largest float64
	}{{"uniform", 0.005, 0.0135}, {"corner", 0.0045, 0.1485}} {
		t.Run(c.name, func(t *testing.T) {
			st := loadPeer(t, "celsius", c.name+".toml")
			m, err := mesh.Build(st)
			if err != nil {
				t.Fatal(err)
			}
			f, err := converged(m, steadyField(t, st))
			if err != nil {
				t.Fatal(err)
			}
			sum, largest := 0.0, 0.0
			points := readPoints(t, c.name+"_points.csv")
			for _, p := range points {
				d := math.Abs(st.Ambient + interpolate(f, p[0]*1e-3, p[1]*1e-3, p[2]*1e-3) - p[3])
				sum += d
				largest = math.Max(largest, d)
			}
			mean := sum / float64(len(points))
			t.Logf("%d points: mean difference %.4f K, largest %.4f K", len(points), mean, largest)
			if !(mean <= c.mean) || !(largest <= c.largest) {
				t.Errorf("mean difference %.4f K (limit %g), largest %.4f K (limit %g)", mean, c.mean, largest,
					c.largest)
			}
		})
	}
}

func readPoints(t *testing.T, name string) (points [][4]float64) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "celsius", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		var p [4]float64
		for i := range p {
			if p[i], err = strconv.ParseFloat(r[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		points = append(points, p)
	}
	return points
}

// interpolate is trilinear between cell centres and continues the outermost pair of cells up to the surface.
func interpolate(f *field, x, y, z float64) float64 {
	i, fx := bracket(f.X, x)
	j, fy := bracket(f.Y, y)
	k, fz := bracket(f.Z, z)
	sum := 0.0
	for c := range 8 {
		a, b, d := c&1, c>>1&1, c>>2
		sum += weightOf(a, fx) * weightOf(b, fy) * weightOf(d, fz) * f.at(i+a, j+b, k+d)
	}
	return sum
}

func weightOf(side int, fraction float64) float64 {
	if side == 1 {
		return fraction
	}
	return 1 - fraction
}

// bracket finds the pair of cells whose centres enclose x, or the outermost pair, and the weight of the second.
func bracket(faces []float64, x float64) (first int, fraction float64) {
	centre := func(i int) float64 { return (faces[i] + faces[i+1]) / 2 }
	last := len(faces) - 3
	for first < last && centre(first+1) < x {
		first++
	}
	return first, (x - centre(first)) / (centre(first+1) - centre(first))
}
