package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
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
