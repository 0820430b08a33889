package cuda_test

import (
	"fmt"
	"math"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// Every operation on every shape where a launch has room for two blocks along y and z: almost all grids have more rows
// or planes.
func TestConformanceWithFewRows(t *testing.T) {
	open := devices.OnInterpreter(devices.FewRows())
	opstest.Run(t, open)
	opstest.Matrices(t, open)
}

// The limit of GPUs themselves: a mesh of more than 65,535 cells along y, or z, gives the operator and the factors of
// its columns that the processor makes.
func TestGridsBeyondTheLimit(t *testing.T) {
	for _, shape := range testtier.Pick([][2]int{{65537, 1}}, [][2]int{{65537, 1}, {1, 65537}}) {
		open := devices.OnInterpreter(interpreter.Options{StallLimit: math.MaxInt64, NoRaces: true})
		got, want := longGrid(t, open(t), shape[0], shape[1]), longGrid(t, host.Open(), shape[0], shape[1])
		for name, w := range want {
			most, apart := 0.0, 0.0
			for i, v := range w {
				most, apart = math.Max(most, math.Abs(v)), math.Max(apart, math.Abs(v-got[name][i]))
			}
			if !(apart <= 1e-5*most) || most == 0 {
				t.Errorf("%d cells along y, %d along z: %s is %g from the processor's, whose largest value is %g",
					shape[0], shape[1], name, apart, most)
			}
		}
	}
}

// longGrid assembles a single row of cells along y or z and applies what launches a block for each of them.
func longGrid(t *testing.T, dev ops.Device, ny, nz int) map[string][]float64 {
	t.Helper()
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 0.1},
		Grid: stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: ny}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{10, 20, 30}, C: 2e6},
			{Name: "n", K: [3]float64{1, 2, 3}, C: 1e6}},
	}
	for left := nz; left > 0; left -= 10000 {
		s.Layers = append(s.Layers, stack.Layer{Name: fmt.Sprint("l", left), Cells: min(left, 10000),
			Thickness: 1e-4 * float64(min(left, 10000))})
	}
	// Most rows are like the row below, and copied on the device.
	s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Rect{Y: 0.02, Width: 1e-3, Height: 0.05}}}
	s.Boundary[stack.East] = stack.Boundary{Kind: stack.Convective, H: 1e5, Temperature: 310} // a launch along y and z
	m, err := mesh.Build(s)
	must(t, err)
	sys, err := dev.Assemble(m, 0)
	must(t, err)
	defer dev.Close()
	defer sys.Free()
	l, err := multigrid.On(sys)
	must(t, err)
	fine, err := l.Finest()
	must(t, err)
	n := m.Cells()
	vector := func(level multigrid.Level) ops.Vector {
		v, err := l.NewVector(level)
		must(t, err)
		return v
	}
	all := map[string][]float64{}
	keep := func(name string, v ops.Vector) {
		all[name] = make([]float64, v.Len())
		sys.Read(v, all[name])
	}
	b, x, y := vector(fine), vector(fine), vector(fine)
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 + math.Sin(float64(i))
	}
	sys.Write(b, values)
	d, err := jacobi.On(sys)
	must(t, err)
	d.InverseDiagonal(y)
	keep("the inverse diagonal", y)
	l.Start(fine, x, b, 0.8)
	keep("Start", x)
	must(t, sys.Err())
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
