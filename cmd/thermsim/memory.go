package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"thermsim/stack"
)

// bytesPerCell is what a run takes at its peak, measured: 74 in a steady solve of 10 million cells (82 with maps of all layers) and 90 in a
// transient. gpusolve.EstimateBytes is finer but needs the mesh, which large grids should not get as far as.
const bytesPerCell = 90

// estimateBytes is the memory that a run on the stack's grid needs.
func estimateBytes(s *stack.Stack) float64 {
	return bytesPerCell * float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells) * float64(planes(s))
}

// planes is the number of cells along z.
func planes(s *stack.Stack) int {
	n := 0
	for i := range s.Layers {
		n += s.Layers[i].Cells
	}
	return n
}

// checkMemory refuses a grid that does not fit into the memory available, and names one that does. Nothing is known where available is 0.
func checkMemory(s *stack.Stack, available float64) error {
	need := estimateBytes(s)
	if available <= 0 || need <= available {
		return nil
	}
	shrink := math.Sqrt(available / need)
	nx, ny := roundGrid(float64(s.Grid.X.Cells)*shrink), roundGrid(float64(s.Grid.Y.Cells)*shrink)
	return withStatus(exitDevice, fmt.Errorf("%d x %d x %d cells need about %s of memory, %s is free; a grid that fits is --grid %dx%d",
		s.Grid.X.Cells, s.Grid.Y.Cells, planes(s), byteCount(need), byteCount(available), nx, ny))
}

// roundGrid rounds down to a multiple of 16, which multigrid coarsens well.
func roundGrid(cells float64) int {
	n := int(cells)
	if n > 16 {
		n -= n % 16
	}
	return max(1, n)
}

// availableMemory is what this process may still take, in bytes: what Linux calls available, or less in a container with a limit. It is 0 on
// systems that do not tell.
func availableMemory() float64 {
	available := 0.0
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		available = parseMeminfo(text)
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		// "max" where there is no limit, which does not parse.
		if limit, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64); err == nil && (available == 0 || limit < available) {
			available = limit
		}
	}
	return available
}

// parseMeminfo finds the line "MemAvailable:  123 kB" and returns bytes, 0 without it.
func parseMeminfo(text []byte) float64 {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
			number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			if kilobytes, err := strconv.ParseFloat(string(number), 64); err == nil {
				return kilobytes * 1024
			}
		}
	}
	return 0
}

// byteCount writes bytes for people.
func byteCount(b float64) string {
	switch {
	case b >= 1e12:
		return fmt.Sprintf("%.3g TB", b/1e12)
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
	return fmt.Sprintf("%.3g MB", b/1e6)
}
