//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// many repeats a format with numbers from 0.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// strip is a region, or a block, of its own for each of n x n places on the chip.
func strips(n int, head, tail string) string {
	var b strings.Builder
	side := 0.01 / float64(n)
	for j := range n {
		for i := range n {
			fmt.Fprintf(&b, "%s\nx = %.9g\ny = %.9g\nwidth = %.9g\nheight = %.9g\n%s", head, float64(i)*side,
				float64(j)*side, side, side, tail)
		}
	}
	return b.String()
}

// defines is a chain of n constants, each made of the next.
func defines(n int) string {
	return "[define]\n" + many(n, "a%d = \"a%[1]d_\"\n")
}

func chainOfConstants(n int, last string) string {
	var b strings.Builder
	b.WriteString("[define]\n")
	for i := range n {
		fmt.Fprintf(&b, "v%d = \"v%d + 1 um\"\n", i, i+1)
	}
	fmt.Fprintf(&b, "v%d = %q\n", n, last)
	return b.String()
}

// heights are n dies of n heights, all of which a layer holds.
func heights(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[die]]\nname = \"d%d\"\nsize = [1e-5, 1e-5]\n[[die.layer]]\nname = \"s\"\nmaterial = "+
			"\"silicon\"\nthickness = %.9g\npower = { uniform = 1e-3 }\n", i, 1e-5+float64(i)*1e-8)
	}
	b.WriteString("[[layer]]\nname = \"dies\"\nmaterial = \"air\"\n")
	for i := range n {
		fmt.Fprintf(&b, "[[layer.die]]\nname = \"p%d\"\ndie = \"d%[1]d\"\nx = %.9g\ny = %.9g\n", i, float64(i%100)*1e-4,
			float64(i/100)*1e-4)
	}
	return b.String()
}

// included is a stack that includes n files, each of which includes the next.
func included(n int, cyclic bool) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := stackText("include = [\"i0.toml\"]\n" + sheet("includes", heated, ""))(dir)
		for i := range n {
			next := i + 1
			if next == n && cyclic {
				next = 0
			}
			text := fmt.Sprintf("include = [\"i%d.toml\"]\n", next)
			if next == n {
				text = ""
			}
			err = errorsOf(err, write(filepath.Join(dir, fmt.Sprintf("i%d.toml", i)), func(w *bufio.Writer) {
				w.WriteString(text)
			}))
		}
		return args, err
	}
}

func manyInputs() []input {
	// Texts are made when they are wanted: all of them would fill the memory.
	check := func(text func() string) func(string) ([]string, error) {
		return stackOf("check", func(w io.Writer) { io.WriteString(w, text()) })
	}
	zigzag := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[%.9g, %.9g], ", float64(i)*8e-3/float64(n), 1e-3+float64(i%2)*7e-3)
		}
		return b.String() + "[8e-3, 9.5e-3], [0, 9.5e-3]"
	}
	return []input{
		{"pairs", "7 MB of pairs of numbers in a stack file", check(func() string {
			return sheet("pairs", heated, "pairs = ["+strings.Repeat("[1,2],", 1_230_000)+"]")
		}), true},
		{"pairs-unknown", "5 MB of pairs of numbers, few enough to be read", check(func() string {
			return sheet("pairs", heated, "pairs = ["+strings.Repeat("[1.25,2.25],", 460_000)+"]")
		}), true},
		{"blanks", "10 MB of numbers, few enough to be read", check(func() string {
			return sheet("numbers", heated, "numbers = ["+strings.Repeat("1.25, ", 1_650_000)+"]")
		}), true},
		{"strings", "10 MB of strings, few enough to be read", check(func() string {
			return sheet("strings", heated, "strings = ["+strings.Repeat("\"ab\",", 1_650_000)+"]")
		}), true},
		{"numbers", "10 MB of numbers in a stack file", check(func() string {
			return sheet("numbers", heated, "numbers = ["+strings.Repeat("1,", 5_000_000)+"]")
		}), true},
		{"empty-tables", "10 MB of empty tables in an array", check(func() string {
			return sheet("tables", heated, "tables = ["+strings.Repeat("{},", 3_300_000)+"]")
		}), true},
		{"dates", "10 MB of dates", check(func() string {
			return sheet("dates", heated, "dates = ["+strings.Repeat("1979-05-27,", 900_000)+"]")
		}), true},
		{"escapes", "string of 10 MB of escapes", check(func() string {
			return sheet("escapes", heated, "x = \""+strings.Repeat(`\u0041`, 1_600_000)+"\"")
		}), true},
		{"layers-tables", "10 MB of empty layers", check(func() string {
			return sheet("layers", heated, strings.Repeat("[[layer]]\n", 1_000_000))
		}), true},
		{"probes-100000", "100,000 probes", check(func() string {
			return sheet("probes", heated,
				many(100_000, "[[probe]]\nname = \"p%d\"\nx = 1e-3\ny = 1e-3\nlayer = \"die\"\n"))
		}), false},
		{"probes-same", "100,000 probes of one name", check(func() string {
			return sheet("probes", heated,
				strings.Repeat("[[probe]]\nname = \"p\"\nx = 1e-3\ny = 1e-3\nlayer = \"die\"\n", 100_000))
		}), true},
		{"layers-4900", "4,900 layers of a stack file", check(func() string {
			return sheet("layers", heated,
				many(4900, "[[layer]]\nname = \"l%d\"\nmaterial = \"silicon\"\nthickness = 1e-6\n"))
		}), false},
		{"materials-100000", "100,000 materials, none used", check(func() string {
			return sheet("materials", heated, many(100_000, "[materials.m%d]\nk = 1\nc = 1\n"))
		}), false},
		{"define-100000", "chain of 100,000 constants", check(func() string {
			return sheet("constants", heated, chainOfConstants(100_000, "1 um"))
		}), true},
		{"define-unknown", "100,000 constants made of unknown ones", check(func() string {
			return sheet("constants", heated, defines(100_000))
		}), true},
		{"define-long", "constant of a sum of 1,000,000 terms", check(func() string {
			return sheet("constants", heated, "[define]\na = \"1"+strings.Repeat("+1", 1_000_000)+"\"\n")
		}), true},
		{"define-nested", "constant in 1,000,000 parentheses", check(func() string {
			return sheet("constants", heated, "[define]\na = \""+strings.Repeat("(", 1_000_000)+"1"+strings.Repeat(")",
				1_000_000)+"\"\n")
		}), true},
		{"define-minus", "constant behind 1,000,000 signs", check(func() string {
			return sheet("constants", heated, "[define]\na = \""+strings.Repeat("-", 1_000_000)+"1\"\n")
		}), true},
		{"define-powers", "product of 100,000 metres", check(func() string {
			return sheet("constants", heated, "[define]\na = \"1 m"+strings.Repeat(" m", 100_000)+"\"\n")
		}), true},
		{"define-power", "unit to the power of 1e9", check(func() string {
			return sheet("constants", heated, "[define]\na = \"1 m^1000000000\"\n")
		}), true},
		{"define-wide", "constant that names 100,000 others, each of which names 100", check(func() string {
			return sheet("constants", heated, wideConstants(300, 300))
		}), true},
		{"dies-2000", "2,000 dies of 2,000 heights in a layer", check(func() string {
			return strings.Replace(sheet("heights", heated, heights(2000)), "16", "128", 2)
		}), true},
		{"dies-1000", "1,000 dies of 1,000 heights in a layer", check(func() string {
			return sheet("heights", heated, heights(1000))
		}), true},
		{"dies-200", "200 dies of 200 heights in a layer", check(func() string {
			return sheet("heights", heated, heights(200))
		}), false},
		{"regions-100000", "100,000 regions side by side", check(func() string {
			return sheet("regions", heated, strips(316, "[[layer.region]]\nmaterial = \"copper\"", ""))
		}), false},
		{"regions-named", "40,000 regions with names and powers", check(func() string {
			return sheet("regions", heated, strips(200, "[[layer.region]]\nname = \"r\"\nmaterial = \"copper\"",
				"power = { uniform = \"1 mW\" }\n"))
		}), false},
		{"regions-same", "100,000 regions over each other", check(func() string {
			return sheet("regions", heated,
				strings.Repeat("[[layer.region]]\nmaterial = \"copper\"\nx = 0\ny = 0\nwidth = 5e-3\nheight = 5e-3\n",
					100_000))
		}), false},
		{"regions-nested", "20,000 regions within each other", check(func() string {
			return sheet("regions", heated, nested(20_000))
		}), false},
		{"regions-crossed", "20,000 strips across 20,000 strips", check(func() string {
			return sheet("regions", heated, crossed(20_000))
		}), false},
		{"regions-wrong", "100,000 regions outside of the chip", check(func() string {
			return sheet("regions", heated,
				strings.Repeat("[[layer.region]]\nmaterial = \"copper\"\nx = 1\ny = 0\nwidth = 5e-3\nheight = 5e-3\n",
					100_000))
		}), true},
		{"regions-unknown", "100,000 regions of unknown materials", check(func() string {
			return sheet("regions", heated,
				many(100_000, "[[layer.region]]\nmaterial = \"m%d\"\nx = 0\ny = 0\nwidth = 5e-3\nheight = 5e-3\n"))
		}), true},
		{"circles-region", "50,000 circles over each other", check(func() string {
			return sheet("circles", heated,
				strings.Repeat("[[layer.region]]\nmaterial = \"copper\"\ncircle = { x = 5e-3, y = 5e-3, "+
					"diameter = 9e-3 }\n", 50_000))
		}), false},
		{"regions-crossed-solved", "20,000 strips across 20,000 strips, solved",
			stackText(sheet("regions", heated, crossed(20_000))), false},
		{"circles-crossed-solved", "50,000 circles that cross, solved",
			stackText(sheet("circles", heated, crossedCircles(50_000))), false},
		{"polygon-300000", "polygon of 300,000 corners that is none", check(func() string {
			return sheet("polygon", heated, "[[layer.region]]\nmaterial = \"copper\"\npolygon = ["+many(300_000,
				"[%d, 1], ")+"]\n")
		}), true},
		{"polygon-zigzag", "polygon of 200,000 corners in zigzag", check(func() string {
			return sheet("polygon", heated, "[[layer.region]]\nmaterial = "+
				"\"copper\"\npolygon = ["+zigzag(200_000)+"]\n")
		}), false},
		{"polygon-crossed", "polygon of 200,000 corners that crosses itself everywhere", check(func() string {
			return sheet("polygon", heated, "[[layer.region]]\nmaterial = \"copper\"\npolygon = ["+star(200_000)+"]\n")
		}), true},
		{"polygon-patches", "1,000 polygons of 300 corners on a face", check(func() string {
			return sheet("polygon", heated,
				strings.Repeat("[[boundary.bottom.patch]]\nh = 10\npolygon = ["+zigzag(300)+"]\n", 1000))
		}), false},
		{"blocks-same", "100,000 blocks over each other", check(func() string {
			return sheet("blocks", "",
				many(100_000, "[[layer.block]]\nname = \"b%d\"\nx = 0\ny = 0\nwidth = 5e-3\nheight = 5e-3\npower "+
					"= \"1 mW\"\n"))
		}), true},
		{"blocks-named", "100,000 blocks of one name", check(func() string {
			return sheet("blocks", "", strips(316, "[[layer.block]]\nname = \"b\"", "power = \"1 mW\"\n"))
		}), true},
		{"powers-100000", "100,000 uniform powers of a layer", check(func() string {
			return sheet("powers", "", strings.Repeat("[[layer.power]]\nuniform = \"1 mW\"\n", 100_000))
		}), false},
		{"patches-100000", "100,000 rectangles on a face", check(func() string {
			return sheet("patches", heated, strips(316, "[[boundary.bottom.patch]]\nh = 10", ""))
		}), false},
		{"grid-runs", "100,000 runs of cells along x", check(func() string {
			return strings.Replace(sheet("grid", heated, ""), "nx = 16",
				"x = ["+many(100_000, "{ to = 1e-%d, cells = 1 }, ")+"]", 1)
		}), true},
		{"grid-1e13", "grid of 100,000 by 10,000 cells and 10,000 along z", check(func() string {
			return strings.Replace(strings.Replace(sheet("grid", heated+"\ncells = 10000", ""), "= 16", "= 100000", 1),
				"= 16", "= 10000", 1)
		}), false},
		{"include-cycle", "file that includes itself through 100 others", included(100, true), true},
		{"include-chain", "chain of 2,000 includes", included(2000, false), false},
		{"include-same", "the same file included 500,000 times", check(func() string {
			return "include = [" + strings.Repeat(`"stack.toml",`, 500_000) + "]\n" + sheet("", heated, "")
		}), true},
		{"include-none", "500,000 files included that are not there", check(func() string {
			return "include = [" + many(500_000, `"f%d.toml",`) + "]\n" + sheet("", heated, "")
		}), true},
		{"curve-laminate", "laminate of 100,000 plies", check(func() string {
			return strings.Replace(
				sheet("plies", heated,
					"[materials.own]\nlaminate = ["+strings.Repeat(`{ material = "copper", thickness = 1e-6 }, `,
						100_000)+"]\n"), `"silicon"`, `"own"`, 1)
		}), false},
		{"coolant-zones", "cavity of 100,000 zones", check(func() string {
			return cavity(`zone = [` + many(100_000, "{ to = 1e-%d, flow = 1e-9 }, ") + "]")
		}), true},
		{"coolant-1e308", "flow of 1e308 in channels of 1e-300", check(func() string {
			return cavity(`flow = 1e308, channel_count = 40000, channel_width = 1e-300, wall_width = 1e-300`)
		}), true},
		{"coolant-40000", "cavity of 40,000 channels", check(func() string {
			return cavity(`flow = 1e-7, channel_count = 40000, channel_width = 1e-7, wall_width = 1e-7`)
		}), false},
		{"fins-100000", "heat sink of 100,000 fins of 1e300 m", check(func() string {
			return strings.Replace(sheet("fins", heated, "[heat_sink]\nmaterial = \"copper\"\nbase = 1e-3\nfins = { "+
				"count = 100000, thickness = 1e-300, height = 1e300, h = 1e300 }\n"),
				"boundary.top.h = \"5000 W/(m^2 K)\"", "", 1)
		}), true},
		{"transient-at", "transient with 1,000,000 times to write", stackOf("transient", func(w io.Writer) {
			io.WriteString(w, sheet("times", heated, "[transient]\nuntil = 1\nat = ["+many(1_000_000, "%d,")+"]\n"))
		}), true},
	}
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		at := 4.9e-3 * float64(i) / float64(n)
		fmt.Fprintf(&b, "[[layer.region]]\nmaterial = \"copper\"\nx = %.9g\ny = %.9[1]g\nwidth = %.9g\nheight "+
			"= %.9[2]g\n", at, 1e-2-2*at)
	}
	return b.String()
}

func crossed(n int) string {
	var b strings.Builder
	side := 0.01 / float64(n)
	for i := range n {
		fmt.Fprintf(&b, "[[layer.region]]\nmaterial = \"copper\"\nx = %.9g\ny = 0\nwidth = %.9g\nheight = 0.01\n",
			float64(i)*side, side/2)
	}
	for i := range n {
		fmt.Fprintf(&b, "[[layer.region]]\nmaterial = \"copper\"\nx = 0\ny = %.9g\nwidth = 0.01\nheight = %.9g\n",
			float64(i)*side, side/2)
	}
	return b.String()
}

// crossedCircles lie all over the chip, none like another.
func crossedCircles(n int) string {
	var b strings.Builder
	for i := range n {
		at := func(step int) float64 { return 2e-3 + 6e-3*float64(i*step%n)/float64(n) }
		material := [2]string{"copper", "air"}[i%2]
		fmt.Fprintf(&b, "[[layer.region]]\nmaterial = %q\ncircle = { x = %.9g, y = %.9g, diameter = %.9g }\n", material,
			at(7919), at(4871), 0.5*at(1))
	}
	return b.String()
}

// star goes from one side of the chip to the other with every corner.
func star(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[%.9g, %.9g], ", 1e-3+float64(i%2)*7e-3, 1e-3+float64((i*7919)%n)*8e-3/float64(n))
	}
	return b.String()
}

func wideConstants(n, m int) string {
	var b strings.Builder
	b.WriteString("[define]\nfirst = \"1")
	for i := range n {
		fmt.Fprintf(&b, "+a%d", i)
	}
	b.WriteString("\"\n")
	for i := range n {
		fmt.Fprintf(&b, "a%d = \"1", i)
		for j := range m {
			fmt.Fprintf(&b, "+b%d", j)
		}
		b.WriteString("\"\n")
	}
	b.WriteString(many(m, "b%d = 1\n"))
	return b.String()
}

func cavity(keys string) string {
	return sheet("cavity", heated, "[[layer]]\nname = \"cavity\"\nmaterial = \"silicon\"\nthickness = \"100 "+
		"um\"\ncoolant = { fluid = \"water\", inlet = \"27 degC\", direction = \"+y\", "+keys+" }\n[[layer]]\nname = "+
		"\"top\"\nmaterial = \"silicon\"\nthickness = \"100 um\"\n")
}
