package stackfile

import (
	"bytes"
	"fmt"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/units"
)

// ReadFLP reads a HotSpot floorplan: one block per line, as
//
//	name  width  height  left-x  bottom-y  [specific-heat  resistivity]
//
// in m, with # comments. The optional values and the lines of three words, which define connectivity in HotSpot, are
// ignored. As in HotSpot, the plan is moved so that its smallest x and y are 0. The blocks have no power yet. The
// error is an [stack.ErrorList].
func ReadFLP(path string, data []byte) ([]stack.Block, error) {
	r := &fileReader{file: path}
	var blocks []stack.Block
	index := map[string]int{}
	type link struct {
		line  int
		words []field
	}
	var links []link
	r.words(data, func(line int, w []field) bool {
		if len(w) == 3 {
			links = append(links, link{line, w})
			return true
		}
		b, ok := r.flpBlock(line, w)
		if first, twice := index[b.Name]; ok && twice {
			r.fail(line, w[0].col, "give each block its own name", "block %q is defined twice, first in line %d",
				faults.Shorten(b.Name), blocks[first].Pos.Line)
			return true
		}
		if ok {
			index[b.Name] = len(blocks)
			blocks = append(blocks, b)
		}
		return true
	})
	for _, l := range links {
		for _, w := range l.words[:2] {
			if _, known := index[w.text]; !known && len(r.faults.Found) == 0 {
				r.fail(l.line, w.col, "a block has name, width, height, left-x and bottom-y",
					"a line of three words must connect two blocks: %q is not a block", faults.Shorten(w.text))
			}
		}
	}
	if len(blocks) == 0 && len(r.faults.Found) == 0 {
		r.fail(1, 1, "write lines of name, width, height, left-x and bottom-y in m", "the floorplan has no blocks")
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	toOrigin(blocks)
	return blocks, nil
}

func (r *fileReader) flpBlock(line int, w []field) (stack.Block, bool) {
	if len(w) < 5 || len(w) > 8 {
		r.fail(line, w[0].col, "a block has name, width, height, left-x and bottom-y",
			"%d words in a line of a floorplan", len(w))
		return stack.Block{}, false
	}
	var v [4]float64
	for i, what := range []string{"width", "height", "left-x", "bottom-y"} {
		x, ok := r.number(line, w[i+1], what)
		if ok && i < 2 && x <= 0 {
			r.fail(line, w[i+1].col, "", "%s of block %q must be positive, got %s", what, faults.Shorten(w[0].text),
				faults.Shorten(w[i+1].text))
			ok = false
		}
		if !ok {
			return stack.Block{}, false
		}
		v[i] = x
	}
	return stack.Block{Name: w[0].text, Rects: []stack.Rect{{X: v[2], Y: v[3], Width: v[0], Height: v[1]}},
		Pos: stack.Pos{File: r.file, Line: line, Col: w[0].col}}, true
}

// toOrigin moves blocks so that their smallest x and y are 0.
func toOrigin(blocks []stack.Block) {
	x, y := blocks[0].Rects[0].X, blocks[0].Rects[0].Y
	for _, b := range blocks {
		x, y = min(x, b.Rects[0].X), min(y, b.Rects[0].Y)
	}
	for i := range blocks {
		blocks[i].Rects[0].X -= x
		blocks[i].Rects[0].Y -= y
	}
}

// PowerTable is powers in columns by block name: a .ptrace file or a CSV time trace.
type PowerTable struct {
	File  string
	Names []string
	Pos   []stack.Pos // of the names
	// Times are the starts of the rows' intervals in s, ascending from 0; nil for a .ptrace file, which has no times.
	Times []float64
	End   float64     // of the last row in s; 0 if the file does not say
	Rows  [][]float64 // W, one column per name
}

// ReadPTrace reads a HotSpot power trace: a line of block names, then rows of watts. It may be compressed with gzip.
// The error is an [stack.ErrorList].
func ReadPTrace(path string, data []byte) (*PowerTable, error) {
	return readPTrace(&fileReader{file: path}, data)
}

// ReadLayeredPTrace is ReadPTrace for a trace of several layers, whose blocks may share names.
func ReadLayeredPTrace(path string, data []byte) (*PowerTable, error) {
	return readPTrace(&fileReader{file: path, repeats: true}, data)
}

func readPTrace(r *fileReader, data []byte) (*PowerTable, error) {
	t := &PowerTable{File: r.file}
	data, ok := r.unpacked(data)
	if !ok {
		return t, r.err()
	}
	r.words(data, func(line int, w []field) bool {
		if t.Names == nil {
			r.names(t, line, w)
			return true
		}
		r.row(t, line, w)
		return len(r.faults.Found) < faults.Most
	})
	return t, r.finish(t)
}

// unpacked is the content of a file that may be compressed with gzip. ok is false after a fault.
func (r *fileReader) unpacked(data []byte) (text []byte, ok bool) {
	text, err := inputfile.Unpacked(data)
	if err != nil {
		r.fail(1, 1, "decompress it with gunzip", "cannot decompress the file: %v", err)
	}
	return text, err == nil
}

// names reads the header of a table.
func (r *fileReader) names(t *PowerTable, line int, w []field) {
	seen := map[string]bool{}
	t.Names = []string{}
	for _, f := range w {
		switch {
		case f.text == "":
			r.fail(line, f.col, "", "column without a name")
		case seen[f.text] && !r.repeats:
			r.fail(line, f.col, "give each block one column", "column %q is listed twice", faults.Shorten(f.text))
		}
		seen[f.text] = true
		t.Names = append(t.Names, f.text)
		t.Pos = append(t.Pos, stack.Pos{File: r.file, Line: line, Col: f.col})
	}
}

// row reads a row of power values.
func (r *fileReader) row(t *PowerTable, line int, w []field) {
	if len(w) != len(t.Names) {
		r.fail(line, w[0].col, "", "row has %d powers, the header names %d blocks", len(w), len(t.Names))
		return
	}
	row := make([]float64, len(w))
	for i, f := range w {
		x, ok := r.watts(line, f, fmt.Sprintf("power of %q", faults.Shorten(t.Names[i])))
		if !ok {
			return
		}
		row[i] = x
	}
	t.Rows = append(t.Rows, row)
}

func (r *fileReader) finish(t *PowerTable) error {
	if len(r.faults.Found) == 0 {
		switch {
		case t.Names == nil:
			r.fail(1, 1, "write a line of block names, then rows of watts", "the file is empty")
		case len(t.Rows) == 0:
			r.fail(1, 1, "add a row of watts", "the file has block names but no powers")
		}
	}
	return r.err()
}

// matrix reads the rows of a map in the order of the file, with their positions: of powers, which must not be negative,
// or of other numbers. Comma, semicolon or white space separates them; lines that start with # are comments.
func (r *fileReader) matrix(data []byte, powers bool) (rows [][]float64, places [][]stack.Pos) {
	if !r.fits(data) {
		return nil, nil
	}
	of, read := "map", r.number
	if powers {
		of, read = "power map", r.watts
	}
	r.records(data, func(line int, fields []field) bool {
		row, at := make([]float64, len(fields)), []stack.Pos(nil)
		for i, f := range fields {
			x, ok := read(line, f, "a value of a "+of)
			if !ok {
				return len(r.faults.Found) < faults.Most
			}
			if row[i] = x; !powers {
				at = append(at, stack.Pos{File: r.file, Line: line, Col: f.col})
			}
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			r.fail(line, fields[0].col, "", "row has %d values, the first has %d", len(row), len(rows[0]))
			return len(r.faults.Found) < faults.Most
		}
		rows, places = append(rows, row), append(places, at)
		return true
	})
	if len(rows) == 0 && len(r.faults.Found) == 0 {
		r.fail(1, 1, "write rows of numbers", "the %s is empty", of)
	}
	return rows, places
}

// ReadTraceCSV reads a time trace: a header "time" and block names, then rows of a time in s and watts, each valid
// until the next. The unit of time may be given, as in "time [ms]". Statistics of gem5 are read, too. The error is an
// [stack.ErrorList].
func ReadTraceCSV(path string, data []byte) (*PowerTable, error) {
	r := &fileReader{file: path}
	t := &PowerTable{File: path}
	scale := 1.0
	data, ok := r.unpacked(data)
	if !ok {
		return t, r.err()
	}
	if head := data[:min(len(data), 1000)]; bytes.Contains(head, []byte("Begin Simulation Statistics")) {
		r.readGem5(t, data)
		return t, r.finish(t)
	}
	r.records(data, func(line int, fields []field) bool {
		if t.Names == nil {
			scale = r.timeUnit(line, fields[0])
			r.names(t, line, fields[1:])
			return len(r.faults.Found) == 0
		}
		if len(fields) != len(t.Names)+1 {
			r.fail(line, fields[0].col, "", "row has %d values, the header %d", len(fields), len(t.Names)+1)
			return len(r.faults.Found) < faults.Most
		}
		if time, ok := r.number(line, fields[0], "time"); ok {
			r.time(t, line, fields[0], time*scale)
			r.row(t, line, fields[1:])
		}
		return len(r.faults.Found) < faults.Most
	})
	if t.Names != nil && len(t.Names) == 0 && len(r.faults.Found) == 0 {
		r.fail(1, 1, "add one column per block", "the trace has no blocks")
	}
	return t, r.finish(t)
}

// timeUnit checks the header of the time column and returns its unit in s.
func (r *fileReader) timeUnit(line int, f field) float64 {
	name, unit, bracket := strings.Cut(strings.ToLower(f.text), "[")
	unit, closed := strings.CutSuffix(strings.TrimSpace(unit), "]")
	switch strings.TrimSpace(name) {
	case "time", "t":
	case "time_s":
		return 1
	default:
		r.fail(line, f.col, `call the first column "time"`, "the first column of a trace must be the time, got %q",
			faults.Shorten(f.text))
		return 1
	}
	if !bracket {
		return 1
	}
	scale, err := units.Time.Scale(unit)
	if err != nil || !closed {
		r.fail(line, f.col, `write "time [s]" or "time [ms]"`, "unit of time not understood in %q",
			faults.Shorten(f.text))
		return 1
	}
	return scale
}

// time appends a start of an interval.
func (r *fileReader) time(t *PowerTable, line int, f field, time float64) {
	switch n := len(t.Times); {
	case n == 0 && time != 0:
		r.fail(line, f.col, "", "the first time must be 0, got %s", faults.Shorten(f.text))
	case n > 0 && time <= t.Times[n-1]:
		r.fail(line, f.col, "", "times must ascend, got %s", faults.Shorten(f.text))
	}
	t.Times = append(t.Times, time)
}
