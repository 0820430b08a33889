//go:build unix

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"text/template"
)

// functions are those of the templates.
var functions = template.FuncMap{
	"rep":  func(n int, text string) string { return strings.Repeat(text, n) },
	"swap": func(old, by, text string) string { return strings.Replace(text, old, by, 1) },
	"num":  numbered, "seq": sequence, "tile": tiled,
	"die": die, "heated": heated, "small": small,
	"mixtures": mixtures, "plan": plan, "planPowers": planPowers, "ice": ice, "core": core, "heights": heights,
	"crossed": crossed, "crossedCircles": crossedCircles, "zigzag": zigzag, "star": star, "arrow": arrow,
	"npy": npy, "zip": zipped, "tar": tarred, "png": blackPNG, "announcedPNG": announcedPNG,
}

// each joins n texts.
func each(n int, text func(b *strings.Builder, i int)) string {
	var b strings.Builder
	for i := range n {
		text(&b, i)
	}
	return b.String()
}

// numbered repeats a format with %[1]d, the number from 0, and %[2]d, the next one.
func numbered(n int, format string) string {
	return each(n, func(b *strings.Builder, i int) { fmt.Fprintf(b, format, i, i+1) })
}

// sequence repeats a format with numbers, each given by its first value and its step.
func sequence(n int, format string, firstAndStep ...float64) string {
	values := make([]any, len(firstAndStep)/2)
	return each(n, func(b *strings.Builder, i int) {
		for k := range values {
			values[k] = firstAndStep[2*k] + float64(i)*firstAndStep[2*k+1]
		}
		fmt.Fprintf(b, format, values...)
	})
}

// tiled repeats a format with %[1]d, the number of a tile, its column and row, and its x and y, in rows of columns.
// in1cm is the number of tiles in 1 cm.
func tiled(columns, n int, format string, in1cm float64) string {
	side := 0.01 / in1cm
	return each(n, func(b *strings.Builder, i int) {
		column, row := i%columns, i/columns
		fmt.Fprintf(b, format, i, column, row, float64(column)*side, float64(row)*side)
	})
}

// die is a stack file of one layer without power; keys of the layer may follow.
func die() string {
	return `schema = 1
title = ""
ambient = "25 degC"
size = ["10 mm", "10 mm"]
grid = { nx = 16, ny = 16 }
boundary.top = { h = "5000 W/(m^2 K)" }

[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
`
}

// heated is the same with power.
func heated() string { return die() + "power = { uniform = \"5 W\" }\n" }

// small is a valid stack with a probe.
func small() string {
	return heated() + "[[probe]]\nname = \"p\"\nx = 1e-3\ny = 1e-3\nlayer = \"die\"\n"
}

// mixtures are n materials, each a mixture with the next one, the last with another.
func mixtures(n int, last string) string {
	return each(n, func(b *strings.Builder, i int) {
		next := fmt.Sprintf("m%d", i+1)
		if i == n-1 {
			next = last
		}
		fmt.Fprintf(b, "[materials.m%d]\nmix = { inclusion = \"copper\", matrix = %q, fraction = 0.1 }\n", i, next)
	})
}

// plan is a floorplan of n by n blocks, and planPowers their powers.
func plan(n int) string {
	side := 0.01 / float64(n)
	return tiled(n, n*n, fmt.Sprintf("b%%[2]d_%%[3]d\t%.9g\t%.9[1]g\t%%.9[4]g\t%%.9[5]g\n", side), float64(n))
}

func planPowers(n int) string {
	return tiled(n, n*n, "b%[2]d_%[3]d ", 1) + "\n" + strings.Repeat("1e-5 ", n*n)
}

// ice is a project of 3D-ICE with n layers.
func ice(n int, output string) string {
	const material = `material SI :
  thermal conductivity 1.3e-4 ;
  volumetric heat capacity 1.628e-12 ;

top heat sink :
  heat transfer coefficient 1e-8 ;
  temperature 300 ;

`
	const sizes = `dimensions :
  chip length 10000, width 10000 ;
  cell length 1000, width 1000 ;

layer L :
  height 10 ;
  material SI ;

die D :
  source 10 SI ;

stack:
`
	const solver = `  die DIE D floorplan "die.flp" ;

solver:
  steady ;
  initial temperature 300 ;

`
	return material + sizes + numbered(n, "  layer L%[1]d L ;\n") + solver +
		fmt.Sprintf("output:\n  Tmap ( DIE, %q, final ) ;\n", output)
}

// core is the floorplan of the die of ice.
func core(watts string) string {
	return "core :\n  position 0, 0 ;\n  dimension 10000, 10000 ;\n  power values " + watts + " ;\n"
}

// heights are n dies of n heights in one layer.
func heights(n int) string {
	return sequence(n, "[[die]]\nname = \"d%.0f\"\nsize = [1e-5, 1e-5]\n[[die.layer]]\nname = \"s\"\nmaterial = "+
		"\"silicon\"\nthickness = %.9g\npower = { uniform = 1e-3 }\n", 0, 1, 1e-5, 1e-8) +
		"[[layer]]\nname = \"dies\"\nmaterial = \"air\"\n" +
		tiled(100, n, "[[layer.die]]\nname = \"p%[1]d\"\ndie = \"d%[1]d\"\nx = %.9[4]g\ny = %.9[5]g\n", 100)
}

// crossed are 20,000 strips along y and as many along x.
func crossed() string {
	const n = 20_000
	const side = 0.01 / n
	region := "[[layer.region]]\nmaterial = \"copper\"\n"
	return sequence(n, region+"x = %.9g\ny = 0\nwidth = %.9g\nheight = 0.01\n", 0, side, side/2, 0) +
		sequence(n, region+"x = 0\ny = %.9g\nwidth = 0.01\nheight = %.9g\n", 0, side, side/2, 0)
}

// crossedCircles are n different circles all over the chip.
func crossedCircles(n int) string {
	return each(n, func(b *strings.Builder, i int) {
		at := func(step int) float64 { return 2e-3 + 6e-3*float64(i*step%n)/float64(n) }
		fmt.Fprintf(b, "[[layer.region]]\nmaterial = %q\ncircle = { x = %.9g, y = %.9g, diameter = %.9g }\n",
			[]string{"copper", "air"}[i%2], at(7919), at(4871), 0.5*at(1))
	})
}

// zigzag are the corners of a valid polygon, and star those of one that crosses itself everywhere.
func zigzag(n int) string {
	return each(n, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "[%.9g, %.9g], ", float64(i)*8e-3/float64(n), 1e-3+float64(i%2)*7e-3)
	}) + "[8e-3, 9.5e-3], [0, 9.5e-3]"
}

func star(n int) string {
	return each(n, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "[%.9g, %.9g], ", 1e-3+float64(i%2)*7e-3, 1e-3+float64((i*7919)%n)*8e-3/float64(n))
	})
}

// arrow are the entries of a diagonal, a row and a column.
func arrow(n int) string {
	return each(n-1, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, "%d %[1]d 2\n1 %[1]d -1\n%[1]d 1 -1\n", i+2)
	})
}

// npy is the head of a NumPy file of that shape.
func npy(shape string) string {
	head := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(head)), byte(len(head) >> 8)}) + head
}

// zipped is an archive of names and their contents.
func zipped(namesAndTexts ...string) (string, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w, err := z.Create(namesAndTexts[i])
		if err != nil {
			return "", err
		}
		io.WriteString(w, namesAndTexts[i+1]) // writing to a buffer cannot fail
	}
	err := z.Close()
	return b.String(), err
}

// tarred is zipped as a tar file.
func tarred(namesAndTexts ...string) (string, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		text := namesAndTexts[i+1]
		if err := w.WriteHeader(&tar.Header{Name: namesAndTexts[i], Mode: 0o644, Size: int64(len(text))}); err != nil {
			return "", err
		}
		io.WriteString(w, text)
	}
	err := w.Close()
	return b.String(), err
}

// blackPNG is a square picture.
func blackPNG(side int) (string, error) {
	var b bytes.Buffer
	err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.Black}))
	return b.String(), err
}

// announcedPNG is a small picture that announces 60,000 by 60,000 pixels.
func announcedPNG() (string, error) {
	small, err := blackPNG(16)
	data := []byte(small)
	copy(data[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return string(data), err
}
