// Package picture draws heat maps, floorplans and stacks as PNG. It knows plain numbers and rectangles in metres,
// nothing of meshes or solutions. Text and lines go through gonum/plot's canvas and fonts; rasters are painted pixel by
// pixel.
package picture

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Colormap turns a value from 0 to 1 into a colour.
type Colormap [256]color.RGBA

// At is the colour of t, clamped to 0..1; NaN is grey.
func (m *Colormap) At(t float64) color.RGBA {
	if math.IsNaN(t) {
		return color.RGBA{128, 128, 128, 255}
	}
	return m[int(math.Round(255*min(max(t, 0), 1)))]
}

// contrast is black or white, whichever reads better on the colour of t.
func (m *Colormap) contrast(t float64) color.RGBA { return contrast(m.At(t)) }

func contrast(c color.RGBA) color.RGBA {
	if luminance(c) > 0.3 {
		return color.RGBA{0, 0, 0, 255}
	}
	return color.RGBA{255, 255, 255, 255}
}

// luminance is the relative luminance of the Web Content Accessibility Guidelines 2, 0 to 1.
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

// colormaps by name, the default first. The first two order values by lightness, and so read the same in grey; turbo
// shows more steps but orders them by hue alone; coolwarm is for differences, its middle being zero.
var colormaps = []struct {
	name string
	make func() *Colormap
}{{"inferno", Inferno}, {"viridis", Viridis}, {"turbo", Turbo}, {"coolwarm", Coolwarm}}

// Colormaps lists the names that NamedColormap takes, the default first.
func Colormaps() []string {
	var names []string
	for _, m := range colormaps {
		names = append(names, m.name)
	}
	return names
}

// NamedColormap returns a map by its name, the default for none.
func NamedColormap(name string) (*Colormap, error) {
	for i, m := range colormaps {
		if name == m.name || name == "" && i == 0 {
			return m.make(), nil
		}
	}
	return nil, fmt.Errorf("unknown color map %q; expected one of %s", name, strings.Join(Colormaps(), ", "))
}

// polynomial is a map by coefficients for red, green and blue, the constant first.
func polynomial(coefficients [][3]float64) *Colormap {
	return colormapOf(func(t float64) (rgb [3]float64) {
		for i := len(coefficients) - 1; i >= 0; i-- {
			for c := range rgb {
				rgb[c] = rgb[c]*t + coefficients[i][c]
			}
		}
		return rgb
	})
}

// Inferno is the perceptually uniform colour map of matplotlib (S. van der Walt and N. Smith, 2015, CC0), here by the
// polynomial of degree 6 that M. Zucker fitted to it (CC0, https://www.shadertoy.com/view/WlfXRN).
func Inferno() *Colormap {
	return polynomial([][3]float64{
		{0.0002189403691192265, 0.001651004631001012, -0.01948089843709184},
		{0.1065134194856116, 0.5639564367884091, 3.932712388889277},
		{11.60249308247187, -3.972853965665698, -15.9423941062914},
		{-41.70399613139459, 17.43639888205313, 44.35414519872813},
		{77.162935699427, -33.40235894210092, -81.80730925738993},
		{-71.31942824499214, 32.62606426397723, 73.20951985803202},
		{25.13112622477341, -12.24266895238567, -23.07032500287172},
	})
}

// Viridis is another of them, from the same sources.
func Viridis() *Colormap {
	return polynomial([][3]float64{
		{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
		{0.1050930431085774, 1.404613529898575, 1.384590162594685},
		{-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
		{-4.634230498983486, -5.799100973351585, -19.33244095627987},
		{6.228269936347081, 14.17993336680509, 56.69055260068105},
		{4.776384997670288, -13.74514537774601, -65.35303263337234},
		{-5.435455855934631, 4.645852612178535, 26.3124352495832},
	})
}

// Turbo is A. Mikhailov's rainbow (Google, 2019), by his polynomial of degree 5.
func Turbo() *Colormap {
	return polynomial([][3]float64{
		{0.13572138, 0.09140261, 0.10667330},
		{4.61539260, 2.19418839, 12.64194608},
		{-42.66032258, 4.84296658, -60.58204836},
		{132.13108234, -14.18503333, 110.36276771},
		{-152.94239396, 4.27729857, -89.90310912},
		{59.28637943, 2.82956604, 27.34824973},
	})
}

// Coolwarm goes from the blue over the grey to the red of K. Moreland's diverging map (2009), evenly in Oklab on either
// side.
func Coolwarm() *Colormap {
	cool, middle, warm := toOklab(59, 76, 192), toOklab(221, 221, 221), toOklab(180, 4, 38)
	return colormapOf(func(t float64) [3]float64 {
		end := cool
		if t > 0.5 {
			end = warm
		}
		f := math.Abs(2*t - 1)
		var lab [3]float64
		for i := range lab {
			lab[i] = middle[i] + f*(end[i]-middle[i])
		}
		return oklab(lab[0], lab[1], lab[2])
	})
}

// toOklab is the inverse of oklab, for components from 0 to 255.
func toOklab(r, g, b float64) [3]float64 {
	linear := func(v float64) float64 {
		v /= 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	r, g, b = linear(r), linear(g), linear(b)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}
