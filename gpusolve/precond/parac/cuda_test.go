package parac

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// factorOf eliminates a matrix on a device and returns the factor with its report.
func factorOf(t *testing.T, d ops.Device, a *sparse.CSR, how choices) (*entries, Report) {
	t.Helper()
	defer d.Close()
	defer d.Bind()()
	sys, err := d.LoadCSR(a)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Free()
	f, err := eliminate(t, sys, how)
	if err != nil {
		t.Fatal(err)
	}
	return f.(tested).download(), f.report()
}

func TestConformanceOnInterpreter(t *testing.T) {
	conformance(t, devices.OnInterpreter(interpreter.Options{NoRaces: true}), devices.Processor)
}
func TestConformanceOnGPU(t *testing.T) { conformance(t, devices.OnGPU(t), devices.Processor) }

// Orders in which warps and blocks take turns give the same bits as the processor, with the search for data races on.
func TestInterpreterDoesNotDependOnScheduling(t *testing.T) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(3, 4)), 30)
	how := choices{order: ByEntries, seed: 6}
	want, _ := factorOf(t, host.Open(), a, how)
	cache := new(interpreter.Cache)
	for seed := range testtier.Pick(int64(5), 20) {
		d := devices.Interpreter(t, interpreter.Options{Seed: seed, Cache: cache})
		got, report := factorOf(t, d, a, how)
		if err := sameEntries(want, got); err != nil || report.Retries != 0 {
			t.Fatalf("seed %d: %v, %d retries", seed, err, report.Retries)
		}
	}
}

// Memory that turns out too small is taken larger, until the factor is the one that room enough gives.
func TestMemoryGrows(t *testing.T) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(5, 6)), 150)
	how := choices{order: ByEntries, seed: 6, memoryFactor: 0.01}
	want, _ := factorOf(t, host.Open(), a, how)
	d := devices.Interpreter(t, interpreter.Options{NoRaces: true})
	got, report := factorOf(t, d, a, how)
	if err := sameEntries(want, got); err != nil || report.Retries < 2 {
		t.Fatalf("%v, %d retries", err, report.Retries)
	}
}
