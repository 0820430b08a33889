package stack

import (
	"fmt"
	"path/filepath"
	"strings"
)

// densityGrid is a map of densities as it stands in its file, the first row first.
type densityGrid struct {
	rows    [][]float64
	file    string // empty where the rows stand in the stack file
	picture bool
	pos     func(column, row int) Pos // of a value
}

// densities reads a map from a CSV or NPY file, from the grey levels of a PNG, or from rows in the table.
func (l *loader) densities(t *table) (g densityGrid, ok bool) {
	n, _ := t.get("map")
	if n.kind != stringNode {
		g.rows, ok = t.numberRows(n, "map")
		g.pos = func(i, j int) Pos { return n.items[j].items[i].pos }
		return g, ok
	}
	path, data, ok := l.input(n, "map")
	if !ok {
		return g, false
	}
	g.file = path
	var err error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy":
		g.rows, err = readNPY(data)
	case ".png":
		g.picture = true
		g.rows, err = readGreys(data)
	default:
		r := &fileReader{file: path}
		var places [][]Pos
		g.rows, places = r.densities(data)
		g.pos = func(i, j int) Pos { return places[j][i] }
		if err := r.err(); err != nil {
			l.addAll(err)
			return g, false
		}
		return g, true
	}
	if err != nil {
		l.faults.add(&Error{Pos: Pos{File: path}, Msg: err.Error(),
			Remedy: fmt.Sprintf("%s:%d names the file", n.pos.File, n.pos.Line), Err: err})
		return g, false
	}
	// A file of bytes has no lines; the row and column of the map stand in their place.
	g.pos = func(i, j int) Pos { return Pos{path, j + 1, i + 1} }
	return g, true
}

// densities reads rows of equally many numbers and where each of them stands.
func (r *fileReader) densities(data []byte) (rows [][]float64, places [][]Pos) {
	if !r.fits(data) {
		return nil, nil
	}
	r.records(data, func(line int, fields []field) bool {
		row, at := make([]float64, len(fields)), make([]Pos, len(fields))
		for i, f := range fields {
			x, ok := r.number(line, f, "a value of a map")
			if !ok {
				return len(r.faults.list) < maxFaults
			}
			row[i], at[i] = x, Pos{r.file, line, f.col}
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			r.fail(line, fields[0].col, "", "row has %d values, the first has %d", len(row), len(rows[0]))
			return len(r.faults.list) < maxFaults
		}
		rows, places = append(rows, row), append(places, at)
		return true
	})
	if len(rows) == 0 && len(r.faults.list) == 0 {
		r.fail(1, 1, "write rows of numbers", "the map is empty")
	}
	return rows, places
}
