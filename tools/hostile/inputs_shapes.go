//go:build unix

package main

import (
	"fmt"
	"strings"
)

// arrays are ten arrays of a million vias each, in some lines.
func arrays() string {
	return strings.Repeat(`
[[layer.region]]
material = "copper"
circle = { x = 1e-5, y = 1e-5, diameter = 8e-6 }
array = { nx = 1000, ny = 1000, pitch = [9e-6, 9e-6] }
`, 10)
}

// circles lie over each other on the bottom.
func circles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[boundary.bottom.patch]]\ncircle = { x = 5e-3, y = 5e-3, diameter = %.9g }\nh = 100\n",
			9e-3-float64(i)*1e-7)
	}
	return b.String()
}

// law gives the die a material of its own.
func law(k string) string {
	return strings.Replace(sheet("law", heated, ""), `"silicon"`, `"own"`, 1) + "[materials.own]\nc = 1.6e6\nk = " + k +
		"\n"
}

func rows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[%.9g, 100], ", 200+float64(i)*0.001)
	}
	return b.String()
}

func shapeInputs() []input {
	return []input{
		{"arrays-1e7", "ten arrays of a million vias (1 kB)", stackText(sheet("arrays", heated, arrays())), true},
		{"circles-10000", "10,000 round patches over each other", stackText(sheet("circles", heated, circles(10_000))),
			true},
		{"rows-300000", "table of 300,000 rows of a material", stackText(law("{ table = [" + rows(300_000) + "] }")),
			true},
		{"polynomial-1M", "polynomial of a million coefficients",
			stackText(law("{ polynomial = [100" + strings.Repeat(",0", 1_000_000) + "], range = [250, 400] }")), true},
	}
}
