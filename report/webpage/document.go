// Package webpage writes report.html: a self-contained page of a run without network access. Tables are plain HTML. The
// scripts in assets draw the map, its charts and the views in three dimensions from temperatures packed into the page.
package webpage

import (
	"fmt"
	"html/template"
	"image/color"
	"slices"
	"strconv"

	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Document is the content of a page. Scripts read the fields with JSON names.
type Document struct {
	Title  string `json:"title"`
	Caveat string `json:"caveat"` // in capitals, or empty
	// Warnings are doubts about the stack and its temperatures.
	Warnings []string `json:"-"`
	Byline   []string `json:"-"` // date, author and revision
	Verdict  Verdict  `json:"-"`
	// Drawing of the stack as SVG; empty for none.
	Drawing template.HTML `json:"-"`
	Version string        `json:"-"` // of thermsim
	Lead    []Part        `json:"-"`
	Facts   []Fact        `json:"-"`
	Tables  []Table       `json:"-"`
	Groups  []Group       `json:"-"`

	Size       [2]float64 `json:"size"`       // m
	Z          []float64  `json:"z"`          // faces of the planes, m
	PlaneLayer []int      `json:"planeLayer"` // layer of every plane
	Layers     []Layer    `json:"layers"`     // bottom to top
	Steps      []Step     `json:"-"`          // all steps of a transient; the chart shows an outline of very many
	Runs       []Run      `json:"-"`          // one, or two on one grid to compare
	Start      int        `json:"start"`      // plane shown first
	// s, of a transient: the frame nearest to it is shown first, the last one where it is 0
	StartTime float64    `json:"startTime,omitempty"`
	Pick      [2]float64 `json:"pick"` // point shown first, m
	// Peak is the highest temperature of the run, K; 0 for none. The map rounds it otherwise.
	Peak float64 `json:"peak"`
	// Powered is the rectangle around the dies with power, on which the map opens: x, y, width and height in m.
	Powered     *[4]float64  `json:"powered,omitempty"`
	Instants    *Instants    `json:"instants,omitempty"`
	CompareRuns bool         `json:"-"` // opens the page on the difference of its runs
	Colormaps   []Colormap   `json:"-"` // of temperatures, the first at first
	PowerColors []color.RGBA `json:"-"` // of power densities
	Measured    []Measured   `json:"measured,omitempty"`
	unit        *quantity.Scale
	TMax        float64 `json:"tmax"` // highest temperature allowed anywhere, K; 0 for none
}

// Verdict says whether the limits are met.
type Verdict struct {
	Kind   string // pass, fail or none; none without a document too
	Mark   string // ✓, ✗, ? or nothing
	Word   string // in capitals
	Text   string
	Limits []Verdict // the limits with the smallest margins
}

// Measured is a place with measured temperatures.
type Measured struct {
	Name   string       `json:"name"`
	X      float64      `json:"x"` // m
	Y      float64      `json:"y"` // m
	Plane  int          `json:"plane"`
	Values [][2]float64 `json:"values,omitempty"` // times in s and temperatures in K
}

// Colormap is 256 colours from cold to hot.
type Colormap struct {
	Name    string
	Colours []color.RGBA
}

// Layer is a slab of the stack.
type Layer struct {
	Name      string    `json:"name"`
	Material  string    `json:"material"`
	Thickness float64   `json:"thickness"` // m
	Blocks    []Outline `json:"blocks"`
	Regions   []Outline `json:"regions"`
	TMax      float64   `json:"tmax,omitempty"`   // K, of the whole layer; 0 for none
	Limits    []Outline `json:"limits,omitempty"` // parts that have a TMax
	Flow      *Flow     `json:"flow,omitempty"`   // of coolant
	Open      bool      `json:"open,omitempty"`   // outside its regions it is open space or a gas
	// Density computes the power density; nil without power. Power is the cached result of PackPower, or nil.
	Density Rows   `json:"-"`
	Power   *Power `json:"-"`
}

// Flow describes the coolant flow in a layer: its direction and its lanes.
type Flow struct {
	Along    int  `json:"along"` // 0 along x, 1 along y
	Backward bool `json:"backward,omitempty"`
	Resolved bool `json:"resolved,omitempty"` // lanes are channels with walls between: no isotherms are drawn
	// from and to across the flow in m, and speed over that of the fastest
	Lanes [][3]float64 `json:"lanes"`
}

// Outline is a named union of rectangles. Shapes, if any, are drawn instead of the rectangles.
type Outline struct {
	Name   string
	Rects  []stack.Rect
	Shapes []geometry.Shape
	TMax   float64 // K, 0 for none
	Open   bool    // open space or a gas
}

// MarshalJSON writes rectangles as x, y, width and height, circles as x, y and diameter, and polygons as their corners,
// in m; of shapes, which are drawn and no more, six digits.
func (o Outline) MarshalJSON() ([]byte, error) {
	b := append([]byte(`{"name":`), quoteJSON(o.Name)...)
	b = append(b, `,"rects":[`...)
	for i, r := range o.Rects {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "[%g,%g,%g,%g]", r.X, r.Y, r.Width, r.Height)
	}
	b = append(b, ']')
	if len(o.Shapes) > 0 {
		b = append(b, `,"shapes":[`...)
		for i, s := range o.Shapes {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendShape(b, s)
		}
		b = append(b, ']')
	}
	if o.TMax > 0 {
		b = fmt.Appendf(b, `,"tmax":%g`, o.TMax)
	}
	if o.Open {
		b = append(b, `,"open":true`...)
	}
	return append(b, '}'), nil
}

func appendShape(b []byte, s geometry.Shape) []byte {
	switch s := s.(type) {
	case geometry.Circle:
		b = fmt.Appendf(b, "[%.6g,%.6g,%.6g]", s.X, s.Y, s.Diameter)
	case geometry.Polygon:
		b = append(b, '[')
		for i, p := range s {
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, "[%.6g,%.6g]", p.X, p.Y)
		}
		b = append(b, ']')
	}
	return b
}

// Step is the end of a time step.
type Step struct{ Time, MaxK float64 }

// Run is a set of fields with a name.
type Run struct {
	Name   string
	Fields *Fields
}

// Part is a piece of text, or a temperature, which follows the page's unit.
type Part struct {
	Text        string
	Temperature bool
	Kelvin      string // exact value for scripts
	Unit        bool   // followed by the unit
	Symbol      string // of the unit; °C if empty
}

// Words is plain text.
func Words(text string) []Part { return []Part{{Text: text}} }

// Degrees is a temperature. Scripts can change its unit from degrees Celsius.
func Degrees(kelvin float64, decimals int, unit bool) Part {
	if kelvin-kelvin != 0 {
		return Part{Text: "-"}
	}
	return Part{
		Text: strconv.FormatFloat(kelvin-273.15, 'f', decimals, 64), Temperature: true,
		Kelvin: strconv.FormatFloat(kelvin, 'g', 12, 64), Unit: unit,
	}
}

// Fact is a labeled value.
type Fact struct {
	Label string
	Value []Part
}

// Group is a list of facts under a title.
type Group struct {
	ID, Title string
	Facts     []Fact
}

// Table is a table that can be sorted by its columns.
type Table struct {
	ID, Title, Note string
	Hint            string // on using the table; not for paper
	Long            bool   // it has a filter
	Columns         []Column
	Rows            [][]Cell
	Folds           []Fold // of the rows
}

// Fold says which rows of tiers of a memory stack are folded under another one.
type Fold struct {
	Stack  string // empty for other rows
	Folded bool   // under the row of the stack that is not
	More   int    // rows folded under this one
}

// Listed are the rows that are not folded. The first cells count those folded under them.
func (t *Table) Listed() (rows [][]Cell) {
	for n, r := range t.Rows {
		if n < len(t.Folds) && t.Folds[n].Folded {
			continue
		}
		if n < len(t.Folds) && t.Folds[n].More > 0 {
			r = slices.Clone(r)
			r[0].Text += fmt.Sprintf(" (+%d tiers)", t.Folds[n].More)
		}
		rows = append(rows, r)
	}
	return rows
}

// FoldOf is the fold of a row.
func (t *Table) FoldOf(n int) Fold {
	if n < len(t.Folds) {
		return t.Folds[n]
	}
	return Fold{}
}

// Column of a table.
type Column struct {
	Name        string
	Number      bool
	Temperature bool // in the unit of the page
	Difference  bool // of temperatures, in the unit of the report
}

// Cell of a table.
type Cell struct {
	Part
	Numeric bool
	Sort    string // value of a numeric cell
	Shows   bool   // a click shows the location on the map
	Plane   int
	X, Y    string // m
}

// Text is a cell with words.
func Text(text string) Cell { return Cell{Part: Part{Text: text}} }

// Number is a cell with a number in the unit of its column, and its text.
func Number(v float64, text string) Cell {
	return Cell{Part: Part{Text: text}, Numeric: true, Sort: strconv.FormatFloat(v, 'g', 12, 64)}
}

// Temperature is a cell with one in K.
func Temperature(kelvin float64, decimals int) Cell {
	p := Degrees(kelvin, decimals, false)
	return Cell{Part: p, Numeric: true, Sort: p.Kelvin}
}

// Place is a cell that shows a location (m) in a plane on the map.
func Place(text string, plane int, x, y float64) Cell {
	return Cell{Part: Part{Text: text}, Shows: true, Plane: plane, X: strconv.FormatFloat(x, 'g', 9, 64),
		Y: strconv.FormatFloat(y, 'g', 9, 64)}
}
