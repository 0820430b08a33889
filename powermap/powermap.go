// Package powermap puts watts on a grid. Every source is rasterised by exact area overlap, so the mapped watts equal the
// requested ones to rounding on any grid. It knows nothing of temperatures.
package powermap

import "thermsim/stack"

// Grid is the lateral grid: face coordinates in m, ascending, one more than cells in each direction.
type Grid struct{ X, Y []float64 }

// Map is the power of a stack on a grid.
type Map struct {
	Grid Grid
	// Layers are the layers that carry sources, bottom to top.
	Layers []LayerMap
	// Requested is the steady power of all sources in W; Mapped what arrived on the grid.
	Requested, Mapped float64

	stack *stack.Stack
}

// LayerMap is the power of one layer.
type LayerMap struct {
	Layer int       // index into Stack.Layers
	Watts []float64 // W per cell column over the layer's thickness in a steady state, x fastest, nx*ny
}
