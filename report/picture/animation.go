package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
)

// Animation is one map at several times, with one range of colours.
type Animation struct {
	Map    HeatMap // without temperatures; its range holds for all frames
	Frames []AnimationFrame
	Delay  time.Duration // of a frame
}

// AnimationFrame is the map at one time.
type AnimationFrame struct {
	Subtitle string
	Kelvin   []float64
}

// The formats of animations.
const (
	GIF  Format = "gif"
	APNG Format = "apng"
)

// animationWidth in pixels of the layout keeps fifty frames within a few megabytes.
const animationWidth = 560

// Write draws the animation in one of these formats. Frames are drawn in parallel.
func (a *Animation) Write(w io.Writer, format Format) error {
	if len(a.Frames) == 0 {
		return errors.New("drawing an animation: it has no frames")
	}
	if format != GIF && format != APNG {
		return fmt.Errorf("drawing an animation: format %q is unknown; choose gif or apng", format)
	}
	if a.Map.Look.Width == 0 {
		a.Map.Look.Width, a.Map.Look.Font = animationWidth, layoutFont
	}
	palette := a.palette()
	nearest := newNearest(palette)
	frames := make([]*image.Paletted, len(a.Frames))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range a.Frames {
		g.Go(func() error {
			img, err := a.frame(i)
			if err == nil {
				frames[i] = nearest.convert(img, palette)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := len(frames) - 1; i > 0; i-- {
		frames[i] = changed(frames[i-1], frames[i])
	}
	if format == GIF {
		return a.writeGIF(w, frames)
	}
	return a.writeAPNG(w, frames)
}

// frame draws one time in full.
func (a *Animation) frame(i int) (*image.RGBA, error) {
	m := a.Map
	m.Subtitle, m.Kelvin = a.Frames[i].Subtitle, a.Frames[i].Kelvin
	if err := m.check(); err != nil {
		return nil, err
	}
	look := m.Look
	look.DPI = 72 * look.perPoint() // one pixel of the layout is one of the frame
	f, err := newFrame(m.Title, m.Subtitle, m.extent(), temperatureScale(m.Lo, m.Hi, &look), look, PNG)
	if err != nil {
		return nil, err
	}
	m.draw(f)
	return f.img, nil
}

// palette holds the map in 216 steps, and greys for text and lines.
func (a *Animation) palette() color.Palette {
	const steps, greys = 216, 40
	colors := a.Map.Look.colors()
	p := make(color.Palette, 0, steps+greys)
	for i := range steps {
		p = append(p, colors.At(float64(i)/(steps-1)))
	}
	for i := range greys {
		v := uint8(255 * i / (greys - 1))
		p = append(p, color.RGBA{v, v, v, 255})
	}
	return p
}

// nearest finds the colour of a palette by the upper five bits of red, green and blue.
type nearest [1 << 15]uint8

func newNearest(p color.Palette) *nearest {
	var n nearest
	var rgb [][3]int
	for _, c := range p {
		v := c.(color.RGBA)
		rgb = append(rgb, [3]int{int(v.R), int(v.G), int(v.B)})
	}
	for at := range n {
		r, g, b := at>>10<<3|4, at>>5&31<<3|4, at&31<<3|4
		least := 1 << 30
		for i, c := range rgb {
			dr, dg, db := r-c[0], g-c[1], b-c[2]
			if d := 3*dr*dr + 6*dg*dg + db*db; d < least {
				least, n[at] = d, uint8(i)
			}
		}
	}
	return &n
}

func (n *nearest) convert(img *image.RGBA, p color.Palette) *image.Paletted {
	out := image.NewPaletted(img.Rect, p)
	exact := uint8(len(p) - 1) // white, the last of the greys: paper must be paper
	for i := range out.Pix {
		c := img.Pix[4*i : 4*i+3 : 4*i+3]
		if c[0] == 255 && c[1] == 255 && c[2] == 255 {
			out.Pix[i] = exact
			continue
		}
		out.Pix[i] = n[int(c[0])>>3<<10|int(c[1])>>3<<5|int(c[2])>>3]
	}
	return out
}

// changed cuts a frame to the rectangle in which it differs from the one before.
func changed(before, now *image.Paletted) *image.Paletted {
	full := image.Rect(0, 0, now.Stride, len(now.Pix)/now.Stride)
	r := image.Rectangle{}
	for y := range full.Dy() {
		a, b := before.Pix[y*before.Stride:][:now.Stride], now.Pix[y*now.Stride:][:now.Stride]
		if bytes.Equal(a, b) {
			continue
		}
		x0, x1 := 0, len(b)
		for a[x0] == b[x0] {
			x0++
		}
		for a[x1-1] == b[x1-1] {
			x1--
		}
		r = r.Union(image.Rect(x0, y, x1, y+1))
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	return now.SubImage(r).(*image.Paletted)
}

func (a *Animation) delay() time.Duration {
	if a.Delay <= 0 {
		return 100 * time.Millisecond
	}
	return a.Delay
}

func (a *Animation) writeGIF(w io.Writer, frames []*image.Paletted) error {
	g := gif.GIF{Image: frames, Config: image.Config{ColorModel: frames[0].Palette, Width: frames[0].Rect.Dx(),
		Height: frames[0].Rect.Dy()}}
	for range frames {
		g.Delay = append(g.Delay, max(2, int(a.delay()/(10*time.Millisecond))))
		g.Disposal = append(g.Disposal, gif.DisposalNone)
	}
	if err := gif.EncodeAll(w, &g); err != nil {
		return fmt.Errorf("drawing an animation: %w", err)
	}
	return nil
}

// writeAPNG writes the frames as Animated PNG (W3C, PNG third edition, 2023): palette images, each over what was there.
func (a *Animation) writeAPNG(w io.Writer, frames []*image.Paletted) error {
	data := make([][]byte, len(frames))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range frames {
		g.Go(func() (err error) {
			data[i], err = deflated(f)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("drawing an animation: %w", err)
	}
	p := &pngWriter{w: w}
	p.raw([]byte("\x89PNG\r\n\x1a\n"))
	size := frames[0].Rect
	p.chunk("IHDR", be32(size.Dx()), be32(size.Dy()), []byte{8, 3, 0, 0, 0})
	p.chunk("acTL", be32(len(frames)), be32(0))
	var colors []byte
	for _, c := range frames[0].Palette {
		v := c.(color.RGBA)
		colors = append(colors, v.R, v.G, v.B)
	}
	p.chunk("PLTE", colors)
	sequence := 0
	number := func() []byte {
		sequence++
		return be32(sequence - 1)
	}
	delay := binary.BigEndian.AppendUint16(nil, uint16(min(a.delay()/time.Millisecond, 65535)))
	delay = binary.BigEndian.AppendUint16(delay, 1000)
	for i, f := range frames {
		p.chunk("fcTL", number(), be32(f.Rect.Dx()), be32(f.Rect.Dy()), be32(f.Rect.Min.X), be32(f.Rect.Min.Y), delay,
			[]byte{0, 0})
		if i == 0 {
			p.chunk("IDAT", data[i])
		} else {
			p.chunk("fdAT", number(), data[i])
		}
	}
	p.chunk("IEND")
	if p.err != nil {
		return fmt.Errorf("drawing an animation: %w", p.err)
	}
	return nil
}

func be32(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }

// deflated is the image data of a frame: rows with filter 0, compressed.
func deflated(f *image.Paletted) ([]byte, error) {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	for y := range f.Rect.Dy() {
		if _, err := z.Write([]byte{0}); err != nil {
			return nil, err
		}
		if _, err := z.Write(f.Pix[y*f.Stride:][:f.Rect.Dx()]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pngWriter writes chunks and keeps the first error.
type pngWriter struct {
	w   io.Writer
	err error
}

func (p *pngWriter) raw(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *pngWriter) chunk(kind string, parts ...[]byte) {
	body := []byte(kind)
	for _, part := range parts {
		body = append(body, part...)
	}
	p.raw(be32(len(body) - 4))
	p.raw(body)
	p.raw(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
}
