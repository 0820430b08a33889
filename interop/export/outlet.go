package export

import (
	"math"

	"thermsim/interop/threedice"
)

// outlet is the quantity that Tcoolant asks of the cells at which the coolant of a layer leaves. 3D-ICE writes the
// maximum for a gradient. It counts the first column among them, be it a wall, and in the average once more; that it
// divides by the number of channels, which is not that of cells in a porous cavity and 0 for pin fins. All of this is
// written where 3D-ICE's arithmetic is asked for, and nothing of it otherwise.
func (w *threeDICE) outlet(ins *threedice.Output, layer int) float64 {
	c := w.mesh.Planes[w.mesh.LayerPlanes[layer][0]].Cavity
	if c == nil {
		return math.NaN()
	}
	lo, hi, sum, cells := math.Inf(1), math.Inf(-1), 0.0, 0
	c.Outlets(w.mesh.NX(), w.mesh.NY(), func(cell, _ int) {
		v := w.plane[cell]
		lo, hi = math.Min(lo, v), math.Max(hi, v)
		sum += v
		cells++
	})
	first := w.plane[(w.mesh.NY()-1)*w.mesh.NX()]
	if c.Of.Central {
		lo, hi = math.Min(lo, first), math.Max(hi, first)
	}
	switch ins.Quantity {
	case "minimum":
		return lo
	case "average":
		if !c.Of.Central {
			return sum / float64(cells)
		}
		return (first + sum) / float64(w.outputs.Channels)
	}
	return hi
}
