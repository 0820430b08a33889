//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"
)

// named is a stack that names a file.
func named(layer, rest, name string, contents func() []byte) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := stackText(sheet("named", layer, rest))(dir)
		args[0] = "check"
		// write tells what went wrong
		return args, errorsOf(err, write(filepath.Join(dir, name), func(w *bufio.Writer) {
			_, _ = w.Write(contents())
		}))
	}
}

// picture is a black PNG.
func picture(width, height int) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		// into memory
		_ = png.Encode(&b, image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black}))
		return b.Bytes()
	}
}

func namedInputs() []input {
	const block = "b 1e-2 1e-2 0 0\n"
	patch := func(name string) string {
		return "[[boundary.bottom.patch]]\nx = 0\ny = 0\nwidth = 1e-2\nheight = 1e-2\nmap = \"" + name +
			"\"\nunit = \"W/(m^2 K)\"\norientation = \"south-first\"\nscale = 1\n"
	}
	values := func(n int, value string) func() []byte {
		return func() []byte { return []byte(strings.Repeat(value+",", n-1) + value + "\n") }
	}
	npy := func(shape string) func() []byte {
		return func() []byte {
			head := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }"
			return append([]byte("\x93NUMPY\x01\x00"),
				append([]byte{byte(len(head)), byte(len(head) >> 8)}, head...)...)
		}
	}
	return []input{
		{"patch-map", "map of 5,000,000 coefficients in a line",
			named(heated, patch("h.csv"), "h.csv", values(5_000_000, "1")), true},
		{"patch-map-rows", "map of 1,000 rows of 5,000 coefficients",
			named(heated, patch("h.csv"), "h.csv", func() []byte {
				return []byte(strings.Repeat(strings.Repeat("1,", 4999)+"1\n", 1000))
			}), false},
		{"patch-npy", "NPY of 1e18 numbers", named(heated, patch("h.npy"), "h.npy", npy("1000000000, 1000000000")),
			true},
		{"patch-png", "PNG of 60,000 by 60,000 pixels",
			named(heated, strings.Replace(patch("h.png"), "orientation = \"south-first\"\n", "", 1), "h.png",
				func() []byte {
					small := picture(16, 16)()
					copy(small[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})
					binary.BigEndian.PutUint32(small[29:], crc32.ChecksumIEEE(small[12:29]))
					return small
				}), true},
		{"patch-png-packed", "PNG of 10,000 by 10,000 black pixels",
			named(heated, strings.Replace(patch("h.png"), "orientation = \"south-first\"\n", "", 1), "h.png",
				picture(10_000, 10_000)), true},
		{"map-ragged", "power map of 5,000,000 rows of other lengths",
			named(`power = { map = "m.csv", unit = "W", orientation = "south-first" }`, "", "m.csv", func() []byte {
				return []byte(strings.Repeat("1\n1,1\n", 1_600_000))
			}), true},
		{"map-text", "power map of a line of 10 MB of text",
			named(`power = { map = "m.csv", unit = "W", orientation = "south-first" }`, "", "m.csv", func() []byte {
				return bytes.Repeat([]byte("x"), 10_000_000)
			}), true},
		{"map-often", "4,000 powers by the same map of 10,000 tiles",
			named(strings.Repeat("[[layer.power]]\nmap = \"m.csv\"\nunit = \"W\"\norientation = \"south-first\"\n",
				4000), "", "m.csv", func() []byte {
				return []byte(strings.Repeat(strings.Repeat("1e-6,", 99)+"1e-6\n", 100))
			}), true},
		{"flp-often", "4,000 powers by the same floorplan of 1,000 blocks, which overlap",
			named(strings.Repeat("[[layer.power]]\nfloorplan = \"a.flp\"\nwatts = { b0 = 1 }\n", 4000), "", "a.flp",
				func() []byte {
					return []byte(many(1000, "b%d 1e-5 1e-5 0 0\n"))
				}), true},
		{"flp-line", "floorplan of a line of 10 MB", named(`power = { floorplan = "a.flp", watts = { b = 1 } }`, "",
			"a.flp", func() []byte { return bytes.Repeat([]byte("1 "), 5_000_000) }), true},
		{"flp-names", "floorplan of 600,000 blocks of one name",
			named(`power = { floorplan = "a.flp", watts = { b = 1 } }`, "", "a.flp", func() []byte {
				return []byte(strings.Repeat(block, 600_000))
			}), true},
		{"trace-wide", "trace of 2,500,000 columns", named(`power = { floorplan = "a.flp", trace = "t.csv" }`, "",
			"t.csv", func() []byte { return []byte("time" + strings.Repeat(",b", 2_500_000) + "\n") }), true},
		{"trace-rows", "trace of 1,000,000 rows", func(dir string) ([]string, error) {
			args, err := named(`power = { floorplan = "a.flp", trace = "t.csv" }`, "", "t.csv", func() []byte {
				return []byte("time,b\n" + many(1_000_000, "%d,1\n"))
			})(dir)
			return args, errorsOf(err, write(filepath.Join(dir, "a.flp"), func(w *bufio.Writer) {
				w.WriteString(block)
			}))
		}, false},
		{"trace-back", "trace of 1,000,000 rows at one time", func(dir string) ([]string, error) {
			args, err := named(`power = { floorplan = "a.flp", trace = "t.csv" }`, "", "t.csv", func() []byte {
				return []byte("time,b\n" + strings.Repeat("0,1\n", 1_000_000))
			})(dir)
			return args, errorsOf(err, write(filepath.Join(dir, "a.flp"), func(w *bufio.Writer) {
				w.WriteString(block)
			}))
		}, true},
		{"schedule", "schedule of 300,000 entries",
			named("power = { uniform = 1, schedule = ["+many(300_000, "{ t = %d, factor = 1 },")+"] }", "", "x",
				func() []byte { return nil }), false},
		{"watts-table", "200,001 powers in a table",
			named("power = { floorplan = \"a.flp\", watts = {"+many(200_001, "b%d = 1,")+"} }", "", "a.flp",
				func() []byte { return []byte(block) }), true},
		{"watts-unknown", "150,000 powers of blocks that are not there",
			named("power = { floorplan = \"a.flp\", watts = {"+strings.TrimSuffix(many(150_000, "c%d = 1,"), ",")+"} }",
				"", "a.flp", func() []byte { return []byte(fmt.Sprint(block)) }), true},
	}
}
