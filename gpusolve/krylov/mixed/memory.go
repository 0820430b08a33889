package mixed

import "thermsim/gpusolve/precond"

// Memory is what New takes in a mode.
func Memory(s precond.Shape, m Mode) int64 {
	width := 3*Width(s, m.Vectors()) + Width(s, m.Inner()) + 8 + 4
	if m >= FixedSingle {
		width += Width(s, m.Vectors()) + 8
	}
	if m == Adaptive {
		width += 4
	}
	return VectorMemory(s, width)
}

// VectorMemory is a vector for mixed precision of so many bytes a value: on a GPU its pads are as long as the grid's
// rows whatever the system.
func VectorMemory(s precond.Shape, width int64) int64 {
	if !s.GPU && !s.Assembled {
		return width * s.Unknowns
	}
	return width * precond.Padded(s.Unknowns, s.NX)
}

// Width of a value in bytes; the processor keeps FP16 values in FP32.
func Width(s precond.Shape, p Precision) int64 {
	switch {
	case p == Double:
		return 8
	case p == Single || !s.GPU:
		return 4
	}
	return 2
}

// StoreMemory is what Store takes: the matrix as it is copied from, and the copies.
func StoreMemory(s precond.Shape, format string, c Copies) precond.Need {
	if format == RowWise {
		n := s.Rows()
		if c.Single {
			n.Held += 4 * s.Entries
		}
		n.SetUp = max(n.SetUp, n.Held)
		return n
	}
	var width int64
	for p, wanted := range map[Precision]bool{Double: c.Double, Single: c.Single, Half: c.Half} {
		if wanted {
			width += 4 * Width(s, p)
		}
	}
	if c.Scaled {
		width += 4
	}
	extent := int64(0)
	if s.GPU {
		extent = sizesBytes * partsOfPlane(s.Unknowns/int64(s.NZ)) * int64(s.NZ)
	}
	return precond.Need{SetUp: max(width*s.Unknowns, extent) + s.Diagonals(), Held: width * s.Unknowns}
}

// sizesBytes is the memory for the five sizes that a block finds.
const sizesBytes = 5 * 8
