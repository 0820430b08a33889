package verify

import (
	"math"
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

// Conductivities 2 % too high must fail, by far.
func TestPerturbedPeers(t *testing.T) {
	for _, c := range []struct {
		simulator, stack, maps string
		planes                 []int
		least                  float64 // K
	}{
		{"3dice", "steady", "steady_feol", feolPlanes[:], 0.05},
		{"3dice", "aniso", "aniso_feol", feolPlanes[:], 0.05},
		{"hotspot", "steady", "steady_64", []int{0, 1, 2, 3, 4}, 0.05},
	} {
		st := loadPeer(t, c.simulator, c.stack+".toml")
		for m := range st.Materials {
			perturbConductivity(&st.Materials[m])
		}
		f := steadyField(t, st).Field
		largest := 0.0
		for i, want := range loadMaps(t, c.simulator, c.maps+".fld.gz") {
			largest = max(largest, planeError(t, f, c.planes[i], want))
		}
		t.Logf("%s, %s: largest difference %.3f K", c.simulator, c.stack, largest)
		if !(largest > c.least) {
			t.Errorf("%s, %s: largest difference %.3g K, which is too close", c.simulator, c.stack, largest)
		}
	}
}

// The FEOL layers are known after every step, the others at the end of each slot of ten. Heat capacities 2 % too high
// must fail in the first slot, by far.
func Test3DICETransient(t *testing.T) {
	const slot = 10
	st := loadPeer(t, "3dice", "transient.toml")
	feol, other := loadMaps(t, "3dice", "transient_feol.fld.gz"), loadMaps(t, "3dice", "transient_other.fld.gz")
	steps := st.Transient.Steps
	if len(feol) != 2*steps || len(other) != 4*steps/slot {
		t.Fatalf("%d and %d maps", len(feol), len(other))
	}
	var largest float64
	compare := func(n int, f solution.Field) {
		for i, k := range feolPlanes {
			largest = max(largest, planeError(t, f, k, feol[i*steps+n]))
		}
		if n%slot == slot-1 {
			for i, k := range otherPlanes {
				largest = max(largest, planeError(t, f, k, other[i*steps/slot+n/slot]))
			}
		}
	}
	stepThrough(t, st, compare)
	judgePeer(t, largest, 1e-5)
	largest, st.Transient.Steps = 0, slot
	perturbCapacities(st)
	stepThrough(t, st, compare)
	judgePerturbed(t, largest)
}

func perturbCapacities(st *stack.Stack) {
	for m := range st.Materials {
		st.Materials[m].C *= 1.02
	}
}

func judgePerturbed(t *testing.T, largest float64) {
	t.Helper()
	t.Logf("largest difference with heat capacities 2 %% higher %.3f K", largest)
	if !(largest > 0.02) {
		t.Errorf("largest difference with heat capacities 2 %% higher %.3g K, expected more than 0.02 K", largest)
	}
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
	var largest float64
	compare := func(n int, f solution.Field) {
		for k := range layers {
			largest = max(largest, planeError(t, f, k, maps[n*layers+k]))
		}
	}
	stepThrough(t, st, compare)
	judgePeer(t, largest, 1e-4)
	largest, st.Transient.Steps = 0, 10
	perturbCapacities(st)
	stepThrough(t, st, compare)
	judgePerturbed(t, largest)
}
