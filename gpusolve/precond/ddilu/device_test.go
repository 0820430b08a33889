package ddilu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

func TestBricksOnHost(t *testing.T) { conformBricks(t, devices.Processor) }
func TestPartsOnHost(t *testing.T)  { conformParts(t, devices.Processor) }
func TestBricksOnInterpreter(t *testing.T) {
	conformBricks(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestPartsOnInterpreter(t *testing.T) {
	conformParts(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestBricksWithFewRows(t *testing.T) { conformBricks(t, devices.OnInterpreter(devices.FewRows())) }
func TestBricksOnGPU(t *testing.T)       { conformBricks(t, devices.OnGPU(t)) }
func TestPartsOnGPU(t *testing.T)        { conformParts(t, devices.OnGPU(t)) }

// methodOn sets ddilu up.
func methodOn(t testing.TB, s ops.Operator, settings string) *Preconditioner {
	t.Helper()
	set, err := precond.Parse(settings, Keys())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The order in which blocks and warps take turns changes no bit, whether threads wait at barriers or for rows, with
// more blocks than the device holds.
func TestBricksGiveTheSameBitsInAnyOrder(t *testing.T) {
	symmetric := opstest.RandomDiagonals(rand.New(rand.NewPCG(1, 1)), [3]int{11, 9, 7}, true)
	general := opstest.RandomDiagonals(rand.New(rand.NewPCG(2, 1)), [3]int{11, 9, 7}, false)
	graph := opstest.RandomGraph(rand.New(rand.NewPCG(3, 1)), 200)
	cache := new(interpreter.Cache)
	for name, c := range map[string]struct {
		load     func(d ops.Device) (ops.Operator, error)
		settings string
	}{
		"symmetric": {func(d ops.Device) (ops.Operator, error) { return d.LoadDiagonals(symmetric) }, "rows=60"},
		"general":   {func(d ops.Device) (ops.Operator, error) { return d.LoadDiagonals(general) }, "rows=60"},
		"spinning": {func(d ops.Device) (ops.Operator, error) {
			return d.LoadDiagonals(general)
		}, "rows=60,form=spin"},
		"parts": {func(d ops.Device) (ops.Operator, error) { return d.LoadCSR(graph) }, "rows=30"},
		"FP64": {func(d ops.Device) (ops.Operator, error) {
			return d.LoadDiagonals(general)
		}, "rows=60,precision=fp64"},
		"FP64 rows": {func(d ops.Device) (ops.Operator, error) { return d.LoadCSR(graph) }, "rows=30,precision=fp64"},
	} {
		var first []float64
		for seed := range testtier.Pick(int64(4), 20) {
			d := devices.Interpreter(t, interpreter.Options{Seed: seed, SMs: 1, Cache: cache})
			s, err := c.load(d)
			if err != nil {
				t.Fatal(err)
			}
			m := methodOn(t, s, c.settings)
			z, r := single(t, s), single(t, s)
			v := make([]float64, z.Len())
			for i := range v {
				v[i] = float64(i%17) - 8
			}
			s.Write(r, v)
			m.Apply(z, r)
			s.Read(z, v)
			if err := s.Err(); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if first == nil {
				first = v
			} else if !slices.Equal(first, v) {
				t.Errorf("%s: seed %d changes the result", name, seed)
			}
			s.Free()
			d.Close()
		}
	}
}

func single(t testing.TB, s ops.Operator) ops.Vector {
	t.Helper()
	v, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Bricks too large for the device's shared memory are refused before anything runs.
func TestBricksBeyondSharedMemory(t *testing.T) {
	d := devices.Interpreter(t, interpreter.Options{})
	defer d.Close()
	s, err := d.LoadDiagonals(opstest.Layered([3]int{30, 30, 30}, func(int) float64 { return 1 }))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	set, _ := precond.Parse("rows=20000", Keys())
	if _, err := New(s, set); err == nil || s.Err() != nil {
		t.Errorf("error %v, device %v", err, s.Err())
	}
}
