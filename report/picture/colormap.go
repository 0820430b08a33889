// Package picture draws heat maps, floorplans and stacks as PNG. It knows plain numbers and rectangles in metres,
// nothing of meshes or solutions. Text and lines go through gonum/plot's canvas and fonts; rasters are painted pixel by
// pixel.
package picture

import (
	"image/color"
	"math"
)

// Colormap turns a value from 0 to 1 into a colour.
type Colormap [256]color.RGBA

// at is the colour of t, clamped to 0..1; NaN is grey.
func (m *Colormap) at(t float64) color.RGBA {
	if math.IsNaN(t) {
		return color.RGBA{128, 128, 128, 255}
	}
	return m[int(math.Round(255*min(max(t, 0), 1)))]
}

// contrast is black or white, whichever reads better on the colour of t.
func (m *Colormap) contrast(t float64) color.RGBA { return contrast(m.at(t)) }

func contrast(c color.RGBA) color.RGBA {
	if luminance(c) > 0.3 {
		return color.RGBA{0, 0, 0, 255}
	}
	return color.RGBA{255, 255, 255, 255}
}

// luminance is the relative luminance of WCAG 2, 0 to 1.
func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Density is the map of power densities: from almost white to dark red, light enough for black names over most of it.
// Its lightness falls linearly in Oklab (B. Ottosson, 2020), and so steps in density look alike along it.
func Density() *Colormap {
	return colormapOf(func(t float64) [3]float64 {
		l, chroma := 0.97-0.55*t, 0.02+0.17*math.Sqrt(t)*(1-0.25*t)
		hue := (95 - 68*t) * math.Pi / 180
		return oklab(l, chroma*math.Cos(hue), chroma*math.Sin(hue))
	})
}

func colormapOf(rgb func(t float64) [3]float64) *Colormap {
	var m Colormap
	for i := range m {
		c := rgb(float64(i) / 255)
		byteOf := func(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }
		m[i] = color.RGBA{byteOf(c[0]), byteOf(c[1]), byteOf(c[2]), 255}
	}
	return &m
}

// oklab converts to sRGB, components 0 to 1.
func oklab(l, a, b float64) [3]float64 {
	cube := func(v float64) float64 { return v * v * v }
	x := cube(l + 0.3963377774*a + 0.2158037573*b)
	y := cube(l - 0.1055613458*a - 0.0638541728*b)
	z := cube(l - 0.0894841775*a - 1.2914855480*b)
	gamma := func(v float64) float64 {
		if v <= 0.0031308 {
			return 12.92 * v
		}
		return 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return [3]float64{
		gamma(4.0767416621*x - 3.3077115913*y + 0.2309699292*z),
		gamma(-1.2684380046*x + 2.6097574011*y - 0.3413193965*z),
		gamma(-0.0041960863*x - 0.7034186147*y + 1.7076147010*z),
	}
}
