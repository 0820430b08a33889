package picture

import (
	"fmt"
	"math"
	"strings"
)

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
	return nil, fmt.Errorf("no colour map %q; choose one of %s", name, strings.Join(Colormaps(), ", "))
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
