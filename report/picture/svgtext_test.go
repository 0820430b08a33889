package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"testing"
)

// svgText is a text of an SVG: where its baseline begins, its extent along and across the baseline, and how far it is
// turned to the right.
type svgText struct {
	Content   string  `xml:",chardata"`
	X         float64 `xml:"x,attr"`
	Y         float64 `xml:"y,attr"`
	Size      float64 `xml:"font-size,attr"`
	Length    float64 `xml:"textLength,attr"`
	Transform string  `xml:"transform,attr"`
	Fill      string  `xml:"fill,attr"`
	Opacity   string  `xml:"fill-opacity,attr"` // of halos
}

// degrees is the turn that the transform says, about the beginning of the text.
func (s *svgText) degrees(t *testing.T) float64 {
	t.Helper()
	if s.Transform == "" {
		return 0
	}
	var angle, x, y float64
	if _, err := fmt.Sscanf(s.Transform, "rotate(%g %g %g)", &angle, &x, &y); err != nil {
		t.Fatalf("text %q: transform %q: %v", s.Content, s.Transform, err)
	}
	if x != s.X || y != s.Y {
		t.Errorf("text %q begins at %g, %g and is turned about %g, %g", s.Content, s.X, s.Y, x, y)
	}
	return angle
}

// box is the part of the page between the baseline and the height of a small letter, which every text inks.
func (s *svgText) box(t *testing.T) (lo, hi [2]float64) {
	t.Helper()
	sin, cos := math.Sincos(s.degrees(t) * math.Pi / 180)
	lo, hi = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	const smallLetter = 0.5
	for _, corner := range [][2]float64{{0, 0}, {s.Length, 0}, {0, -smallLetter * s.Size},
		{s.Length, -smallLetter * s.Size}} {
		at := [2]float64{s.X + cos*corner[0] - sin*corner[1], s.Y + sin*corner[0] + cos*corner[1]}
		for i := range at {
			lo[i], hi[i] = min(lo[i], at[i]), max(hi[i], at[i])
		}
	}
	return lo, hi
}

func parseSVG(t *testing.T, doc []byte) (width, height float64, texts []svgText) {
	t.Helper()
	var page struct {
		ViewBox string    `xml:"viewBox,attr"`
		Texts   []svgText `xml:"text"`
	}
	if err := xml.Unmarshal(doc, &page); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(page.ViewBox, "0 0 %g %g", &width, &height); err != nil {
		t.Fatalf("viewBox %q: %v", page.ViewBox, err)
	}
	return width, height, page.Texts
}

// darkIn counts the dark pixels of a picture within a box of a page of that size.
func darkIn(img image.Image, lo, hi [2]float64, width, height float64) (dark, pixels int) {
	b := img.Bounds()
	sx, sy := float64(b.Dx())/width, float64(b.Dy())/height
	for y := int(lo[1] * sy); y < int(math.Ceil(hi[1]*sy)); y++ {
		for x := int(lo[0] * sx); x < int(math.Ceil(hi[0]*sx)); x++ {
			pixels++
			if r, g, bl, _ := img.At(b.Min.X+x, b.Min.Y+y).RGBA(); max(r, g, bl) < 0x9000 {
				dark++
			}
		}
	}
	return dark, pixels
}

// Each text of an SVG lies where the PNG of the same figure has ink, lying or upright, and within the page.
func TestTextsOfVectorsLieWherePixelsDo(t *testing.T) {
	for name, c := range map[string]struct {
		figure  interface{ Write(io.Writer, Format) error }
		upright bool // the label of its vertical axis
	}{"map": {labelled(), true}, "section": {sampleSection(), false}, "traces": {sampleChart(), true}} {
		t.Run(name, func(t *testing.T) {
			img, err := png.Decode(bytes.NewReader(written(t, name, c.figure, PNG)))
			if err != nil {
				t.Fatal(err)
			}
			width, height, texts := parseSVG(t, written(t, name, c.figure, SVG))
			upright := 0
			for _, s := range texts {
				switch s.degrees(t) {
				case 0:
				case -90:
					upright++
				default:
					t.Errorf("text %q is turned by %g degrees; texts lie, or stand and read upwards", s.Content,
						s.degrees(t))
				}
				lo, hi := s.box(t)
				if lo[0] < -1 || lo[1] < -1 || hi[0] > width+1 || hi[1] > height+1 {
					t.Errorf("text %q reaches from %.1f to %.1f on a page of %.0f x %.0f", s.Content, lo, hi, width,
						height)
					continue
				}
				if s.Fill != "#000000" || s.Opacity != "" {
					continue // the map is behind it
				}
				if dark, pixels := darkIn(img, lo, hi, width, height); dark*50 < pixels {
					t.Errorf("text %q: the PNG has ink in %d of %d pixels between %.1f and %.1f", s.Content, dark,
						pixels, lo, hi)
				}
			}
			if c.upright != (upright > 0) {
				t.Errorf("%d texts stand upright", upright)
			}
		})
	}
}
