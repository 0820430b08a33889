// Package capacity refuses runs that the memory of the machine, or of its GPUs, cannot hold, and says what would fit.
package capacity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/stepping"
	"thermsim/internal/machine"
	"thermsim/mesh"
	"thermsim/stack"
)

// On the host, beside what solves, planes are held: 50 bytes per column of cells for the report, and index and power of
// each layer.
const (
	columnBytes      = 50
	columnLayerBytes = 12
)

// mostCells is far beyond any memory, and small enough for needs in bytes.
const mostCells = 1e15

// Resources are where a run has to fit.
type Resources struct {
	Memory float64 // bytes that this process may still allocate; 0 if unknown
	GPUs   func() ([]device.GPU, error)
	// ranks that share the grid, each with its own GPU or with a processor and memory; together says that all are in
	// this process. 0 means 1.
	Ranks    int
	Together bool
}

// ThisMachine looks at the GPUs only when they are asked for.
func ThisMachine() Resources { return Resources{Memory: machine.FreeMemory(), GPUs: device.List} }

// Place checks that a run fits where it is to be solved, before its mesh is built. With "auto", it
// chooses the GPU if only that has enough memory, and returns a note.
func (m Resources) Place(s *stack.Stack, transient bool) (note string, err error) {
	if Cells(s) > mostCells {
		return "", nil // which no mesh is built of, and whose bytes no number holds
	}
	name := s.Solver.Device
	auto := name == "" || name == "auto"
	need := func(gpu bool) float64 {
		return m.share(gpu) * float64(memory.OfStack(s, s.Solver.Preconditioner, transient, gpu).Peak())
	}
	onProcessor := Check(s, need(false)+reportBytes(s), m.Memory, "memory")
	if name == "cpu" || auto && onProcessor == nil {
		return "", onProcessor
	}
	gpu, err := m.gpu(name)
	switch {
	case err != nil && auto:
		return "", onProcessor
	case err != nil:
		return "", fmt.Errorf("%w: %s was asked for: %w", gpusolve.ErrDevice, name, err)
	}
	err = Check(s, need(true), float64(gpu.MemoryBytes), "memory on "+gpu.String())
	if err == nil {
		err = Check(s, reportBytes(s), m.Memory, "memory beside the GPU")
	}
	if !auto || err != nil {
		return "", err
	}
	s.Solver.Device = fmt.Sprintf("gpu:%d", gpu.Ordinal)
	return fmt.Sprintf("the grid does not fit into host memory (%s free); %s is "+
		"used", terminal.Bytes(m.Memory),
		gpu), nil
}

// share is the part of a grid that has to fit into one memory.
func (m Resources) share(gpu bool) float64 {
	if m.Together && !gpu {
		return 1
	}
	return 1 / float64(max(1, m.Ranks))
}

// ofRanks is the memory of all ranks in this process, from that of one.
func (m Resources) ofRanks(need int64) int64 {
	if m.Together {
		need *= int64(m.Ranks)
	}
	return need
}

// reportBytes is what the mesh and the report hold.
func reportBytes(s *stack.Stack) float64 {
	perColumn := columnBytes + columnLayerBytes*float64(len(s.Layers))
	return perColumn * float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells)
}

// Confirm checks a mesh that is built, of which the need is known to the last level. The solver itself looks at the GPU
// that it opens.
func (m Resources) Confirm(built *mesh.Mesh, transient bool) error {
	s := built.Stack
	if strings.HasPrefix(s.Solver.Device, "gpu") {
		return nil
	}
	if m.Ranks > 1 {
		return m.confirmNeed(built,
			m.ofRanks(memory.OfRanks(built, s.Solver.Preconditioner, transient, false, m.Ranks).Peak()))
	}
	return m.confirmNeed(built, memory.OfSystem(built, s.Solver.Preconditioner, transient, false).Peak())
}

// ConfirmAdaptive checks the memory of adaptive time steps, which hold more states.
func (m Resources) ConfirmAdaptive(built *mesh.Mesh, periodic bool) error {
	s := built.Stack
	if strings.HasPrefix(s.Solver.Device, "gpu") {
		return nil
	}
	return m.confirmNeed(built,
		int64(m.share(false)*float64(stepping.AdaptiveNeed(built, s.Solver.Preconditioner, periodic, false).Peak())))
}

func (m Resources) confirmNeed(built *mesh.Mesh, need int64) error {
	s := built.Stack
	err := Check(s, float64(need)+columnBytes*float64(built.NX()*built.NY()), m.Memory, "memory")
	if err != nil && s.Solver.Device != "cpu" && m.hasGPU() {
		return nil
	}
	return err
}

// hasGPU says whether there is one to go to.
func (m Resources) hasGPU() bool {
	_, err := m.gpu("auto")
	return err == nil
}

// gpu is the GPU of a device name; auto takes the first.
func (m Resources) gpu(name string) (device.GPU, error) {
	gpus, err := m.GPUs()
	if err != nil {
		return device.GPU{}, err
	}
	n := 0
	if number, found := strings.CutPrefix(name, "gpu:"); found {
		if n, err = strconv.Atoi(number); err != nil || n < 0 || n >= len(gpus) {
			return device.GPU{},
				errors.New("there is no such GPU; 'thermsim devices' lists them, or use --device cpu")
		}
	}
	if !gpus[n].Usable {
		return gpus[n], fmt.Errorf("%s has compute capability %s, the kernels need %s; use --device cpu", gpus[n],
			gpus[n].ComputeCapability, device.LeastComputeCapability)
	}
	return gpus[n], nil
}

// Cells of the stack's grid.
func Cells(s *stack.Stack) float64 {
	return float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells) * float64(Planes(s))
}

// Planes is the number of cells along z.
func Planes(s *stack.Stack) int {
	n := 0
	for i := range s.Layers {
		n += s.Layers[i].Planes()
	}
	return n
}

// Check refuses a grid that needs more than is available, and names one that fits. Nothing is known where available
// is 0.
func Check(s *stack.Stack, need, available float64, what string) error {
	if available <= 0 || need <= available {
		return nil
	}
	shrink := math.Sqrt(available / need)
	nx, ny := roundGrid(float64(s.Grid.X.Cells)*shrink), roundGrid(float64(s.Grid.Y.Cells)*shrink)
	return exit.With(exit.Device,
		fmt.Errorf("%d x %d x %d cells need about %s of %s, but only %s is free; a grid that fits is --grid %dx%d",
			s.Grid.X.Cells, s.Grid.Y.Cells, Planes(s), terminal.Bytes(need), what, terminal.Bytes(available), nx, ny))
}

// roundGrid rounds down to a multiple of 16, which multigrid coarsens well.
func roundGrid(cells float64) int {
	n := int(cells)
	if n > 16 {
		n -= n % 16
	}
	return max(1, n)
}

// GPUMemory is what there is to hold a solve.
func (m Resources) GPUMemory() string {
	gpus, err := m.GPUs()
	if err != nil {
		return "; there is none here (see thermsim devices)"
	}
	return fmt.Sprintf("; %s has %s", gpus[0], terminal.Bytes(float64(gpus[0].MemoryBytes)))
}
