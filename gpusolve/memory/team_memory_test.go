package memory_test

import (
	"sync"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// What is stated for a rank covers what any of them takes, and wastes little.
func TestNeedOfRanks(t *testing.T) {
	for name, s := range map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: 128}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: 128})),
		"graded":      cases.Graded(cases.Stack10(cases.Options{NX: 60, NY: 150}), 4),
	} {
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 4} {
			for turn := range 4 {
				inTime, method := turn%2 == 1, []string{"", "multigrid"}[turn/2]
				devices, held := make([]*host.Device, n), make([]int64, n)
				groups := ranks.Local(n)
				var wait sync.WaitGroup
				for r := range n {
					devices[r] = host.Open()
					wait.Go(func() { held[r] = heldByRank(t, m, devices[r], groups[r], method, inTime) })
				}
				wait.Wait()
				taken, most := int64(0), int64(0)
				for r, d := range devices {
					taken, most = max(taken, d.Peak()), max(most, held[r])
				}
				solves.Compare(t, name+" "+method, memory.OfRanks(m, method, inTime, false, n), taken,
					most, true)
			}
		}
	}
}

// heldByRank is what a rank holds at the end of a solve.
func heldByRank(t *testing.T, m *mesh.Mesh, dev ops.Device, g ranks.Group, method string, inTime bool) int64 {
	o := gpusolve.Options{Executor: dev, Preconditioner: method, MaxIter: 1, RTol: 1e-3, Ranks: g}
	var s *gpusolve.Solution
	var err error
	if inTime {
		s, err = gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: 1e-3})
	} else {
		s, err = gpusolve.Steady(t.Context(), m, o)
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	defer s.Close()
	return s.Memory.DeviceBytes
}

// The same where GPUs share the direct solver.
func TestNeedOfDirectRanksOnInterpreters(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 21, NY: 26}))
	if err != nil {
		t.Fatal(err)
	}
	for _, inTime := range []bool{false, true} {
		groups := ranks.Local(2)
		var gpus [2]*cuda.Device
		var wait sync.WaitGroup
		for r := range gpus {
			gpus[r] = solves.Interpreted(t)
			wait.Go(func() { heldByRank(t, m, gpus[r], groups[r], "fourier", inTime) })
		}
		wait.Wait()
		taken := max(gpus[0].Peak(), gpus[1].Peak())
		solves.Compare(t, "two GPUs, direct", memory.OfRanks(m, "fourier", inTime, true, 2), taken, taken,
			false)
	}
}
