package picture

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Images of one width come in one order, however often a document is written: thermsim promises the same bytes for the
// same picture.
func TestPDFOfManyImages(t *testing.T) {
	document := func() []byte {
		p := newPDF(200, 100)
		for n := range 7 {
			img := image.NewNRGBA(image.Rect(3, 4, 3+5, 4+2))
			for x := 3; x < 8; x++ {
				img.Set(x, 4, color.NRGBA{R: uint8(30 * n), G: uint8(20 * x), A: 255})
			}
			at := vg.Point{X: vg.Length(20 * n)}
			p.DrawImage(vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: 10, Y: 4})}, img)
		}
		var b bytes.Buffer
		if _, err := p.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := document()
	for range 20 {
		if !bytes.Equal(document(), first) {
			t.Fatal("the bytes differ")
		}
	}
	// The first is as it was given, those after it are a pixel wider each.
	for _, width := range []string{"5", "6", "11"} {
		if n := bytes.Count(first, []byte("/Width "+width+"\n")); n < 1 {
			t.Errorf("%d images are %s wide", n, width)
		}
	}
}

// What is added to an image repeats its last column.
func TestWidened(t *testing.T) {
	p := newPDF(10, 10)
	img := image.NewNRGBA(image.Rect(2, 0, 4, 1))
	red, blue := color.NRGBA{R: 255, A: 255}, color.NRGBA{B: 255, A: 128}
	img.Set(2, 0, red)
	img.Set(3, 0, blue)
	if p.widened(img) != image.Image(img) {
		t.Error("the first image is another")
	}
	wide := p.widened(img)
	if wide.Bounds() != image.Rect(0, 0, 3, 1) || wide.At(0, 0) != red || wide.At(1, 0) != blue ||
		wide.At(2, 0) != blue {
		t.Errorf("%v: %v %v %v", wide.Bounds(), wide.At(0, 0), wide.At(1, 0), wide.At(2, 0))
	}
}
