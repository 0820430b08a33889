// Package eda makes power maps from the files of a chip's implementation: placement (DEF) with the sizes of its cells
// (LEF), or a CSV file of placed cells, and a report of the power of every instance as OpenSTA and OpenROAD print it
// (report_power -instances).
//
// The files are read as streams, packed with gzip or not. Every instance is a rectangle whose watts are spread over its
// area and summed in the tiles of a grid over the die ([Result.Map]). Nothing is dropped: watts that have no place are
// an error, or are spread over the die where [Request.Spread] says so, and the total of the map is checked against the
// sum of what was read.
//
// Formats: LEF/DEF 5.8 Language Reference (Cadence). Lengths are in um throughout.
package eda

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// Request says what to read. Either DEF and LEF or Placement are given.
type Request struct {
	DEF       string
	LEF       []string
	Placement string // CSV of placed cells, see [Result.WriteCells]
	Power     string // report of instances; may be "" where Placement has a column of watts
	// Die replaces the die area of the files; a CSV that does not name one needs it.
	Die    Box
	NX, NY int // tiles of the map
	// Spread spreads the watts of instances without a place evenly over the die. Otherwise they are an error.
	Spread bool
	Open   Opener // nil stands for inputfile.Open
}

// MaxTiles is the largest number of tiles of a map; more would not fit the size of a file that stack files may name.
const MaxTiles = 10_000_000

// Result is a power map and where it comes from.
type Result struct {
	Design string // name, "" where the files tell none
	Die    []Box  // disjoint rectangles that make up the die
	Bounds Box    // of the die; what the map covers
	Map    *Map
	Watts  float64 // sum of all rows read; Map.Total equals it within 1e-12
	Notes  []importer.Note

	Instances int     // placed or not
	Silent    int     // without a row in the report: 0 W
	Clipped   int     // with watts, and reaching beyond the die
	Strays    int     // with watts and without a place
	StrayW    float64 // their watts, spread over the die
	Negative  int     // with less than 0 W

	cells   *cells
	strays  *strays
	sources []string
}

// Import reads the files and bins the power. The error is a [stack.ErrorList] with the place of every fault.
func Import(q Request) (*Result, error) {
	if q.NX < 1 || q.NY < 1 || q.NX > MaxTiles/q.NY {
		return nil, fmt.Errorf("a power map has 1 to %d tiles, got %d x %d", MaxTiles, q.NX, q.NY)
	}
	var faults importer.Faults
	m := &reading{open: q.Open, faults: &faults}
	r := &Result{}
	first := q.DEF
	if q.Placement != "" {
		first = q.Placement
		m.cellsCSV(q.Placement)
	} else {
		lib := m.lefs(q.LEF)
		if err := faults.Err(""); err != nil {
			return nil, err // rather than macros missing by the thousand
		}
		m.def(q.DEF, lib)
	}
	if err := faults.Err(first); err != nil {
		return nil, err
	}
	if q.Die != (Box{}) {
		if !q.Die.wide() {
			return nil, fmt.Errorf("the die %v has no area", q.Die)
		}
		m.die = []Box{q.Die}
	}
	if len(m.die) == 0 {
		return nil, &stack.Error{Pos: stack.Pos{File: first}, Msg: "no die area is given",
			Remedy: "give it with --die x0,y0,x1,y1 in um"}
	}
	r.Design, r.Die, r.Bounds, r.cells = m.design, m.die, bounds(m.die), m.cells
	r.sources = sources(q)
	m.powerReport(q)
	m.checkStrays(q, r)
	if err := faults.Err(first); err != nil {
		return nil, err
	}
	r.strays = &m.strays
	r.Watts = m.total.value()
	if err := m.bin(q, r); err != nil {
		return nil, err
	}
	r.Notes = m.notes
	return r, nil
}

// reading is what the files have told so far.
type reading struct {
	open   Opener
	faults *importer.Faults
	notes  []importer.Note

	design    string
	die       []Box
	cells     *cells
	hasWatts  bool // the placement file told watts itself
	strays    strays
	total     sum // of all watts read
	magnitude sum // of their absolute values
	origin    string
}

func (m *reading) note(kind importer.NoteKind, pos stack.Pos, format string, args ...any) {
	m.notes = append(m.notes, importer.Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// addWatts counts watts that were read, wherever they will go.
func (m *reading) addWatts(w float64) {
	m.total.add(w)
	m.magnitude.add(math.Abs(w))
}

// sources are the files of the request, for comments.
func sources(q Request) []string {
	var all []string
	if q.Placement != "" {
		all = append(all, q.Placement)
	} else {
		all = append(append(all, q.DEF), q.LEF...)
	}
	if q.Power != "" {
		all = append(all, q.Power)
	}
	return all
}
