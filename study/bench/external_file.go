package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"thermsim/internal/inputfile"
)

// ReadExternal reads a file of external measurements, a .csv with the fields' names in its first line, or JSON: an
// object of "schema": 1, "rows" and fields that all rows share. Errors name file, line and column.
func ReadExternal(name string, data []byte) ([]ExternalRow, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: it is no text in UTF-8", name)
	}
	f := &externalFile{name: name, data: data}
	read := f.json
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		read = f.csv
	}
	rows, err := read()
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: it has no rows", name)
	}
	if err != nil {
		return nil, err
	}
	for n := range rows {
		same := func(o ExternalRow) bool {
			return o.External == rows[n].External && o.Table == rows[n].Table && o.Case == rows[n].Case &&
				o.Grid == rows[n].Grid
		}
		if first := slices.IndexFunc(rows, same); first < n {
			return nil, fmt.Errorf("%s: the row of %s tells the same measurement; leave one of the two", rows[n].place,
				rows[first].place)
		}
	}
	return rows, nil
}

// externalFile is a file while it is read.
type externalFile struct {
	name string
	data []byte

	// The place that was asked for last; mostly the next lies a little behind it.
	offset, line, column int
}

// mostExternal is the largest number of external rows.
const mostExternal = 10_000

// at is the place of a byte.
func (f *externalFile) at(offset int) string {
	if offset = min(offset, len(f.data)); offset < f.offset {
		f.offset, f.line, f.column = 0, 0, 0
	}
	part := f.data[f.offset:offset]
	if lines := bytes.Count(part, []byte("\n")); lines > 0 {
		f.line += lines
		f.column = 0
		part = part[bytes.LastIndexByte(part, '\n')+1:]
	}
	f.column += utf8.RuneCount(part)
	f.offset = offset
	return fmt.Sprintf("%s:%d:%d", f.name, f.line+1, f.column+1)
}

// tooMany refuses a row beyond the most.
func tooMany(rows int, place string) error {
	if rows <= mostExternal {
		return nil
	}
	return fmt.Errorf("%s: a file has %d rows at most; give several files", place, mostExternal)
}

func (f *externalFile) csv() ([]ExternalRow, error) {
	c := csv.NewReader(bytes.NewReader(f.data))
	c.Comment, c.TrimLeadingSpace = '#', true
	head, err := c.Read()
	if err != nil {
		return nil, f.csvError(err)
	}
	place := func(n int) string {
		line, column := c.FieldPos(n)
		return fmt.Sprintf("%s:%d:%d", f.name, line, column)
	}
	for n, name := range head {
		switch {
		case !isField(name):
			return nil, unknownField(place(n), name)
		case slices.Index(head, name) < n:
			return nil, fmt.Errorf("%s: a second column %q", place(n), name)
		}
	}
	var rows []ExternalRow
	for {
		line, err := c.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, f.csvError(err)
		}
		cells := map[string]externalCell{}
		for n, text := range line {
			cells[head[n]] = externalCell{strings.TrimSpace(text), place(n)}
		}
		e, err := externalRow(place(0), cells)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, e); len(rows) > mostExternal {
			return nil, tooMany(len(rows), place(0))
		}
	}
}

func (f *externalFile) csvError(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: it is empty; its first line names the fields", f.name)
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d:%d: %w", f.name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// externalJSON walks the tokens of a file, which know their places.
type externalJSON struct {
	*externalFile
	d *json.Decoder
}

func (f *externalFile) json() ([]ExternalRow, error) {
	j := &externalJSON{externalFile: f, d: json.NewDecoder(bytes.NewReader(f.data))}
	j.d.UseNumber()
	shared := map[string]externalCell{}
	var objects []map[string]externalCell
	var places []string
	listed := false
	err := j.object(func(key, place string) error {
		if key != "rows" {
			return j.scalar(key, place, shared)
		}
		if listed {
			return fmt.Errorf("%s: a second list of rows", place)
		}
		listed = true
		return j.inside('[', "a list [ ]", func() error {
			cells := map[string]externalCell{}
			places = append(places, j.next())
			objects = append(objects, cells)
			if err := tooMany(len(objects), places[len(places)-1]); err != nil {
				return err
			}
			return j.object(func(key, place string) error { return j.scalar(key, place, cells) })
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := j.d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something stands behind the end", j.next())
	}
	if schema := shared["schema"]; schema.text != "1" {
		if schema.place == "" {
			schema.place = j.at(0)
		}
		return nil, fmt.Errorf(`%s: external measurements begin with "schema": 1`, schema.place)
	}
	delete(shared, "schema")
	var rows []ExternalRow
	for n, own := range objects {
		cells := maps.Clone(shared)
		maps.Copy(cells, own)
		e, err := externalRow(places[n], cells)
		if err != nil {
			return nil, err
		}
		rows = append(rows, e)
	}
	return rows, nil
}

// next is the place of the next token.
func (j *externalJSON) next() string {
	offset := int(j.d.InputOffset())
	for offset < len(j.data) && strings.IndexByte(" \t\r\n,:", j.data[offset]) >= 0 {
		offset++
	}
	return j.at(offset)
}

// token reads one and tells its place.
func (j *externalJSON) token() (json.Token, string, error) {
	place := j.next()
	t, err := j.d.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, "", fmt.Errorf("%s: no JSON: %w", place, err)
	case err != nil:
		return nil, "", fmt.Errorf("%s: the file ends in the middle", place)
	}
	return t, place, nil
}

// object reads an object, whose fields body reads.
func (j *externalJSON) object(body func(key, place string) error) error {
	return j.inside('{', "an object { }", func() error {
		key, place, err := j.token()
		if err != nil {
			return err
		}
		return body(fmt.Sprint(key), place)
	})
}

// inside reads what stands in brackets, part by part.
func (j *externalJSON) inside(open json.Delim, expected string, body func() error) error {
	t, place, err := j.token()
	if err != nil {
		return err
	}
	if t != open {
		return fmt.Errorf("%s: %s is expected", place, expected)
	}
	for j.d.More() {
		if err := body(); err != nil {
			return err
		}
	}
	_, _, err = j.token()
	return err
}

// scalar reads a text or a number into a field; null is a field that is not there.
func (j *externalJSON) scalar(key, keyPlace string, cells map[string]externalCell) error {
	if _, twice := cells[key]; twice {
		return fmt.Errorf("%s: a second %q", keyPlace, key)
	}
	t, place, err := j.token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case nil:
	case string:
		cells[key] = externalCell{v, place}
	case json.Number:
		cells[key] = externalCell{v.String(), place}
	default:
		return fmt.Errorf("%s: %s: a text or a number is expected", place, key)
	}
	return nil
}

// externalCell is a field of a row as it stands in a file.
type externalCell struct {
	text  string
	place string // FILE:LINE:COLUMN
}

// externalField is a field that rows may have.
type externalField struct {
	name     string
	required bool
	set      func(e *ExternalRow, text string) error
}

// externalFields are the fields of external rows: all that there are, and those that a row must have.
var externalFields = []externalField{
	{"table", true, func(e *ExternalRow, v string) error {
		if e.Table = v; !slices.Contains(externalTables, v) {
			return fmt.Errorf("there is no such table for external rows; there are %s",
				strings.Join(externalTables, ", "))
		}
		return nil
	}},
	{"case", false, func(e *ExternalRow, v string) error { e.Case = v; return nil }},
	{"grid", false, func(e *ExternalRow, v string) error {
		e.Grid = v
		if nx, ny, nz, given := e.cells(); !given || e.Grid != fmt.Sprintf("%dx%dx%d", nx, ny, nz) ||
			min(nx, ny, nz) < 1 || max(nx, ny, nz) > 1e6 {
			return fmt.Errorf("write it as NXxNYxNZ, such as 714x714x10")
		}
		return nil
	}},
	{"unknowns", true, func(e *ExternalRow, v string) (err error) { e.Unknowns, err = wholeNumber(v); return err }},
	{"program", true, func(e *ExternalRow, v string) error { e.Program = v; return nil }},
	{"version", true, func(e *ExternalRow, v string) error { e.Version = v; return nil }},
	{"device", true, func(e *ExternalRow, v string) error { e.Device = v; return nil }},
	{"settings", true, func(e *ExternalRow, v string) error { e.Settings = v; return nil }},
	{"source", true, func(e *ExternalRow, v string) error { e.Source = v; return nil }},
	{"rule", true, func(e *ExternalRow, v string) error { e.Rule = v; return nil }},
	{"setup_s", false, func(e *ExternalRow, v string) (err error) { e.SetupS, err = atLeastZero(v); return err }},
	{"solve_s", true, func(e *ExternalRow, v string) (err error) {
		if e.SolveS, err = atLeastZero(v); err == nil && e.SolveS == 0 {
			err = fmt.Errorf("a solve takes more than 0 s")
		}
		return err
	}},
	{"iterations", false, func(e *ExternalRow, v string) (err error) {
		e.Iterations, err = wholeNumber(v)
		return err
	}},
	{"residual_W", false, func(e *ExternalRow, v string) (err error) { e.ResidualW, err = atLeastZero(v); return err }},
}

// wholeNumber of at least 1.
func wholeNumber(text string) (int, error) {
	n, err := inputfile.Number(text)
	if err != nil || n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("it must be a whole number of at least 1")
	}
	return int(n), nil
}

// atLeastZero is a number of at least 0.
func atLeastZero(text string) (Number, error) {
	v, err := inputfile.Number(text)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return unknownTime, fmt.Errorf("it must be a finite number of at least 0")
	}
	return Number(v), nil
}

// cells of the grid along x, y and z.
func (e *ExternalRow) cells() (nx, ny, nz int, given bool) {
	n, _ := fmt.Sscanf(e.Grid, "%dx%dx%d", &nx, &ny, &nz)
	return nx, ny, nz, n == 3
}

// longestText of a field.
const longestText = 300

// externalRow makes a row of its fields. place is where it begins.
func externalRow(place string, cells map[string]externalCell) (ExternalRow, error) {
	e := ExternalRow{SetupS: unknownTime, ResidualW: unknownTime, place: place}
	for name, c := range cells {
		if !isField(name) {
			return e, unknownField(c.place, name)
		}
	}
	for _, f := range externalFields {
		c, there := cells[f.name]
		if !there || c.text == "" {
			if f.required {
				return e, fmt.Errorf("%s: the row has no %s; docs/reference/bench.md lists what rows must have", place,
					f.name)
			}
			continue
		}
		if len(c.text) > longestText || strings.ContainsFunc(c.text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return e, fmt.Errorf("%s: %s: it must be one line of at most %d printable characters", c.place, f.name,
				longestText)
		}
		if err := f.set(&e, c.text); err != nil {
			return e, fmt.Errorf("%s: %s: %q: %w", c.place, f.name, c.text, err)
		}
	}
	if nx, ny, nz, given := e.cells(); given && nx*ny*nz != e.Unknowns {
		return e, fmt.Errorf("%s: unknowns: a grid of %s has %d, not %d", cells["unknowns"].place, e.Grid, nx*ny*nz,
			e.Unknowns)
	}
	if e.Case == "" && e.Grid == "" {
		return e, fmt.Errorf("%s: the row has neither a case nor a grid; give the one that names its system", place)
	}
	return e, nil
}

func isField(name string) bool {
	return slices.ContainsFunc(externalFields, func(f externalField) bool { return f.name == name })
}

func unknownField(place, name string) error {
	var all []string
	for _, f := range externalFields {
		all = append(all, f.name)
	}
	return fmt.Errorf("%s: %q is no field of external rows; they are %s", place, name, strings.Join(all, ", "))
}
