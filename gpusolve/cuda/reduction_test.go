package cuda_test

import (
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/mesh"
)

// A GPU without memory to spare says so, gives back what it took, and solves on.
func TestReductionsWithoutMemory(t *testing.T) {
	full := 0 // allocation from which on there is no memory, 0 for never
	taken := 0
	drv := cudriver.Faulty(interpreter.New(interpreter.Options{NoRaces: true}), func(call string, _ int) error {
		if call == "cuMemAlloc" && full > 0 {
			if taken++; taken >= full {
				return &cudriver.Error{Call: call, Result: cudriver.OutOfMemory}
			}
		}
		return nil
	})
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	defer d.Bind()()
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 9}))
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	r, err := reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), BinsX: 2, BinsY: 2, PlanePeaks: true,
		Groups: [][]reduction.Rect{{{X: []float64{1, 1}, Y: []float64{1}, Z: 1}}},
		Points: []mesh.Sample{{Constant: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	on, before := s.(reduction.Reducer), d.Allocated()
	for full = 1; full <= 4; full++ {
		taken = 0
		if made, err := on.NewReduction(r); made != nil || err != nil || s.Err() != nil {
			t.Errorf("no memory for allocation %d: %v, errors %v and %v", full, made, err, s.Err())
		}
		if left := d.Allocated(); left != before {
			t.Errorf("no memory for allocation %d: %d bytes are kept", full, left-before)
		}
	}
	full, taken = 1, 0
	counts := make([]int32, m.Cells())
	q := reduction.Quanta{Factor: 1, Base: 300, Quantum: 0.02}
	if on.Quantise(x, 300, q, counts) || s.Err() != nil {
		t.Errorf("counted without memory, error %v", s.Err())
	}
	full = 0
	made, err := on.NewReduction(r)
	if err != nil {
		t.Fatal(err)
	}
	if v := made.Of(x, 300); v.Extents[0].Max != 300 || v.Points[0] != 1 || v.Peaks[3].Max != 300 ||
		v.Hottest() != 300 {
		t.Errorf("with memory again: %+v", v)
	}
	if !on.Quantise(x, 301, q, counts) || counts[len(counts)-1] != 50 {
		t.Errorf("with memory again: a count of %d, want 50", counts[len(counts)-1])
	}
}
