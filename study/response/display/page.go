package display

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"thermsim/report/picture"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Page is a self-contained page without scripts: facts, pictures and tables.
type Page struct {
	Title, What, Lead, Foot string
	Facts                   [][2]string
	Pictures                []Picture
	Tables                  []Table
}

// Picture is an embedded picture.
type Picture struct {
	Title string
	Data  template.URL
}

// Table has a header and rows of cells.
type Table struct {
	Title string
	Head  []Cell
	Rows  [][]Cell
}

// Cell is a text, or a number as text.
type Cell struct {
	Text   string
	Number bool
}

// Drawing can be written as a picture.
type Drawing interface {
	Write(w io.Writer, format picture.Format) error
}

// AddPicture adds a drawing to the page.
func (p *Page) AddPicture(title string, d Drawing) error {
	var b bytes.Buffer
	if err := d.Write(&b, picture.PNG); err != nil {
		return err
	}
	p.Pictures = append(p.Pictures,
		Picture{title, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))})
	return nil
}

// AddTable adds a table. A leading > in the header marks a column of numbers, as in tables for the terminal.
func (p *Page) AddTable(title string, header []string, rows [][]string) {
	t := Table{Title: title}
	numbers := make([]bool, len(header))
	for i, h := range header {
		numbers[i] = len(h) > 0 && h[0] == '>'
		if numbers[i] {
			h = h[1:]
		}
		t.Head = append(t.Head, Cell{h, numbers[i]})
	}
	for _, row := range rows {
		var cells []Cell
		for i, c := range row {
			cells = append(cells, Cell{c, numbers[i]})
		}
		t.Rows = append(t.Rows, cells)
	}
	p.Tables = append(p.Tables, t)
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error { return pageTemplate.Execute(w, p) }
