package stack

// HeatedPart says where over the height of a layer its power arises. Empty is not told, and means all of it.
type HeatedPart string

// The heated parts of a layer: all of it, or a slice of PowerDepth at one of its surfaces, where transistors are.
const (
	HeatedVolume HeatedPart = "volume"
	HeatedBottom HeatedPart = "bottom"
	HeatedTop    HeatedPart = "top"
)

// DefaultPowerDepth is the height in m of the slice that is heated at a surface: transistors and the wires next to
// them.
const DefaultPowerDepth = 5e-6

// sliced says whether the heated part has a plane of cells of its own.
func (y *Layer) sliced() bool { return y.AtSurface() && y.PowerDepth < y.Thickness }

// AtSurface says whether the power arises in a slice at a surface.
func (y *Layer) AtSurface() bool { return y.PowerAt == HeatedBottom || y.PowerAt == HeatedTop }

// HeatedDepth is the height in m over which the power is spread.
func (y *Layer) HeatedDepth() float64 {
	if y.sliced() {
		return y.PowerDepth
	}
	return y.Thickness
}

// twin says whether the layer has a plane for the walls and one for the coolant, half as thick each, which stand for
// the same place.
func (y *Layer) twin() bool { return y.Coolant != nil && y.Coolant.Model == PorousCavity }

// Planes is the number of planes of cells: Cells, and one more for a heated slice, or for the coolant beside the walls
// of a porous cavity.
func (y *Layer) Planes() int {
	if y.sliced() || y.twin() {
		return y.Cells + 1
	}
	return y.Cells
}

// PlaneThickness is that of plane p, from the bottom of the layer, in m.
func (y *Layer) PlaneThickness(p int) float64 {
	switch {
	case y.twin():
		return y.Thickness / 2
	case !y.sliced():
		return y.Thickness / float64(y.Cells)
	case p == y.heatedPlane():
		return y.PowerDepth
	}
	return (y.Thickness - y.PowerDepth) / float64(y.Cells)
}

// PlaneTop is the height in m of the upper face of plane p above the bottom of the layer.
func (y *Layer) PlaneTop(p int) float64 {
	switch {
	case p+1 == y.Planes():
		return y.Thickness
	case y.twin():
		return y.Thickness / 2
	case !y.sliced():
		return y.Thickness * (float64(p+1) / float64(y.Cells))
	case y.PowerAt == HeatedTop:
		return (y.Thickness - y.PowerDepth) * (float64(p+1) / float64(y.Cells))
	}
	return y.PowerDepth + (y.Thickness-y.PowerDepth)*(float64(p)/float64(y.Cells))
}

// heatedPlane is the plane of a heated slice.
func (y *Layer) heatedPlane() int {
	if y.PowerAt == HeatedTop {
		return y.Cells
	}
	return 0
}

// HeatedPlanes are those that the power is spread over, as a half-open range from the bottom of the layer.
func (y *Layer) HeatedPlanes() (from, to int) {
	if y.sliced() {
		p := y.heatedPlane()
		return p, p + 1
	}
	return 0, y.Cells
}
