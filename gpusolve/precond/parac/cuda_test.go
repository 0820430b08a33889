package parac

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/ptx"
	"thermsim/gpusolve/sparse"
)

// factorOf eliminates a matrix on a device and returns the factor with its report.
func factorOf(t *testing.T, d ops.Device, a *sparse.CSR, how choices) (*entries, Report) {
	t.Helper()
	defer d.Close()
	defer d.Bind()()
	sys, err := d.(ops.Matrices).LoadCSR(a)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Free()
	f, err := eliminate(t, sys, how)
	if err != nil {
		t.Fatal(err)
	}
	return f.download(), f.report()
}

func TestConformanceOnInterpreter(t *testing.T) {
	cache := new(ptx.Cache)
	conformance(t, func(t testing.TB) ops.Device {
		d, err := cuda.Open(ptx.New(ptx.Options{Cache: cache, NoRaces: true}), 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Bind())
		return d
	}, func(testing.TB) ops.Device { return host.Open() })
}

func TestConformanceOnGPU(t *testing.T) {
	open := func(t testing.TB) *cuda.Device {
		drv, err := cu.Open()
		if err != nil {
			t.Skipf("needs a GPU: %v", err)
		}
		d, err := cuda.Open(drv, 0)
		if err != nil {
			t.Skipf("needs a GPU: %v", err)
		}
		return d
	}
	open(t).Close()
	conformance(t, func(t testing.TB) ops.Device {
		d := open(t)
		t.Cleanup(d.Bind())
		return d
	}, func(testing.TB) ops.Device { return host.Open() })
}

// Twenty orders in which warps and blocks take turns give the same bits as the processor, with the search for data races on.
func TestInterpreterDoesNotDependOnScheduling(t *testing.T) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(3, 4)), 30)
	how := choices{order: ByEntries, seed: 6}
	want, _ := factorOf(t, host.Open(), a, how)
	cache := new(ptx.Cache)
	for seed := range int64(20) {
		d, err := cuda.Open(ptx.New(ptx.Options{Seed: seed, Cache: cache}), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, report := factorOf(t, d, a, how)
		if err := sameEntries(want, got); err != nil || report.Retries != 0 {
			t.Fatalf("seed %d: %v, %d retries", seed, err, report.Retries)
		}
	}
}

// Memory that turns out too small is taken larger, until the factor is the one that room enough gives.
func TestMemoryGrows(t *testing.T) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(5, 6)), 150)
	how := choices{order: ByEntries, seed: 6, room: 0.01}
	want, _ := factorOf(t, host.Open(), a, how)
	d, err := cuda.Open(ptx.New(ptx.Options{NoRaces: true}), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, report := factorOf(t, d, a, how)
	if err := sameEntries(want, got); err != nil || report.Retries < 2 {
		t.Fatalf("%v, %d retries", err, report.Retries)
	}
}
