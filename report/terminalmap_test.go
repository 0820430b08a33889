package report

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/samples"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// The hottest cell must be marked in its place, and lines must fit the terminal.
func TestTerminalMap(t *testing.T) {
	// A peak at 7.5 mm, 6 mm of 10 x 8 mm.
	r := shaped(t, 100, 80, func(x, y, z float64) float64 {
		return 350 - 1e6*((x-7.5e-3)*(x-7.5e-3)+(y-6e-3)*(y-6e-3))
	})
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{60, 100} {
		var b strings.Builder
		style := printout.Style{Width: width}
		if style.Units, err = quantity.ParseUnits("degF"); err != nil {
			t.Fatal(err)
		}
		if err := WriteTerminalMap(&b, r.Mesh, r.Solution.Field, s, style, TrueColor); err != nil {
			t.Fatal(err)
		}
		// an empty line first
		lines := strings.Split(strings.TrimRight(escapes.ReplaceAllString(b.String(), ""), "\n"), "\n")[1:]
		if !strings.HasPrefix(lines[0], "Hottest layer: ") {
			t.Errorf("the heading is %q", lines[0])
		}
		rows := lines[1:]
		if !strings.HasSuffix(rows[0], " 170.32 °F") { // 349.995 K in the hottest cell
			t.Errorf("the scale begins with %q", rows[0])
		}
		columns, want := mapSize(10e-3, 8e-3, width)
		if len(rows) != want {
			t.Fatalf("%d rows, want %d", len(rows), want)
		}
		for i, l := range rows {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("line %d has %d characters for %d", i, n, width)
			}
			at := strings.IndexRune(l, '✕')
			if at < 0 {
				continue
			}
			column := utf8.RuneCountInString(l[:at]) - 2
			x, y := (float64(column)+0.5)/float64(columns)*10, 8-(float64(i)+0.5)/float64(len(rows))*8
			if x < 7.2 || x > 7.8 || y < 5.7 || y > 6.3 {
				t.Errorf("the mark is at %.2f, %.2f mm, want 7.5, 6", x, y)
			}
		}
		if n := strings.Count(b.String(), "✕"); n != 1 {
			t.Errorf("%d marks", n)
		}
	}
}

func TestNoMapWithoutColor(t *testing.T) {
	r := shaped(t, 10, 8, func(x, y, z float64) float64 { return 300 + x })
	s, err := Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	style := printout.Style{Width: 100}
	if err := WriteTerminalMap(&b, r.Mesh, r.Solution.Field, s, style, NoColor); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := WriteTerminalMap(&b, r.Mesh, r.Solution.Field, s, style, Palette256); err != nil ||
		!strings.Contains(b.String(), "\x1b[38;5;") ||
		strings.Contains(b.String(), ";2;") {
		t.Errorf("256 colours: %v", err)
	}
}

// shaped is the sample run with another field.
func shaped(t *testing.T, nx, ny int, f func(x, y, z float64) float64) *Run {
	r := sampleRun(t, nx, ny)
	r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: f}
	return r
}
