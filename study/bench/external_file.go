package bench

import (
	"bytes"
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
	"thermsim/interop/importer"
	"thermsim/stack/stackfile"
)

// ReadExternal reads a file of external measurements: a .csv with the field names in its first line, or a JSON object
// with "schema": 1, "rows" and fields shared by all rows. Errors name file, line and column.
func ReadExternal(name string, data []byte) ([]ExternalRow, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s: not a UTF-8 text file", name)
	}
	f := &externalFile{name: name, data: data}
	read := f.json
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		read = f.csv
	}
	rows, err := read()
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: no rows", name)
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
			return nil, fmt.Errorf("%s: duplicate of the row at %s; remove one of them", rows[n].location,
				rows[first].location)
		}
	}
	return rows, nil
}

// externalFile is a file that is being read.
type externalFile struct {
	name string
	data []byte

	// The last requested location, from which the next one is usually found quickly.
	offset, line, column int
}

// maxExternal is the largest number of external rows.
const maxExternal = 10_000

// at is the location of a byte.
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

// tooMany rejects a row beyond the limit.
func tooMany(rows int, location string) error {
	if rows <= maxExternal {
		return nil
	}
	return fmt.Errorf("%s: more than %d rows; split the file", location, maxExternal)
}

func (f *externalFile) csv() (rows []ExternalRow, err error) {
	var faults importer.Faults
	sheet := importer.ReadTable(&faults, f.name, f.data)
	for n, name := range sheet.Head {
		switch {
		case !isField(name.Text):
			return nil, unknownField(name.Pos.String(), name.Text)
		case slices.ContainsFunc(sheet.Head[:n], func(o stackfile.Word) bool { return o.Text == name.Text }):
			return nil, fmt.Errorf("%v: duplicate column %q", name.Pos, name.Text)
		}
	}
	for _, line := range sheet.Rows {
		cells := map[string]externalCell{}
		for n, word := range line {
			cells[sheet.Head[n].Text] = externalCell{word.Text, word.Pos.String()}
		}
		e, err := externalRow(line[0].Pos.String(), cells)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, e); len(rows) > maxExternal {
			return nil, tooMany(len(rows), e.location)
		}
	}
	return rows, faults.Err(f.name)
}

// externalJSON reads the tokens of a file with their locations.
type externalJSON struct {
	*externalFile
	d *json.Decoder
}

func (f *externalFile) json() ([]ExternalRow, error) {
	j := &externalJSON{externalFile: f, d: json.NewDecoder(bytes.NewReader(f.data))}
	j.d.UseNumber()
	shared := map[string]externalCell{}
	var objects []map[string]externalCell
	var locations []string
	listed := false
	err := j.object(func(key, location string) error {
		if key != "rows" {
			return j.scalar(key, location, shared)
		}
		if listed {
			return fmt.Errorf("%s: duplicate list of rows", location)
		}
		listed = true
		return j.inside('[', "a list [ ]", func() error {
			cells := map[string]externalCell{}
			locations = append(locations, j.next())
			objects = append(objects, cells)
			if err := tooMany(len(objects), locations[len(locations)-1]); err != nil {
				return err
			}
			return j.object(func(key, location string) error { return j.scalar(key, location, cells) })
		})
	})
	if err != nil {
		return nil, err
	}
	if _, err := j.d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: unexpected data after the end", j.next())
	}
	if schema := shared["schema"]; schema.text != "1" {
		if schema.location == "" {
			schema.location = j.at(0)
		}
		return nil, fmt.Errorf(`%s: expected "schema": 1`, schema.location)
	}
	delete(shared, "schema")
	var rows []ExternalRow
	for n, own := range objects {
		cells := maps.Clone(shared)
		maps.Copy(cells, own)
		e, err := externalRow(locations[n], cells)
		if err != nil {
			return nil, err
		}
		rows = append(rows, e)
	}
	return rows, nil
}

// next is the location of the next token.
func (j *externalJSON) next() string {
	offset := int(j.d.InputOffset())
	for offset < len(j.data) && strings.IndexByte(" \t\r\n,:", j.data[offset]) >= 0 {
		offset++
	}
	return j.at(offset)
}

// token reads a token and returns its location.
func (j *externalJSON) token() (json.Token, string, error) {
	location := j.next()
	t, err := j.d.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, "", fmt.Errorf("%s: invalid JSON: %w", location, err)
	case err != nil:
		return nil, "", fmt.Errorf("%s: unexpected end of file", location)
	}
	return t, location, nil
}

// object reads an object; body reads the value of each field.
func (j *externalJSON) object(body func(key, location string) error) error {
	return j.inside('{', "an object { }", func() error {
		key, location, err := j.token()
		if err != nil {
			return err
		}
		return body(fmt.Sprint(key), location)
	})
}

// inside reads the elements between brackets.
func (j *externalJSON) inside(open json.Delim, expected string, body func() error) error {
	t, location, err := j.token()
	if err != nil {
		return err
	}
	if t != open {
		return fmt.Errorf("%s: expected %s", location, expected)
	}
	for j.d.More() {
		if err := body(); err != nil {
			return err
		}
	}
	_, _, err = j.token()
	return err
}

// scalar reads a string or a number into a field; null is a missing field.
func (j *externalJSON) scalar(key, keyLocation string, cells map[string]externalCell) error {
	if _, twice := cells[key]; twice {
		return fmt.Errorf("%s: duplicate %q", keyLocation, key)
	}
	t, location, err := j.token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case nil:
	case string:
		cells[key] = externalCell{v, location}
	case json.Number:
		cells[key] = externalCell{v.String(), location}
	default:
		return fmt.Errorf("%s: %s: expected a string or a number", location, key)
	}
	return nil
}

// externalCell is a field of a row in a file.
type externalCell struct {
	text     string
	location string // file, line and column
}

// externalField is a possible field of a row.
type externalField struct {
	name     string
	required bool
	set      func(e *ExternalRow, text string) error
}

// externalFields are the fields of external rows, and which of them are required.
var externalFields = []externalField{
	{"table", true, func(e *ExternalRow, v string) error {
		if e.Table = v; !slices.Contains(externalTables, v) {
			return fmt.Errorf("unknown table; expected one of %s",
				strings.Join(externalTables, ", "))
		}
		return nil
	}},
	{"case", false, func(e *ExternalRow, v string) error { e.Case = v; return nil }},
	{"grid", false, func(e *ExternalRow, v string) error {
		e.Grid = v
		if nx, ny, nz, given := e.cells(); !given || e.Grid != fmt.Sprintf("%dx%dx%d", nx, ny, nz) ||
			min(nx, ny, nz) < 1 || max(nx, ny, nz) > 1e6 {
			return fmt.Errorf("expected NXxNYxNZ, such as 714x714x10")
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
			err = fmt.Errorf("expected a time above 0 s")
		}
		return err
	}},
	{"iterations", false, func(e *ExternalRow, v string) (err error) {
		e.Iterations, err = wholeNumber(v)
		return err
	}},
	{"residual_W", false, func(e *ExternalRow, v string) (err error) { e.ResidualW, err = atLeastZero(v); return err }},
	{"max_ae_K", false, func(e *ExternalRow, v string) (err error) { e.MaxAEK, err = atLeastZero(v); return err }},
	{"mae_K", false, func(e *ExternalRow, v string) (err error) { e.MAEK, err = atLeastZero(v); return err }},
	{"top_max_ae_K", false, func(e *ExternalRow, v string) (err error) {
		e.TopMaxAEK, err = atLeastZero(v)
		return err
	}},
	{"top_mae_K", false, func(e *ExternalRow, v string) (err error) { e.TopMAEK, err = atLeastZero(v); return err }},
}

// wholeNumber is an integer of at least 1.
func wholeNumber(text string) (int, error) {
	n, err := inputfile.Number(text)
	if err != nil || n < 1 || n > 1e15 || n != math.Trunc(n) {
		return 0, fmt.Errorf("expected an integer of at least 1")
	}
	return int(n), nil
}

// atLeastZero is a number of at least 0.
func atLeastZero(text string) (Number, error) {
	v, err := inputfile.Number(text)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return unknown, fmt.Errorf("expected a finite number of at least 0")
	}
	return Number(v), nil
}

// cells are the numbers of cells of the grid along x, y and z.
func (e *ExternalRow) cells() (nx, ny, nz int, given bool) {
	n, _ := fmt.Sscanf(e.Grid, "%dx%dx%d", &nx, &ny, &nz)
	return nx, ny, nz, n == 3
}

// longestText is the maximum length of a field.
const longestText = 300

// externalRow builds a row from its fields. location is where it begins.
func externalRow(location string, cells map[string]externalCell) (ExternalRow, error) {
	e := ExternalRow{SetupS: unknown, ResidualW: unknown, MaxAEK: unknown, MAEK: unknown,
		TopMaxAEK: unknown, TopMAEK: unknown, location: location}
	for name, c := range cells {
		if !isField(name) {
			return e, unknownField(c.location, name)
		}
	}
	for _, f := range externalFields {
		c, there := cells[f.name]
		if !there || c.text == "" {
			if f.required {
				return e, fmt.Errorf("%s: the row lacks %s; docs/reference/bench.md lists the required fields",
					location, f.name)
			}
			continue
		}
		if len(c.text) > longestText || strings.ContainsFunc(c.text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return e, fmt.Errorf("%s: %s: expected one line of at most %d printable characters", c.location, f.name,
				longestText)
		}
		if err := f.set(&e, c.text); err != nil {
			return e, fmt.Errorf("%s: %s: %q: %w", c.location, f.name, c.text, err)
		}
	}
	if nx, ny, nz, given := e.cells(); given && nx*ny*nz != e.Unknowns {
		return e, fmt.Errorf("%s: unknowns: got %d; a grid of %s has %d", cells["unknowns"].location, e.Unknowns,
			e.Grid, nx*ny*nz)
	}
	if e.Table == "floorplans" && (e.Case == "" || e.Grid == "") {
		return e, fmt.Errorf("%s: rows of table floorplans need case and grid", location)
	}
	if e.Table != "floorplans" && (e.MaxAEK.Known() || e.MAEK.Known() || e.TopMaxAEK.Known() || e.TopMAEK.Known()) {
		return e, fmt.Errorf("%s: max_ae_K, mae_K, top_max_ae_K and top_mae_K are of table floorplans", location)
	}
	if e.Case == "" && e.Grid == "" {
		return e, fmt.Errorf("%s: the row has neither a case nor a grid; give one of them to identify its system",
			location)
	}
	return e, nil
}

func isField(name string) bool {
	return slices.ContainsFunc(externalFields, func(f externalField) bool { return f.name == name })
}

func unknownField(location, name string) error {
	var all []string
	for _, f := range externalFields {
		all = append(all, f.name)
	}
	return fmt.Errorf("%s: unknown field %q; expected one of %s", location, name, strings.Join(all, ", "))
}
