package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/stack"
)

func labelled() *HeatMap {
	m := sampleMap(10e-3, 8e-3, 120, 96, hills)
	m.Title = "memory on logic, hybrid bonded"
	m.Blocks = []Outline{block("core", 2e-3, 1e-3, 2.5e-3, 4e-3), block("cache", 4.5e-3, 1e-3, 4e-3, 4e-3)}
	cache := append(m.Blocks[1].Rects(), stack.Rect{X: 4.5e-3, Y: 5e-3, Width: 1e-3, Height: 2e-3})
	m.Blocks[1].Rects = func() []stack.Rect { return cache }
	m.Regions = []Outline{block("die", 1e-3, 0.5e-3, 8e-3, 7e-3)}
	return m
}

// A picture for one column of a paper: 85 mm wide at 300 dpi.
func TestColumnWidth(t *testing.T) {
	m := labelled()
	m.Look = Look{Width: 85 / 25.4 * 72, DPI: 300}
	picture := render(t, m)
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w < 998 || w > 1010 { // 85 mm at 300 dpi are 1004 pixels
		t.Errorf("the picture is %d pixels wide, want 1004", w)
	}
	checkGolden(t, "column", picture)
}

func TestVectorFormats(t *testing.T) {
	m := labelled()
	m.Look.Width = 400
	for _, format := range []Format{SVG, PDF} {
		var b bytes.Buffer
		if err := m.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv("PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "map."+string(format)), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if format == PDF {
			if !bytes.HasPrefix(b.Bytes(), []byte("%PDF-")) || !bytes.Contains(b.Bytes(), []byte("%%EOF")) {
				t.Error("the PDF has no head or no end")
			}
			continue
		}
		texts := svgTexts(t, b.Bytes())
		for _, want := range []string{m.Title, "x (mm)", "core", "cache", "die", "°C"} {
			if !strings.Contains(texts, "\n"+want+"\n") {
				t.Errorf("the SVG lacks the text %q", want)
			}
		}
	}
	if err := m.Write(io.Discard, "gif"); err == nil || !strings.Contains(err.Error(), "png svg pdf") {
		t.Errorf("an unknown format: %v", err)
	}
}

// svgTexts are the texts of a document, a line each.
func svgTexts(t *testing.T, doc []byte) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(doc))
	var b strings.Builder
	b.WriteString("\n")
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatalf("the SVG is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				b.WriteString(string(token) + "\n")
			}
		case xml.EndElement:
			inText = false
		}
	}
}
