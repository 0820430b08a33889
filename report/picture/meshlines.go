package picture

import (
	"fmt"
	"image"
	"image/color"
	"io"

	"thermsim/stack"
)

// MeshLines is a mesh from above, and from the south below that with stretched layers.
type MeshLines struct {
	Title, Subtitle string
	X, Y            []float64    // faces of the cells in m
	Planes          []int        // cells of every layer along z, bottom to top
	Thickness       []float64    // of every layer in m
	Parts           []stack.Rect // outlines of blocks
	Look            Look
}

// Of a mesh: pixels of the longer side, and of the least distance between lines.
const (
	meshSide    = 360
	meshSpacing = 3
)

// Write draws it.
func (m *MeshLines) Write(w io.Writer, format Format) error {
	wide, high := m.X[len(m.X)-1]-m.X[0], m.Y[len(m.Y)-1]-m.Y[0]
	perMetre := meshSide / max(wide, high)
	heights, total := stretched(m.Thickness, 5, 10), 0
	for _, h := range heights {
		total += h
	}
	left, top := sideRoom, marginTop
	plan := image.Rect(left, top, left+int(wide*perMetre+0.5), top+int(high*perMetre+0.5))
	side := image.Rect(left, plan.Max.Y+28, plan.Max.X, plan.Max.Y+28+total)
	c, err := newCanvas(max(plan.Max.X+sideRoom, minWidth), side.Max.Y+24, m.Look, format)
	if err != nil {
		return err
	}
	line := color.RGBA{120, 130, 142, 255}
	x, everyX := m.pixels(m.X, plan.Min.X, perMetre)
	y, everyY := m.pixels(m.Y, 0, perMetre)
	for _, at := range x {
		c.fill(image.Rect(at, plan.Min.Y, at+1, plan.Max.Y), line)
		c.fill(image.Rect(at, side.Min.Y, at+1, side.Max.Y), line)
	}
	for _, at := range y {
		c.fill(image.Rect(plan.Min.X, plan.Max.Y-at, plan.Max.X, plan.Max.Y-at+1), line)
	}
	bottom := side.Max.Y
	for l, h := range heights {
		every := max(1, m.Planes[l]*meshSpacing/h)
		for k := every; k < m.Planes[l]; k += every {
			at := bottom - h*k/m.Planes[l]
			c.fill(image.Rect(side.Min.X, at, side.Max.X, at+1), line)
		}
		bottom -= h
		c.fill(image.Rect(side.Min.X, bottom, side.Max.X, bottom+1), black)
	}
	for _, r := range m.Parts {
		c.frame(image.Rect(plan.Min.X+int((r.X-m.X[0])*perMetre), plan.Max.Y-int((r.Y+r.Height-m.Y[0])*perMetre+0.5),
			plan.Min.X+int((r.X+r.Width-m.X[0])*perMetre+0.5)+1, plan.Max.Y-int((r.Y-m.Y[0])*perMetre)+1),
			color.RGBA{200, 30, 20, 255})
	}
	c.frame(plan.Inset(-1), black)
	c.frame(side.Inset(-1), black)
	note := m.Subtitle
	if every := max(everyX, everyY); every > 1 {
		note += fmt.Sprintf(", up to %d between two lines", every)
	}
	if len(m.Parts) > 0 {
		note += "; red: blocks"
	}
	c.titles(m.Title, note, left, 2*left)
	return c.write(w, format)
}

// pixels are the places of lines, and the number of cells between two of them at most.
func (m *MeshLines) pixels(faces []float64, from int, perMetre float64) (at []int, most int) {
	last, cells := from, 0
	for _, f := range faces[1 : len(faces)-1] {
		cells++
		if p := from + int((f-faces[0])*perMetre+0.5); p >= last+meshSpacing {
			at, last, most, cells = append(at, p), p, max(most, cells), 0
		}
	}
	return at, max(most, cells)
}
