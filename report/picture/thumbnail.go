package picture

import "image/color"

// Thumbnail reduces a plane of cells (x fastest, south first, faces x and y in m) to w x h values, the maximum of the
// cells in each.
func Thumbnail(x, y, values []float64, w, h int) []float64 {
	return reduce(values, len(x)-1, binsOf(x, w), binsOf(y, h))
}

// At is the colour of t, from 0 to 1; grey where t is no number.
func (m *Colormap) At(t float64) color.RGBA { return m.at(t) }
