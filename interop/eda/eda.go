// Package eda makes power maps from the files of a chip's implementation. The placement is a DEF with the sizes of its
// cells in LEF, or a CSV file of placed cells. The power of every instance is in a report of OpenSTA or OpenROAD
// (report_power -instances).
//
// The files are read as streams, with or without gzip. Every instance is a rectangle whose power is spread over its
// area and summed in the tiles of a grid over the die ([Result.Map]). Nothing is dropped: power without a location is
// an error, or is spread over the die with [Request.Spread]. The total of the map is checked against the sum of all
// rows.
//
// Formats: LEF/DEF 5.8 Language Reference (Cadence). Lengths are in um throughout.
package eda

import (
	"fmt"
	"math"
	"slices"

	"thermsim/interop/importer"
	"thermsim/powermap"
	"thermsim/stack"
)

// Request is what to read. Either DEF and LEF or Placement are given.
type Request struct {
	DEF       string
	LEF       []string
	Placement string // CSV of placed cells, see [Result.WriteCells]
	Power     string // report of instances; "" if Placement has a column of watts
	// Die replaces the die area of the files; a CSV without one needs it.
	Die    Box
	NX, NY int // tiles of the map
	// Spread spreads the power of instances without a location evenly over the die. Otherwise they are an error.
	Spread bool
	Open   Opener // nil is inputfile.Open
}

// MaxTiles is the largest number of tiles of a map; larger maps would exceed the limit for input files.
const MaxTiles = 10_000_000

// Result is a power map and its sources.
type Result struct {
	Design string // name, "" if the files have none
	Die    []Box  // disjoint rectangles that make up the die
	Bounds Box    // of the die; the map covers them
	Map    *Map
	Watts  float64 // sum of all rows read; Map.Total equals it within 1e-12
	Notes  []importer.Note

	Instances int     // placed or not
	Silent    int     // without a row in the report: 0 W
	Clipped   int     // with power, and extending beyond the die
	Strays    int     // with power and without a location
	StrayW    float64 // their power, spread over the die
	Negative  int     // with less than 0 W

	cells   *cells
	strays  *strays
	sources []string
}

// Import reads the files and bins the power. The error is a [stack.ErrorList] with the location of every fault.
func Import(q Request) (*Result, error) {
	if q.NX < 1 || q.NY < 1 || q.NX > MaxTiles/q.NY {
		return nil, fmt.Errorf("a power map has 1 to %d tiles, got %d x %d", MaxTiles, q.NX, q.NY)
	}
	m := &reading{open: q.Open}
	r := &Result{}
	first := q.DEF
	if q.Placement != "" {
		first = q.Placement
		m.cellsCSV(q.Placement)
	} else {
		lib := m.lefs(q.LEF)
		if err := m.Faults.Err(""); err != nil {
			return nil, err // otherwise thousands of macros would be missing
		}
		m.def(q.DEF, lib)
	}
	if err := m.Faults.Err(first); err != nil {
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
	if err := m.Faults.Err(first); err != nil {
		return nil, err
	}
	r.strays = &m.strays
	r.Watts = m.total.Value()
	if err := m.bin(q, r); err != nil {
		return nil, err
	}
	r.Notes = m.Notes
	return r, nil
}

// reading is the content of the files so far.
type reading struct {
	importer.Collector
	open Opener

	design    string
	die       []Box
	cells     *cells
	hasWatts  bool // the placement file has a column of watts
	strays    strays
	total     powermap.Sum // of all watts read
	magnitude powermap.Sum // of their absolute values
	origin    string
}

// addWatts adds power to the totals.
func (m *reading) addWatts(w float64) {
	m.total.Add(w)
	m.magnitude.Add(math.Abs(w))
}

// sources are the files of the request, for comments.
func sources(q Request) []string {
	all := append([]string{q.Placement, q.DEF}, append(slices.Clone(q.LEF), q.Power)...)
	if q.Placement != "" {
		all = []string{q.Placement, q.Power}
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
