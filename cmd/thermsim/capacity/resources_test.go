package capacity

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/memory"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// square is a stack of ten cells along z with a grid of n x n and the wish for a device.
func square(n int, device string) *stack.Stack {
	return &stack.Stack{
		Materials: []stack.Material{{K: [3]float64{1, 1, 1}, C: 1}},
		Layers:    []stack.Layer{{Cells: 3}, {Cells: 7}}, Solver: stack.Solver{Device: device},
		Grid: stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: n}},
	}
}

// tinyMesh is a stack of a die under a lid, parsed and meshed.
func tinyMesh(t *testing.T) (*stack.Stack, *mesh.Mesh) {
	t.Helper()
	s, err := stackfile.Parse("tiny.toml", []byte(`schema = 1
size = ["2 mm", "3 mm"]
grid = { nx = 3, ny = 2 }
boundary.top = { h = "1000 W/(m^2 K)" }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power = { uniform = "1 W" }
[[layer]]
name = "lid"
material = "copper"
thickness = "1 mm"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

func withGPUs(free float64, gpus ...device.GPU) Resources {
	return Resources{Memory: free, GPUs: func() ([]device.GPU, error) {
		if len(gpus) == 0 {
			return nil, errors.New("no driver; install one")
		}
		return gpus, nil
	}}
}

// processorNeed is what a steady solve and all beside it takes.
func processorNeed(s *stack.Stack) float64 {
	return float64(memory.OfStack(s, "", false, false).Peak()) + reportBytes(s)
}

// The grid that the refusal names must fit, and waste less than half of the memory.
func TestGridThatFits(t *testing.T) {
	for _, grid := range [][2]int{{20000, 20000}, {100000, 50}, {7, 900000}, {33333, 1000}} {
		s := square(1, "cpu")
		s.Grid = stack.Grid{X: stack.Axis{Cells: grid[0]}, Y: stack.Axis{Cells: grid[1]}}
		available := processorNeed(s) / 9
		on := withGPUs(available)
		_, err := on.Place(s, false)
		if exit.Status(err) != exit.Device {
			t.Fatalf("%v: %v", grid, err)
		}
		_, fits, _ := strings.Cut(err.Error(), "--grid ")
		if _, err := fmt.Sscanf(fits, "%dx%d", &s.Grid.X.Cells, &s.Grid.Y.Cells); err != nil {
			t.Fatal(err)
		}
		if need := processorNeed(s); need > available || need < available/2 {
			t.Errorf("%v: grid %v needs %g of %g bytes", grid, fits, need, available)
		}
		if _, err := on.Place(s, false); err != nil {
			t.Error(err)
		}
	}
	if _, err := withGPUs(0).Place(square(1<<20, ""), false); err != nil {
		t.Errorf("refused although nothing is known of the memory: %v", err)
	}
}

// 3000 x 3000 x 10 cells, 90 million. On the processor couplings, x, conjugate gradients, pivots and x of multigrid are
// 12 + 8 + 28 + 8 bytes a cell, the coarser levels a third of 28: 65.3, and 74 a column beside: 6.55 GB. On a GPU 12 +
// 8 + 20 + 8 + 28/3: 5.16 GB; in time capacities, a state and four differences more, 4 + 8 + 16 + 4/3: 7.8 GB. Beside
// it 0.67 GB.
func TestPlace(t *testing.T) {
	big := device.GPU{Ordinal: 0, Name: "Big", MemoryBytes: 40e9, Usable: true}
	small := device.GPU{Ordinal: 1, Name: "Small", MemoryBytes: 6e9, Usable: true}
	old := device.GPU{Ordinal: 2, Name: "Old", MemoryBytes: 40e9, ComputeCapability: "6.1"}
	for _, c := range []struct {
		name      string
		on        Resources
		device    string
		transient bool
		chosen    string // device of the stack afterwards
		failure   string // part of the error, of status 4
	}{
		{"room on the processor", withGPUs(10e9, big), "auto", false, "auto", ""},
		{"no GPU asked for", withGPUs(1e9, big), "cpu", false, "cpu",
			"need about 6.55 GB of memory, but only 1 GB is free"},
		{"room on the GPU alone", withGPUs(1e9, big), "", false, "gpu:0", ""},
		{"no room for planes", withGPUs(0.5e9, big), "auto", false, "auto",
			"of memory beside the GPU, but only 500 MB is free"},
		{"no GPU at all", withGPUs(1e9), "auto", false, "auto", "need about 6.55 GB of memory, but only 1 GB is free"},
		{"no GPU where one is demanded", withGPUs(10e9), "gpu", false, "gpu", "gpu was asked for: no driver; " +
			"install one"},
		{"steady on the small one", withGPUs(1e9, big, small), "gpu:1", false, "gpu:1", ""},
		{"transient on the small one", withGPUs(1e9, big, small), "gpu:1", true, "gpu:1",
			"need about 7.8 GB of memory on gpu:1, Small, but only 6 GB is free; a grid that fits is --grid 2624x2624"},
		{"one too many", withGPUs(1e9, big, small), "gpu:2", false, "gpu:2", "gpu:2 was asked for: there is no such " +
			"GPU; 'thermsim devices' lists them"},
		{"too old", withGPUs(1e9, big, small, old), "gpu:2", false, "gpu:2", "compute capability 6.1, the " +
			"kernels need 7.0"},
	} {
		s := square(3000, c.device)
		s.Solver.Preconditioner = "multigrid"
		note, err := c.on.Place(s, c.transient)
		switch {
		case c.failure == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.failure != "" && (exit.Status(err) != exit.Device || !strings.Contains(err.Error(), c.failure)):
			t.Errorf("%s: %v (status %d), want %q", c.name, err, exit.Status(err), c.failure)
		case s.Solver.Device != c.chosen || (note != "") != (c.chosen != c.device):
			t.Errorf("%s: device %q, note %q, want %q", c.name, s.Solver.Device, note, c.chosen)
		}
	}
}

// A mesh that is built is confirmed where its need and what lies beside it by columns fit, for one process and for
// several ranks; a GPU judges for itself.
func TestConfirm(t *testing.T) {
	s, m := tinyMesh(t)
	beside := columnBytes * float64(m.NX()*m.NY())
	for name, c := range map[string]struct {
		ranks int
		need  float64
	}{
		"alone":     {0, float64(memory.OfSystem(m, "", false, false).Peak())},
		"two ranks": {2, float64(memory.OfRanks(m, "", false, false, 2).Peak())},
	} {
		for _, device := range []string{"cpu", "gpu"} {
			s.Solver.Device = device
			enough, short := withGPUs(c.need+beside), withGPUs(c.need+beside-1)
			enough.Ranks, short.Ranks = c.ranks, c.ranks
			if err := enough.Confirm(m, false); err != nil {
				t.Errorf("%s on %s: %v", name, device, err)
			}
			if err := short.Confirm(m, false); (exit.Status(err) == exit.Device) != (device == "cpu") {
				t.Errorf("%s on %s, a byte short: %v", name, device, err)
			}
		}
	}
}

// A grid of five by five cells and ten planes has 250.
func TestGridHasTheCellsOfAllPlanes(t *testing.T) {
	if got := Cells(square(5, "")); got != 250 {
		t.Errorf("%g cells", got)
	}
}
