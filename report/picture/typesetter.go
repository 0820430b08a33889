package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font/liberation"

	"thermsim/internal/printable"
)

// typesetter sets text in Liberation Sans, gonum/plot's own font. It is for one goroutine.
type typesetter struct {
	regular, bold *opentype.Font
	faces         map[faceKey]xfont.Face
}

type faceKey struct {
	size int
	bold bool
}

func newTypesetter() (*typesetter, error) {
	t := &typesetter{faces: map[faceKey]xfont.Face{}}
	for _, f := range liberation.Collection() {
		if f.Font.Variant != "Sans" || f.Font.Style != xfont.StyleNormal {
			continue
		}
		if f.Font.Weight == xfont.WeightBold {
			t.bold = f.Face
		} else {
			t.regular = f.Face
		}
	}
	if t.bold == nil || t.regular == nil {
		return nil, fmt.Errorf("drawing a picture: gonum/plot's fonts lack Liberation Sans")
	}
	return t, nil
}

// style of a text: its size in pixels and more.
type style struct {
	size     int
	bold     bool
	color    color.RGBA
	halo     color.RGBA // drawn around the letters unless fully transparent
	vertical bool       // turned a quarter to the left
}

func (t *typesetter) face(s style) xfont.Face {
	key := faceKey{s.size, s.bold}
	if f, ok := t.faces[key]; ok {
		return f
	}
	font := t.regular
	if s.bold {
		font = t.bold
	}
	f, err := opentype.NewFace(font, &opentype.FaceOptions{Size: float64(s.size), DPI: 72, Hinting: xfont.HintingNone})
	if err != nil { // only for a malformed font; these ship with gonum/plot
		return nil
	}
	scaled := kernedFace{f, fixed.Int26_6(s.size * 64), fixed.Int26_6(font.UnitsPerEm())}
	t.faces[key] = scaled
	return scaled
}

// kernedFace scales the kerning to the size of the face: opentype.Face gives it in font units, so small letters would
// run into each other.
type kernedFace struct {
	xfont.Face
	size, unitsPerEm fixed.Int26_6
}

func (f kernedFace) Kern(a, b rune) fixed.Int26_6 {
	return f.Face.Kern(a, b) * f.size / f.unitsPerEm
}

// size of a text in pixels, lying or standing as its style says.
func (t *typesetter) size(s style, text string) (w, h int) {
	f := t.face(s)
	if f == nil {
		return 0, 0
	}
	m := f.Metrics()
	w, h = xfont.MeasureString(f, text).Ceil(), (m.Ascent + m.Descent).Ceil()
	if s.vertical {
		return h, w
	}
	return w, h
}

// Anchors of a text: which part of it lies at the given place, 0 the left or upper edge and 1 the right or lower.
type anchor struct{ x, y float64 }

// print sets text at (x, y) and returns the pixels it covers.
func (c *canvas) print(s style, text string, x, y float64, a anchor) image.Rectangle {
	text = printable.Text(text)
	box := c.textBox(s, text, x, y, a)
	if box.Empty() {
		return box
	}
	mask := c.text.mask(s, text)
	pad := (mask.Rect.Dx() - box.Dx()) / 2
	at := mask.Rect.Add(box.Min.Sub(image.Pt(pad, pad)))
	if s.halo.A > 0 {
		draw.DrawMask(c.img, at, image.NewUniform(s.halo), image.Point{}, dilate(mask), image.Point{}, draw.Over)
	}
	draw.DrawMask(c.img, at, image.NewUniform(s.color), image.Point{}, mask, image.Point{}, draw.Over)
	c.keep(func(t *target) { t.text(s, text, box) })
	return box
}

// titles sets the title and the subtitle of a picture, with margins that add up to edges.
func (c *canvas) titles(title, subtitle string, left, edges int) {
	c.print(titleStyle, c.fit(titleStyle, title, c.w-edges), float64(left), 14, anchor{})
	c.print(subtitleStyle, c.fit(subtitleStyle, subtitle, c.w-edges), float64(left), 40, anchor{})
}

// textBox is where print would set the text.
func (c *canvas) textBox(s style, text string, x, y float64, a anchor) image.Rectangle {
	w, h := c.text.size(s, text)
	x0, y0 := int(x-a.x*float64(w)+0.5), int(y-a.y*float64(h)+0.5)
	return image.Rect(x0, y0, x0+w, y0+h)
}

// haloWidth is the margin in pixels around a mask, for the halo.
const haloWidth = 2

// mask draws text with a margin of haloWidth.
func (t *typesetter) mask(s style, text string) *image.Alpha {
	lying := s
	lying.vertical = false
	w, h := t.size(lying, text)
	m := image.NewAlpha(image.Rect(0, 0, w+2*haloWidth, h+2*haloWidth))
	f := t.face(s)
	d := xfont.Drawer{Dst: m, Src: image.Opaque, Face: f, Dot: fixed.P(haloWidth, haloWidth)}
	d.Dot.Y += f.Metrics().Ascent
	d.DrawString(text)
	if !s.vertical {
		return m
	}
	b := m.Rect
	up := image.NewAlpha(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			up.Pix[(b.Dx()-1-x)*up.Stride+y] = m.Pix[y*m.Stride+x]
		}
	}
	return up
}

// dilate widens a mask by about haloWidth pixels.
func dilate(m *image.Alpha) *image.Alpha {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewAlpha(m.Rect)
	for y := range h {
		for x := range w {
			v := m.Pix[y*m.Stride+x]
			if v == 0 {
				continue
			}
			for dy := -haloWidth; dy <= haloWidth; dy++ {
				for dx := -haloWidth; dx <= haloWidth; dx++ {
					xx, yy := x+dx, y+dy
					if dx*dx+dy*dy > haloWidth*haloWidth || xx < 0 || yy < 0 || xx >= w || yy >= h {
						continue
					}
					if p := &out.Pix[yy*out.Stride+xx]; *p < v {
						*p = v
					}
				}
			}
		}
	}
	return out
}
