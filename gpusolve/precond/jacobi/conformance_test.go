package jacobi_test

import (
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// eps32 is rounding of a few FP32 operations.
const eps32 = 2e-6

func TestOperations(t *testing.T) { operations(t, devices.Processor) }
func TestOperationsOnInterpreter(t *testing.T) {
	operations(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestOperationsWithFewRows(t *testing.T) { operations(t, devices.OnInterpreter(devices.FewRows())) }
func TestOperationsOnGPU(t *testing.T)       { operations(t, devices.OnGPU(t)) }

// operations tests meshes, diagonals and rows.
func operations(t *testing.T, open func(testing.TB) ops.Device) {
	opstest.OnMeshes(t, open, func(f *opstest.Fixture) { diagonal(&f.Probe, f.Diagonal()) })
	opstest.OnMatrices(t, open, func(f *opstest.Algebra) {
		a := f.Matrix()
		d := make([]float64, a.N())
		for c := range d {
			d[c] = a.At(c, c)
		}
		diagonal(&f.Probe, d)
	})
}

// diagonal compares the operations with division by want.
func diagonal(f *opstest.Probe, want []float64) {
	f.Helper()
	k, err := jacobi.On(f.Space)
	if err != nil {
		f.Fatal(err)
	}
	d, z, r := f.Must(f.Space.New32()), f.Must(f.Space.New32()), f.Must(f.Space.New32())
	rv := f.Random(r)
	k.InverseDiagonal(d)
	k.Scale(z, d, r)
	inverse, scaled := f.Read(d), f.Read(z)
	for c, v := range want {
		f.Scalar("1/diag(A)", inverse[c], 1/v, eps32)
		f.Scalar("D^-1 r", scaled[c], rv[c]/v, eps32)
	}
	k.Scale(z, nil, r)
	f.Near("copy of r", f.Read(z), rv, 1, 0)
	if err := f.Space.Err(); err != nil {
		f.Fatal(err)
	}
}
