package picture

import (
	"cmp"
	"image"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
)

// step is one thing drawn, to be drawn again on a canvas of gonum/plot: lengths are pixels of the layout, the origin
// its lower left corner.
type step func(to *target)

// target is where a recording is drawn again.
type target struct {
	vg.Canvas
	fonts  *typesetter
	height float64 // of the picture in pixels of the layout
	factor float64 // pixels of the result per pixel of the layout
}

// rect is a rectangle of pixels on the target.
func (t *target) rect(r image.Rectangle) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: vg.Length(r.Min.X), Y: vg.Length(t.height - float64(r.Max.Y))},
		Max: vg.Point{X: vg.Length(r.Max.X), Y: vg.Length(t.height - float64(r.Min.Y))},
	}
}

func (t *target) fill(r image.Rectangle, col color.Color) {
	b := t.rect(r)
	t.SetColor(col)
	t.Fill(b.Path())
}

// keep notes a step, if anybody will want it.
func (c *canvas) keep(s step) {
	if c.recording {
		c.steps = append(c.steps, s)
	}
}

// inkedPixel is a pixel of a line that is dark on bright ground and bright on dark.
type inkedPixel struct {
	at    image.Point
	dark  bool
	alpha float64
}

// keepInk turns the pixels inked since the last call into as few rectangles as runs along rows, then columns, make of
// them.
func (c *canvas) keepInk() {
	pixels := c.inkedNow
	c.inkedNow = nil
	if !c.recording || len(pixels) == 0 {
		return
	}
	type run struct {
		r     image.Rectangle
		pixel inkedPixel
	}
	var runs []run
	collect := func(across bool, shortest int, from []inkedPixel) (rest []inkedPixel) {
		along := func(p inkedPixel) (line, place int) {
			if across {
				return p.at.Y, p.at.X
			}
			return p.at.X, p.at.Y
		}
		slices.SortFunc(from, func(a, b inkedPixel) int {
			al, ap := along(a)
			bl, bp := along(b)
			return cmp.Or(cmp.Compare(al, bl), cmp.Compare(ap, bp))
		})
		for lo := 0; lo < len(from); {
			hi := lo + 1
			for hi < len(from) && from[hi].dark == from[lo].dark {
				l0, p0 := along(from[hi-1])
				l1, p1 := along(from[hi])
				if l0 != l1 || p1 != p0+1 {
					break
				}
				hi++
			}
			if hi-lo < shortest {
				rest = append(rest, from[lo:hi]...)
			} else {
				runs = append(runs, run{image.Rectangle{Min: from[lo].at, Max: from[hi-1].at.Add(image.Pt(1, 1))},
					from[lo]})
			}
			lo = hi
		}
		return rest
	}
	rest := collect(true, 3, pixels)
	collect(false, 1, rest)
	c.steps = append(c.steps, func(t *target) {
		for _, r := range runs {
			col := white
			if r.pixel.dark {
				col = black
			}
			t.fill(r.r, fade(col, r.pixel.alpha))
		}
	})
}
