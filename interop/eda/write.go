package eda

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"thermsim/internal/printable"
)

// WriteMap writes the map for stack files: W per tile, the southern row first, every number with all its digits.
func (r *Result) WriteMap(w io.Writer) error {
	b := r.Bounds
	heading := fmt.Sprintf("# power map: %d x %d tiles over %s x %s um, W per tile, southern row first\n"+
		"# made from %s\n# total %.12g W\n", r.Map.NX, r.Map.NY, short(b.X1-b.X0), short(b.Y1-b.Y0), r.from(), r.Watts)
	return WriteTiles(w, heading, r.Map.NX, r.Map.Watts)
}

// WriteTiles writes rows of nx values, every number with all its digits.
func WriteTiles(w io.Writer, heading string, nx int, values []float64) error {
	out := bufio.NewWriterSize(w, bufferSize)
	text := []byte(heading)
	for k, v := range values {
		text = strconv.AppendFloat(text, v, 'g', -1, 64)
		if (k+1)%nx == 0 {
			text = append(text, '\n')
		} else {
			text = append(text, ',')
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	return out.Flush()
}

// WriteCells writes one line per instance, in the coordinates of the DEF: name, cell, south-west corner, width and
// height in um, watts. Those without a location have no coordinates. The file can replace DEF, LEF and report
// ([Request.Placement]), and gives the same map.
func (r *Result) WriteCells(w io.Writer) error {
	out := bufio.NewWriterSize(w, bufferSize)
	fmt.Fprintf(out, "# made from %s\n", r.from())
	if r.Design != "" {
		fmt.Fprintf(out, "# design %s\n", oneLine(r.Design))
	}
	for _, b := range r.Die {
		fmt.Fprintf(out, "# die %s %s %s %s um\n", short(b.X0), short(b.Y0), short(b.X1), short(b.Y1))
	}
	fmt.Fprintln(out, "name,cell,x [um],y [um],width [um],height [um],watts [W]")
	var text []byte
	for i := range r.cells.list {
		in := &r.cells.list[i]
		text = appendCSV(text[:0], r.cells.names.at(int32(i)))
		text = append(text, ',')
		if in.kind >= 0 {
			text = appendCSV(text, r.cells.kinds.at(in.kind))
		}
		if in.placed {
			for _, v := range [...]float64{in.x, in.y, in.w, in.h} {
				text = strconv.AppendFloat(append(text, ','), v, 'g', -1, 64)
			}
		} else {
			text = append(text, ",,,,"...)
		}
		text = append(text, ',')
		if in.row > 0 {
			text = strconv.AppendFloat(text, in.watts, 'g', -1, 64)
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	for i, watts := range r.strays.watts {
		text = appendCSV(text[:0], r.strays.names.at(int32(i)))
		text = strconv.AppendFloat(append(text, ",,,,,,"...), watts, 'g', -1, 64)
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendCSV appends a field, in quotes if necessary. Few names contain characters of spreadsheet formulas.
func appendCSV(text, field []byte) []byte {
	if bytes.ContainsAny(field, "=+-@;|") {
		field = []byte(printable.Cell(string(field)))
	}
	plain := len(field) > 0 && field[0] != '#' && field[0] > ' '
	for _, c := range field {
		plain = plain && c != ',' && c != '"' && c != '\n' && c != '\r'
	}
	if plain {
		return append(text, field...)
	}
	text = append(text, '"')
	for _, c := range field {
		if c == '"' {
			text = append(text, '"')
		}
		text = append(text, c)
	}
	return append(text, '"')
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// from lists the files that were read for a line of comment.
func (r *Result) from() string {
	var bare []string
	for _, s := range r.sources {
		bare = append(bare, oneLine(filepath.Base(s)))
	}
	return strings.Join(bare, ", ")
}

// oneLine replaces characters that a line of comment cannot contain.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0xfffd {
			return '_'
		}
		return c
	}, s)
}

// quote writes a TOML string.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(oneLine(s)) + `"`
}
