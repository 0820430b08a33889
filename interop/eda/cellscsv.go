package eda

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/stack"
)

// Columns of a CSV of placed cells.
const (
	colName = iota
	colCell
	colX
	colY
	colWidth
	colHeight
	colWatts
	columns
)

var columnNames = [...]string{colName: "name", colCell: "cell", colX: "x", colY: "y", colWidth: "width",
	colHeight: "height", colWatts: "watts"}

// cellsCSV reads placed cells: a heading with name, x, y, width, height and, in any order, cell and watts; lengths in
// um and power in W unless the heading has other units, as in "x [mm]". A cell without x and y is not placed.
func (m *reading) cellsCSV(path string) {
	r, done := m.input(path, "cells")
	if r == nil {
		return
	}
	defer done()
	m.cells, m.origin = newCells(path), path
	p := &csvParser{reading: m, file: path}
	if p.comments(r) {
		p.rows(r)
	}
}

type csvParser struct {
	*reading
	file   string
	before int          // number of lines of comments before the heading
	column [columns]int // its index, -1 for none
	scale  [columns]float64
	r      *csv.Reader
}

func (p *csvParser) pos(field int) stack.Pos {
	line, col := p.r.FieldPos(field)
	return stack.Pos{File: p.file, Line: line + p.before, Col: col}
}

// comments reads the lines before the heading: # die x0 y0 x1 y1, and # design NAME.
func (p *csvParser) comments(r *bufio.Reader) bool {
	for {
		next, err := r.Peek(1)
		if err != nil || next[0] != '#' && next[0] != '\n' && next[0] != '\r' {
			return true // the CSV reader reports the error
		}
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			p.Faults.Add(stack.Pos{File: p.file, Line: p.before + 1}, "is this a text file?",
				"the line is longer than %d characters", bufferSize)
			return false
		}
		p.before++
		f := strings.Fields(strings.TrimLeft(string(line), "#"))
		switch {
		case len(f) > 1 && f[0] == "design":
			p.design = f[1]
		case len(f) > 1 && f[0] == "die":
			var v [4]float64
			ok := len(f) >= 5
			for i := 0; i < 4 && ok; i++ {
				v[i], ok = parseFloat([]byte(f[i+1]))
				ok = ok && math.Abs(v[i]) <= maxMicrons
			}
			b := Box{v[0], v[1], v[2], v[3]}
			if !ok || !b.wide() {
				p.Faults.Add(stack.Pos{File: p.file, Line: p.before, Col: 1}, "write # die x0 y0 x1 y1 in um",
					"not a die area")
				return false
			}
			if p.die = append(p.die, b); len(p.die) > maxCorners {
				p.Faults.Add(stack.Pos{File: p.file, Line: p.before, Col: 1}, "", "more than %d rectangles of the die",
					maxCorners)
				return false
			}
		}
	}
}

// rows reads heading and cells.
func (p *csvParser) rows(r io.Reader) {
	p.r = csv.NewReader(r)
	p.r.Comment, p.r.ReuseRecord, p.r.TrimLeadingSpace = '#', true, true
	headed := false
	for {
		record, err := p.r.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			if !headed {
				p.Faults.Add(stack.Pos{File: p.file, Line: p.before + 1}, "", "the file of cells is empty")
			}
			return
		case errors.As(err, &parse):
			p.Faults.Add(stack.Pos{File: p.file, Line: parse.Line + p.before, Col: parse.Column}, "",
				"not valid CSV: %v", parse.Err)
			return
		case err != nil:
			p.Faults.Add(stack.Pos{File: p.file}, "is the file complete?", "cannot be read on: %v", err)
			return
		case !headed:
			if headed = true; !p.heading(record) {
				return
			}
		default:
			p.cell(record)
		}
	}
}

// heading finds the columns.
func (p *csvParser) heading(record []string) bool {
	for i := range p.column {
		p.column[i], p.scale[i] = -1, 1
	}
	for i, text := range record {
		name, unit, bracket := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "[")
		name, unit = strings.TrimSpace(name), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(unit), "]"))
		col := slices.Index(columnNames[:], name)
		if col < 0 || p.column[col] >= 0 {
			p.Faults.Add(p.pos(i), "", "unknown or second column %q; known: %s", stack.Shorten(text),
				strings.Join(columnNames[:], ", "))
			return false
		}
		p.column[col] = i
		if !bracket {
			continue
		}
		ok := false
		switch {
		case col == colWatts:
			p.scale[col], ok = powerUnit(unit)
		case col >= colX:
			p.scale[col], ok = lengthUnits[unit]
		}
		if !ok {
			p.Faults.Add(p.pos(i), "", "unknown unit in %q; lengths take nm, um, mm or m, watts W, mW, uW or nW",
				stack.Shorten(text))
			return false
		}
	}
	for _, c := range []int{colName, colX, colY, colWidth, colHeight} {
		if p.column[c] < 0 {
			p.Faults.Add(p.pos(0), "begin with the line name,cell,x,y,width,height,watts",
				"the heading has no column %q", columnNames[c])
			return false
		}
	}
	p.hasWatts = p.column[colWatts] >= 0
	return true
}

// lengthUnits are in um.
var lengthUnits = map[string]float64{"um": 1, "micron": 1, "microns": 1, "\u00b5m": 1, "nm": 1e-3, "mm": 1e3, "m": 1e6}

// cell reads a row.
func (p *csvParser) cell(record []string) {
	at := p.pos(p.column[colName])
	in := instance{line: int32(at.Line), kind: -1}
	name := record[p.column[colName]]
	if name == "" {
		p.Faults.Add(at, "", "the cell has no name")
		return
	}
	if c := p.column[colCell]; c >= 0 {
		in.kind, _ = p.cells.kinds.add([]byte(record[c]))
	}
	ok := true
	if in.placed = record[p.column[colX]] != "" || record[p.column[colY]] != ""; in.placed {
		ok = p.number(record, colX, maxMicrons, &in.x) && p.number(record, colY, maxMicrons, &in.y) &&
			p.number(record, colWidth, maxMicrons, &in.w) && p.number(record, colHeight, maxMicrons, &in.h)
		for _, side := range []int{colWidth, colHeight} {
			if ok && (side == colWidth && in.w < minSide || side == colHeight && in.h < minSide) {
				p.Faults.Add(p.pos(p.column[side]), "", "the %s of a cell must be %g um at least, got %s",
					columnNames[side], minSide, stack.Shorten(record[p.column[side]]))
				ok = false
			}
		}
	}
	if c := p.column[colWatts]; c >= 0 && record[c] != "" {
		ok = p.number(record, colWatts, maxWatts, &in.watts) && ok
		in.row = in.line
	}
	if !ok {
		return
	}
	if known := p.cells.add([]byte(name), '/', in); known != nil {
		p.Faults.Add(at, "", "cell %q is there already, on line %d", stack.Shorten(name), known.line)
		return
	}
	p.addWatts(in.watts)
}

// number reads a value of a row.
func (p *csvParser) number(record []string, col int, most float64, into *float64) bool {
	text := strings.TrimSpace(record[p.column[col]])
	v, ok := parseFloat([]byte(text))
	if v *= p.scale[col]; !ok || math.Abs(v) > most {
		p.Faults.Add(p.pos(p.column[col]), "", "%s must be a number of plausible size, got %q", columnNames[col],
			stack.Shorten(text))
		return false
	}
	*into = v
	return true
}
