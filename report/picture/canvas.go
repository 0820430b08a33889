package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

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

// fade makes c transparent, in the premultiplied form that color.RGBA wants.
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
	draw := func(to vg.Canvas) {
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
	}
	draw(c.vg)
	c.keep(func(t *target) { draw(t) })
}

// disc fills a circle.
func (c *canvas) disc(x, y, radius float64, col color.Color) {
	draw := func(to vg.Canvas) {
		at := vg.Point{X: vg.Length(x), Y: vg.Length(float64(c.h) - y)}
		var p vg.Path
		p.Move(vg.Point{X: at.X + vg.Length(radius), Y: at.Y})
		p.Arc(at, vg.Length(radius), 0, 2*math.Pi)
		p.Close()
		to.SetColor(col)
		to.Fill(p)
	}
	draw(c.vg)
	c.keep(func(t *target) { draw(t) })
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
