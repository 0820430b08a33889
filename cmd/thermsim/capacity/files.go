package capacity

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/stack"
)

// Reading a matrix takes rows, columns and values as the file lists them, and then by rows, plus right-hand side and
// solution.
const (
	readEntryBytes = 16 + 12
	readRowBytes   = 8 + 2*8
)

// ToRead refuses a matrix of which the announced entries do not fit into the free memory. Nothing is known where
// that is 0. A file of fewer bytes than its entries take, unless it is compressed, is at fault in a way that reading
// finds.
func ToRead(file string, free float64) error {
	size, ok := matrixmarket.ReadSize(file)
	if !ok || free <= 0 {
		return nil
	}
	const leastLine = 4 // "1 1\n"; a symmetric file lists half
	if info, err := os.Stat(file); err == nil && filepath.Ext(file) != ".gz" && size.Entries > 2*info.Size()/leastLine {
		return nil
	}
	need := readEntryBytes*float64(size.Entries) + readRowBytes*float64(size.Rows)
	if need <= free {
		return nil
	}
	return exit.With(exit.Device,
		fmt.Errorf("%s: %d rows with %d entries need about %s of memory to read, but only %s is free; solve it on "+
			"a machine with more memory",
			file, size.Rows, size.Entries, terminal.Bytes(need), terminal.Bytes(free)))
}

// ToSolve refuses a matrix that the processor has not the memory to solve. auto may find a GPU, which the solver
// checks.
func ToSolve(a *matrix.Matrix, device, method string, free float64) error {
	if free <= 0 || strings.HasPrefix(device, "gpu") {
		return nil
	}
	need := float64(matrix.Need(a, method, false).Peak())
	if need <= free {
		return nil
	}
	if device != "cpu" {
		if _, err := ThisMachine().gpu("auto"); err == nil {
			return nil
		}
	}
	return exit.With(exit.Device,
		fmt.Errorf("%d unknowns need about %s of memory, but only %s is free; use another --precond (jacobi needs "+
			"the least)",
			a.N(), terminal.Bytes(need), terminal.Bytes(free)))
}

// ToRender refuses a saved run of which mesh and pictures do not fit: fields are read plane by plane.
func ToRender(free float64) func(*stack.Stack) error {
	return func(s *stack.Stack) error {
		need := reportBytes(s)
		if free <= 0 || need <= free {
			return nil
		}
		return exit.With(exit.Device,
			fmt.Errorf("drawing %d x %d cells of %d layers needs about %s of memory, but only %s is free; render the "+
				"run on a machine with more memory",
				s.Grid.X.Cells, s.Grid.Y.Cells, len(s.Layers), terminal.Bytes(need), terminal.Bytes(free)))
	}
}
