package picture

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"git.sr.ht/~sbinet/gg"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// canvas is a picture in pixels, the origin in its upper left corner.
type canvas struct {
	vg   *vgimg.Canvas
	img  *image.RGBA
	w, h int
	text *typesetter
	look Look

	// What is drawn is painted at once, and noted where the picture will be drawn again at another size or as vectors.
	recording bool
	steps     []step
	inkedNow  []inkedPixel
}

var (
	black = color.RGBA{0, 0, 0, 255}
	white = color.RGBA{255, 255, 255, 255}
	grey  = color.RGBA{96, 96, 96, 255}
)

// fade makes c transparent, in premultiplied form.
func fade(c color.RGBA, alpha float64) color.RGBA {
	part := func(v uint8) uint8 { return uint8(float64(v)*alpha + 0.5) }
	return color.RGBA{part(c.R), part(c.G), part(c.B), part(c.A)}
}

func newCanvas(w, h int, look Look, format Format) (*canvas, error) {
	v, img := whitePaper(w, h)
	text, err := newTypesetter()
	if err != nil {
		return nil, err
	}
	again := look.factor() != 1 || format != PNG && format != ""
	return &canvas{vg: v, img: img, w: w, h: h, text: text, look: look, recording: again}, nil
}

// whitePaper is a canvas of gonum/plot, on which a point is a pixel, and the image that it paints on. Where gonum/plot
// makes the image, it makes two.
func whitePaper(w, h int) (*vgimg.Canvas, *image.RGBA) {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	to := gg.NewContextForRGBA(img)
	to.SetLineCapButt() // as gonum/plot wants it
	to.InvertY()
	return vgimg.NewWith(vgimg.UseImageWithContext(img, to), vgimg.UseDPI(72)), img // a page is white
}

func (c *canvas) writePNG(w io.Writer) error {
	// Speed before size: the picture is a few hundred kB either way, and encoding dominates the drawing.
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.img)
}

// fill blends a colour over a rectangle of pixels.
func (c *canvas) fill(r image.Rectangle, col color.Color) {
	draw.Draw(c.img, r, image.NewUniform(col), image.Point{}, draw.Over)
	c.keep(func(t *target) { t.fill(r, col) })
}

// frame draws a border of one pixel just inside r.
func (c *canvas) frame(r image.Rectangle, col color.Color) {
	if r.Dx() < 2 || r.Dy() < 2 {
		c.fill(r, col)
		return
	}
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), col)
	c.fill(image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), col)
	c.fill(image.Rect(r.Min.X, r.Min.Y+1, r.Min.X+1, r.Max.Y-1), col)
	c.fill(image.Rect(r.Max.X-1, r.Min.Y+1, r.Max.X, r.Max.Y-1), col)
}

// stroke draws a smooth line through points in pixels.
func (c *canvas) stroke(line []point, width float64, col color.Color) {
	if len(line) < 2 {
		return
	}
	c.both(func(to vg.Canvas) {
		var p vg.Path
		for i, q := range line {
			at := vg.Point{X: vg.Length(q.x), Y: vg.Length(float64(c.h) - q.y)}
			if i == 0 {
				p.Move(at)
			} else {
				p.Line(at)
			}
		}
		to.SetLineWidth(vg.Length(width))
		to.SetColor(col)
		to.Stroke(p)
	})
}

// both draws at once, and again wherever the picture is drawn again.
func (c *canvas) both(draw func(to vg.Canvas)) {
	draw(c.vg)
	c.keep(func(t *target) { draw(t) })
}

// disc fills a circle.
func (c *canvas) disc(x, y, radius float64, col color.Color) {
	c.both(func(to vg.Canvas) {
		at := vg.Point{X: vg.Length(x), Y: vg.Length(float64(c.h) - y)}
		var p vg.Path
		p.Move(vg.Point{X: at.X + vg.Length(radius), Y: at.Y})
		p.Arc(at, vg.Length(radius), 0, 2*math.Pi)
		p.Close()
		to.SetColor(col)
		to.Fill(p)
	})
}

// place paints an image over r. make is asked for it with r's size in pixels, and again for other sizes of the whole
// picture.
func (c *canvas) place(r image.Rectangle, make func(w, h int) *image.RGBA) {
	draw.Draw(c.img, r, make(r.Dx(), r.Dy()), image.Point{}, draw.Src)
	c.keep(func(t *target) {
		size := func(n int) int { return max(1, int(float64(n)*t.factor+0.5)) }
		t.DrawImage(t.rect(r), make(size(r.Dx()), size(r.Dy())))
	})
}

// painted is an image by a colour for every pixel.
func painted(w, h int, at func(x, y int) color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, at(x, y))
		}
	}
	return img
}

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
