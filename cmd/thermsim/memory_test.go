package main

import (
	"strings"
	"testing"

	"thermsim/stack"
)

func TestParseMeminfo(t *testing.T) {
	text := "MemTotal:       32768 kB\nMemFree:         1024 kB\nMemAvailable:    2048 kB\n"
	if got := parseMeminfo([]byte(text)); got != 2048*1024 {
		t.Errorf("%g bytes available, want %d", got, 2048*1024)
	}
	for _, text := range []string{"", "MemAvailable:", "MemAvailable: lots kB", "MemTotal: 1 kB"} {
		if got := parseMeminfo([]byte(text)); got != 0 {
			t.Errorf("%q: %g bytes available, want 0 for unknown", text, got)
		}
	}
}

// The grid that the refusal names must fit, and waste less than half of the memory.
func TestGridThatFits(t *testing.T) {
	layers := []stack.Layer{{Cells: 3}, {Cells: 7}}
	for _, grid := range [][2]int{{20000, 20000}, {100000, 50}, {7, 900000}, {33333, 1000}} {
		s := &stack.Stack{Layers: layers, Grid: stack.Grid{X: stack.Axis{Cells: grid[0]}, Y: stack.Axis{Cells: grid[1]}}}
		available := estimateBytes(s) / 9
		err := checkMemory(s, available)
		if exitStatus(err) != exitDevice {
			t.Fatalf("%v: %v", grid, err)
		}
		var fits gridSize
		_, name, _ := strings.Cut(err.Error(), "--grid ")
		if err := fits.Set(name); err != nil {
			t.Fatal(err)
		}
		s.Grid.X.Cells, s.Grid.Y.Cells = fits.nx, fits.ny
		if need := estimateBytes(s); need > available || need < available/2 {
			t.Errorf("%v: grid %v needs %g of %g bytes", grid, fits, need, available)
		}
		if err := checkMemory(s, available); err != nil {
			t.Error(err)
		}
	}
	if err := checkMemory(&stack.Stack{Layers: layers, Grid: stack.Grid{X: stack.Axis{Cells: 1 << 20}, Y: stack.Axis{Cells: 1 << 20}}}, 0); err != nil {
		t.Errorf("refused although nothing is known of the memory: %v", err)
	}
}
