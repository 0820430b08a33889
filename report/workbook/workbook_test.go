package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"thermsim/report/quantity"
	"thermsim/report/webpage"
)

// A reader of XML finds the sheets by their relations, numbers in the unit, and texts that are no formulas.
func TestWorkbook(t *testing.T) {
	d := &webpage.Document{Title: "a < b", Verdict: webpage.Verdict{Word: "PASS"}, Tables: []webpage.Table{{
		Title: "Layers", Columns: []webpage.Column{{Name: "layer"}, {Name: "max", Number: true, Temperature: true},
			{Name: "power W", Number: true}},
		Rows: [][]webpage.Cell{{webpage.Text("=1+1"), webpage.Temperature(373.15, 1), webpage.Number(2.5, "2.5")}},
	}}}
	f, err := quantity.ParseScale("degF")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, d, f); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for x := xml.NewDecoder(r); ; {
			token, err := x.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			switch e := token.(type) {
			case xml.CharData:
				all.WriteString(strings.TrimSpace(string(e)) + "|")
			case xml.StartElement:
				for _, a := range e.Attr {
					if a.Name.Local == "Target" || a.Name.Local == "name" {
						all.WriteString(a.Value + "|")
					}
				}
			}
		}
		texts[file.Name] = all.String()
	}
	for name, want := range map[string]string{
		"xl/worksheets/sheet1.xml":   "|a < b|PASS|",
		"xl/worksheets/sheet2.xml":   "|layer|max °F|power W|=1+1|212|2.5|",
		"xl/workbook.xml":            "|Report|Layers|",
		"xl/_rels/workbook.xml.rels": "|worksheets/sheet1.xml|worksheets/sheet2.xml|",
		"_rels/.rels":                "|xl/workbook.xml|",
	} {
		if got := texts[name]; got != want {
			t.Errorf("%s has %q, expected %q", name, got, want)
		}
	}
}
