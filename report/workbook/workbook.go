// Package workbook writes the tables of a report as a workbook of Office Open XML, which spreadsheets read.
package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"thermsim/internal/printable"
	"thermsim/report/quantity"
	"thermsim/report/webpage"
)

const (
	spreadsheet = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relations   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageURL  = "http://schemas.openxmlformats.org/package/2006/"
	contentType = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// sheet is a sheet: the rows of its table as XML.
type sheet struct {
	name string
	rows bytes.Buffer
}

// Write writes a sheet with the verdict and the facts, and one for each table. Numbers have the precision of the page's
// tables, temperatures the given unit.
func Write(w io.Writer, d *webpage.Document, unit *quantity.Scale) error {
	sheets := []*sheet{front(d, unit)}
	for i := range d.Tables {
		sheets = append(sheets, tableOf(&d.Tables[i], unit))
	}
	z := zip.NewWriter(w)
	var types, list, rels strings.Builder
	for n, s := range sheets {
		id := n + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, id,
			contentType)
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, s.name, id, id)
		fmt.Fprintf(&rels, `<Relationship Id="r%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, id, relations,
			id)
		err := part(z, fmt.Sprintf("xl/worksheets/sheet%d.xml", id), `<worksheet `+spreadsheet+`><sheetData>`+
			s.rows.String()+`</sheetData></worksheet>`)
		if err != nil {
			return err
		}
	}
	for _, p := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + packageURL + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ` +
			`ContentType="` + contentType + `sheet.main+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packageURL + `relationships"><Relationship Id="r1" Type="` +
			relations + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook ` + spreadsheet + ` xmlns:r="` + relations + `"><sheets>` + list.String() +
			`</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageURL + `relationships">` + rels.String() +
			`</Relationships>`},
	} {
		if err := part(z, p[0], p[1]); err != nil {
			return err
		}
	}
	return z.Close()
}

func part(z *zip.Writer, name, text string) error {
	w, err := z.Create(name)
	if err == nil {
		_, err = io.WriteString(w, xml.Header+text)
	}
	return err
}

// front is the sheet of what comes before the tables.
func front(d *webpage.Document, unit *quantity.Scale) *sheet {
	s := &sheet{name: "Report"}
	s.row(d.Title)
	for _, b := range d.Byline {
		s.row(b)
	}
	s.row(d.Verdict.Word, d.Verdict.Text)
	for _, w := range d.Warnings {
		s.row("Warning", w)
	}
	facts := func(list []webpage.Fact) {
		for _, f := range list {
			text := ""
			for _, p := range f.Value {
				if v, err := strconv.ParseFloat(p.Kelvin, 64); err == nil {
					text += fmt.Sprintf("%.2f %s", unit.Of(v), unit.Symbol())
				} else {
					text += p.Text
				}
			}
			s.row(f.Label, text)
		}
	}
	facts(d.Facts)
	for _, g := range d.Groups {
		s.row()
		s.row(g.Title)
		facts(g.Facts)
	}
	return s
}

func tableOf(t *webpage.Table, unit *quantity.Scale) *sheet {
	s := &sheet{name: t.Title} // of letters and spaces, at most 31 characters
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
		if c.Temperature {
			head[i] += " " + unit.Symbol()
		}
	}
	s.row(head...)
	for _, r := range t.Rows {
		s.rows.WriteString("<row>")
		for _, c := range r {
			v, err := strconv.ParseFloat(c.Sort, 64)
			switch {
			case !c.Numeric:
				s.text(c.Text)
			case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
				s.rows.WriteString("<c/>")
			case c.Temperature:
				s.number(unit.Of(v))
			default:
				s.number(v)
			}
		}
		s.rows.WriteString("</row>")
	}
	return s
}

func (s *sheet) row(cells ...string) {
	s.rows.WriteString("<row>")
	for _, c := range cells {
		s.text(c)
	}
	s.rows.WriteString("</row>")
}

// text adds a cell with a text, which spreadsheets do not take for a formula.
func (s *sheet) text(text string) {
	s.rows.WriteString(`<c t="inlineStr"><is><t>`)
	_ = xml.EscapeText(&s.rows, []byte(printable.Text(text))) // a buffer takes anything
	s.rows.WriteString("</t></is></c>")
}

func (s *sheet) number(v float64) {
	s.rows.WriteString("<c><v>" + strconv.FormatFloat(v, 'g', 12, 64) + "</v></c>")
}
