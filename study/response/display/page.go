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

// Page is a page of its own, without scripts: facts, pictures and tables.
type Page struct {
	Title, What, Lead, Foot string
	Facts                   [][2]string
	Pictures                []Picture
	Tables                  []Table
}

// Picture is one that the page carries with it.
type Picture struct {
	Title string
	Data  template.URL
}

// Table has a head and rows of cells.
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

// Drawing is anything that writes itself as a picture.
type Drawing interface {
	Write(w io.Writer, format picture.Format) error
}

// AddPicture puts a drawing on the page.
func (p *Page) AddPicture(title string, d Drawing) error {
	var b bytes.Buffer
	if err := d.Write(&b, picture.PNG); err != nil {
		return err
	}
	p.Pictures = append(p.Pictures,
		Picture{title, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))})
	return nil
}

// AddTable takes a header in which a leading > marks a column of numbers, as tables for the terminal have it.
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
