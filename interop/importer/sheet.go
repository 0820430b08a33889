package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Sheet is a CSV file whose first line names the columns. Lines that start with # are comments.
type Sheet struct {
	columns map[string]int
	Head    []stackfile.Word
	Rows    [][]stackfile.Word // with at least as many values as Head
}

// ReadSheet reads a sheet with the needed columns. It has no rows after a fault.
func ReadSheet(faults *Faults, file string, data []byte, needed ...string) *Sheet {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.Comment, r.FieldsPerRecord, r.TrimLeadingSpace = '#', -1, true
	s := &Sheet{columns: map[string]int{}}
	for first := true; faults.Len() == 0; first = false {
		fields, err := r.Read()
		if err != nil {
			s.end(faults, file, err)
			break
		}
		row := make([]stackfile.Word, len(fields))
		for i, text := range fields {
			line, col := r.FieldPos(i)
			row[i] = stackfile.Word{Text: strings.TrimSpace(text), Pos: stack.Pos{File: file, Line: line, Col: col}}
			if first {
				s.columns[row[i].Text] = i
			}
		}
		if !first && len(row) < len(s.Rows[0]) {
			faults.Add(row[0].Pos, "", "row has %d values, the first has %d", len(row), len(s.Rows[0]))
		}
		s.Rows = append(s.Rows, row)
	}
	for _, name := range needed {
		if _, ok := s.columns[name]; !ok && faults.Len() == 0 {
			faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "got no column %q; expected %s", name,
				strings.Join(needed, ", "))
		}
	}
	if faults.Len() > 0 {
		return &Sheet{}
	}
	s.Head, s.Rows = s.Rows[0], s.Rows[1:]
	return s
}

// ReadTable reads a sheet whose rows have no further values.
func ReadTable(faults *Faults, file string, data []byte, needed ...string) *Sheet {
	s := ReadSheet(faults, file, data, needed...)
	for _, row := range s.Rows {
		if len(row) > len(s.Head) {
			faults.Add(row[len(s.Head)].Pos, "", "row has %d values, the first has %d", len(row), len(s.Head))
			return &Sheet{}
		}
	}
	return s
}

// end reports an error other than the end of the file, and an empty file.
func (s *Sheet) end(faults *Faults, file string, err error) {
	var at *csv.ParseError
	switch {
	case errors.As(err, &at):
		faults.Add(stack.Pos{File: file, Line: at.Line, Col: at.Column}, "", "%s", at.Err)
	case len(s.Rows) == 0:
		faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "the file is empty; expected a line of column names")
	}
}

// At is the value of a row in a column, empty where the file has no such column.
func (s *Sheet) At(row []stackfile.Word, column string) stackfile.Word {
	if i, ok := s.columns[column]; ok {
		return row[i]
	}
	return stackfile.Word{Pos: row[0].Pos}
}
