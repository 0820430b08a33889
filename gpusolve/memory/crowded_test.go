package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// another is a second program on a device: it takes all but so much memory.
func another(t *testing.T, m *interpreter.Machine, leaves int64) {
	t.Helper()
	if err := m.Init(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.DevicePrimaryCtxRetain(0); err != nil {
		t.Fatal(err)
	}
	free, _, err := m.MemGetInfo()
	if err == nil {
		_, err = m.MemAlloc(free - leaves)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// late has another program take the memory after a number of allocations: between the look at what is free and the use
// of it.
type late struct {
	*interpreter.Machine
	t     *testing.T
	after int
}

func (l *late) MemAlloc(bytes int64) (cudriver.DevicePtr, error) {
	if l.after--; l.after == 0 {
		another(l.t, l.Machine, 100)
	}
	return l.Machine.MemAlloc(bytes)
}

// crammed is a device on which not even a context fits.
type crammed struct{ cudriver.Driver }

func (crammed) DevicePrimaryCtxRetain(cudriver.Device) (cudriver.Context, error) {
	return 0, &cudriver.Error{Call: "cuDevicePrimaryCtxRetain", Result: cudriver.OutOfMemory}
}

// Memory that another program holds ends a solve that was to be on the GPU with what is needed, free and there in all;
// where the choice is free, the processor solves.
func TestAnotherProgramHoldsTheMemory(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 40}))
	open := func() *interpreter.Machine {
		return devices.Machine(interpreter.Options{NoRaces: true, Memory: 2 << 30})
	}
	early := func() cudriver.Driver {
		m := open()
		another(t, m, 500_000)
		return m
	}
	for name, c := range map[string]struct {
		driver func() cudriver.Driver
		says   []string
	}{
		"before it begins": {early,
			[]string{"the solve needs 0.0 GB", "0.0 GB free of 2.1 GB", "other programs hold the rest (nvidia-smi " +
				"lists them)"}},
		"in its set-up": {func() cudriver.Driver {
			return &late{open(), t, 4}
		}, []string{"GB asked for", "0.00 GB of 2.15 GB free", "in use by this run", "free the GPU of other work"}},
		"before a context": {func() cudriver.Driver {
			return crammed{open()}
		}, []string{"not even a context fits", "2.1 GB", "free the GPU of other work"}},
	} {
		_, err := gpusolve.Steady(t.Context(), m,
			gpusolve.Options{Device: "gpu", Driver: c.driver(), Preconditioner: "multigrid"})
		for _, words := range c.says {
			if !errors.Is(err, gpusolve.ErrDevice) || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v does not say %q", name, err, words)
			}
		}
	}
}

// called is a device of another name.
type called struct {
	cudriver.Driver
	name string
}

func (c called) DeviceGetName(cudriver.Device) (string, error) { return c.name, nil }

// GPUs of different kinds share a grid, which is said once; one that is too small for its part ends the run with the
// part's need and its name.
func TestUnlikeGPUs(t *testing.T) {
	t.Parallel()
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 7, NY: 36}))
	run := func(memory ...int64) (told []string, err error) {
		var mu sync.Mutex
		err = solves.Together(t, len(memory), func(rank int, g ranks.Group) error {
			o := gpusolve.Options{Device: "gpu", Ranks: g, Preconditioner: "multigrid"}
			o.Driver = called{devices.Machine(interpreter.Options{NoRaces: true, Memory: memory[rank]}),
				fmt.Sprintf("GPU of %d MB", memory[rank]>>20)}
			o.Notice = func(text string) {
				mu.Lock()
				told = append(told, text)
				mu.Unlock()
			}
			s, err := gpusolve.Steady(t.Context(), m, o)
			s.Close()
			return err
		})
		return told, err
	}
	count := func(told []string) (n int) {
		for _, text := range told {
			if strings.Contains(text, "the GPUs differ (GPU of 1024 MB, GPU of 2048 MB)") {
				n++
			}
		}
		return n
	}
	if told, err := run(1<<30, 2<<30); err != nil || count(told) != 1 {
		t.Errorf("%q, %v", told, err)
	}
	if told, err := run(1<<30, 1<<30); err != nil || count(told) != 0 {
		t.Errorf("alike: %q, %v", told, err)
	}
	if _, err := run(1<<30, 1<<17); err == nil ||
		!strings.Contains(err.Error(), "for the largest of 2 equal parts of the grid, GPU of 0 MB has 0.0 GB free") {
		t.Errorf("too small: %v", err)
	}
}

// The driver shows a process one MIG instance: who asks for a second is told how ranks get theirs.
func TestASecondInstanceOfMIG(t *testing.T) {
	m := solves.Build(t, cases.Slab(cases.Options{NX: 3, NY: 2}, 2))
	for name, says := range map[string]bool{"NVIDIA H100 80GB HBM3 MIG 1g.10gb": true, "NVIDIA H100 80GB HBM3": false} {
		_, err := gpusolve.Steady(t.Context(), m,
			gpusolve.Options{Device: "gpu:1", Driver: called{devices.Machine(interpreter.Options{}), name}})
		if !errors.Is(err, gpusolve.ErrDevice) || strings.Contains(err.Error(), "CUDA_VISIBLE_DEVICES=MIG-") != says {
			t.Errorf("%s: %v", name, err)
		}
	}
}
