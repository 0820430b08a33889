package stackfile

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// bounded is a small stack with something behind it.
func bounded(rest string) string {
	return "schema = 1\nsize = [\"10 mm\", \"10 mm\"]\nboundary.top = { h = 1e3 }\n" + rest + "\n[[layer]]\nname = " +
		"\"die\"\nmaterial = \"silicon\"\nthickness = \"1 mm\"\npower = { uniform = 1 }\n"
}

// A chain of constants may be as long as maxChained and no longer.
func TestChainsOfConstants(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("[define]\n")
		for i := range n - 1 {
			fmt.Fprintf(&b, "v%d = \"v%d + 1\"\n", i, i+1)
		}
		fmt.Fprintf(&b, "v%d = 1\n", n-1)
		return b.String()
	}
	if _, err := Parse("main.toml", []byte(bounded(chain(maxChained))), nil); err != nil {
		t.Error(err)
	}
	folder{"main.toml": bounded(chain(maxChained + 1))}.refused(t,
		"main.toml:1005:1: constant v1000 is nested below 1000 other constants; "+
			"write the value")
}

// A file that is named again and again is read once.
func TestIncludedOften(t *testing.T) {
	files := folder{"part.toml": "[materials.own]\nk = 1\nc = 1e6\n"}
	read := 0
	open := func(path string) ([]byte, error) { read++; return files.open(path) }
	if _, err := Parse("main.toml", []byte("include = ["+strings.Repeat("\"part.toml\",", 1000)+"]\n"+bounded("")),
		open); err != nil || read != 1 {
		t.Errorf("read %d times, %v", read, err)
	}
}

// Tables beyond those whose faults are told are not looked at, and more layers than a stack has are refused before they
// are read.
func TestManyTables(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("[[layer]]\n", 3000): `main.toml:4:3: a layer needs the key "name"`,
		strings.Repeat("[[layer]]\nname = \"a\"\nmaterial = \"silicon\"\nthickness = 1\n",
			stack.MaxLayers): fmt.Sprintf(
			"main.toml:%d:3: layer has %d entries at most, this one %d", 5+4*stack.MaxLayers, stack.MaxLayers,
			stack.MaxLayers+1),
		strings.Repeat("[[layer]]\nname = \"a\"\nmaterial = \"none\"\nthickness = 1\n",
			100): `main.toml:6:12: unknown material "none"`,
		strings.Repeat("[[probe]]\nname = \"p\"\nx = 0\ny = 0\nlayer = \"dye\"\n",
			100): `main.toml:8:9: no layer is called "dye"; did you mean "die"?`,
		strings.Repeat("[[boundary.bottom.patch]]\nh = 1\npolygon = ["+zigzag(9000)+"]\n",
			3): "boundary.bottom: more than 20000 corners of polygons; give a map, or polygons of fewer corners",
		"[transient]\ndt = 1e-300\n": "main.toml:5:6: dt: a time must be at least 1e-18 s, got 1e-300 s; " +
			"is the unit right?",
		"[transient]\nuntil = \"1e-20 ms\"\n": "main.toml:5:9: until: a time must be at least 1e-18 s",
		"ambient = 1e308\n":                   "ambient must not exceed 1e+30, got 1e+308; is the unit right?",
		"[materials.own]\nk = 1e300\nc = 1\n[[layer]]\nname = \"l\"\nmaterial = " +
			"\"own\"\nthickness = 1\n": "must not exceed 1e+30, got 1e+300",
	} {
		_, err := Parse("main.toml", []byte(bounded(text)), nil)
		var list stack.ErrorList
		if !errors.As(err, &list) || !strings.Contains(err.Error(), want) || len(list) > faults.Most+1 {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// zigzag is a simple polygon of n corners and two.
func zigzag(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[%g, %g], ", float64(i)*8e-3/float64(n), 1e-3+float64(i%2)*7e-3)
	}
	return b.String() + "[8e-3, 9.5e-3], [0, 9.5e-3]"
}

// Dies that cut each other into many pieces make as many sources as regions: both count.
func TestDiesOfManyHeights(t *testing.T) {
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[[die]]\nname = \"d%d\"\nsize = [1e-5, 1e-5]\n[[die.layer]]\nname = \"s\"\nmaterial = "+
				"\"silicon\"\nthickness = %.9g\npower = { uniform = 1e-3 }\n", i, 1e-5+float64(i)*1e-8)
		}
		b.WriteString("[[layer]]\nname = \"room\"\nmaterial = \"silicon\"\n")
		for i := range n {
			fmt.Fprintf(&b, "[[layer.die]]\nname = \"p%d\"\ndie = \"d%[1]d\"\nx = %.9g\ny = %.9g\n", i,
				float64(i%100)*1e-4, float64(i/100)*1e-4)
		}
		return bounded(b.String())
	}
	if _, err := Parse("main.toml", []byte(text(30)), nil); err != nil {
		t.Error(err)
	}
	if _, err := Parse("main.toml", []byte(text(900)), nil); err == nil ||
		!strings.Contains(err.Error(), "more than 1000000 regions and sources; homogenize arrays with fill, or align "+
			"the heights of dies") {
		t.Errorf("%v", err)
	}
}

// A value that is set is found among many others, and one that is not there is not looked for in each.
func TestManyOverrides(t *testing.T) {
	var set []Override
	for i := range 2000 {
		o, err := ParseOverride(fmt.Sprintf("materials.m%d={k=1,c=1}", i))
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, o)
	}
	o, err := ParseOverride("materials.m7={k=2,c=1}")
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseOverride("layer.die.material=m7")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse("main.toml", []byte(bounded("")), nil, append(set, o, l)...)
	if err != nil || s.Materials[0].K[0] != 2 {
		t.Errorf("%v", err)
	}
}

// Lists of a sweep file have limits, which are told at the first entry beyond.
func TestListsOfASweep(t *testing.T) {
	for text, want := range map[string]string{
		"set = [" + strings.Repeat("\"a=1\",", 1001) +
			"]\n": "s.toml:2:6008: set has 1000 entries at most, this one 1001; remove some",
		"outputs = [" + strings.Repeat("\"a\",", 10_001) +
			"]\n": "s.toml:2:40012: outputs has 10000 entries at most",
		"[[vary]]\nkey = \"a\"\nkeys = [" + strings.Repeat("\"a\",", 1001) +
			"]\nvalues = [1]\n": "s.toml:4:4009: keys has 1000 entries at most",
		strings.Repeat("[[vary]]\nkey = \"a\"\nvalues = [1]\n",
			1001): "s.toml:3002:3: vary has 1000 entries at most, this one 1001; vary several keys together with keys",
		"set = [\"a=1\", \"b\"]\n": "s.toml:2:15: set: \"b\": write KEY=VALUE",
	} {
		if _, err := ParseSweep("s.toml", []byte("stack = \"c\"\n"+text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// A file of powers may be named by as many layers as there are: it is read once. Floorplans and maps have blocks and
// tiles of their own for each power, so what is read again is bounded.
func TestFilesNamedAgain(t *testing.T) {
	big := strings.Repeat("#", 1<<20) + "\n"
	files := folder{"a.flp": big + "b 1e-3 1e-3 0 0\n",
		"a.ptrace": "b\n" + testtier.Pick(big+"1\n", strings.Repeat("1\n", 1<<20))}
	layers := func(n int, plan string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[[layer]]\nname = \"l%d\"\nmaterial = \"silicon\"\nthickness = 1e-4\npower = { %s, "+
				"watts = \"a.ptrace\" }\n", i, plan)
		}
		return []byte(bounded(b.String()))
	}
	const block = `block = [{ name = "b", x = 0, y = 0, width = 1e-3, height = 1e-3 }]`
	if _, err := Parse("main.toml", layers(40, block), files.open); err != nil {
		t.Error(err)
	}
	if _, err := Parse("main.toml", layers(30, `floorplan = "a.flp"`), files.open); err != nil {
		t.Error(err)
	}
	_, err := Parse("main.toml", layers(40, `floorplan = "a.flp"`), files.open)
	want := "main.toml:168:23: a.flp: files that are referenced repeatedly total more than 32 MiB; describe " +
		"the die once as [[die]], and place it repeatedly"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A picture of one shade packs a thousand times: it may open to some millions of pixels and no more.
func TestPicturesOfOneShade(t *testing.T) {
	for side, ok := range map[int]bool{2000: true, 3000: false} {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
			t.Fatal(err)
		}
		if _, err := readGreys(b.Bytes()); (err == nil) != ok || !ok &&
			!strings.Contains(err.Error(), "image of 3000 by 3000 pixels in") {
			t.Errorf("%d: %v", side, err)
		}
	}
}

// What counts the faults that are not told stands behind those that are.
func TestTheRestComesLast(t *testing.T) {
	files := folder{"a.flp": strings.Repeat("b 1e-3 1e-3 0 0\n", 1000)}
	_, err := Parse("main.toml",
		[]byte(bounded("[[layer]]\nname = \"l\"\nmaterial = \"silicon\"\nthickness = 1\npower = { floorplan = "+
			"\"a.flp\", watts = { b = 1 } }\n")), files.open)
	if err == nil || !strings.HasPrefix(err.Error(), "a.flp:2:1: ") ||
		!strings.HasSuffix(err.Error(), "more errors; fix these first") {
		t.Errorf("%v", err)
	}
}
