package stackfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"thermsim/internal/inputfile"
	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// field is one value of a text file and the column, in bytes from 1, where it starts.
type field struct {
	text string
	col  int
}

// fileReader collects the faults of an input file.
type fileReader struct {
	file    string
	faults  faults.List
	repeats bool // names may be there twice
}

func (r *fileReader) fail(line, col int, remedy, format string, args ...any) {
	r.faults.Add(&stack.Error{Pos: stack.Pos{File: r.file, Line: line, Col: col}, Msg: fmt.Sprintf(format, args...),
		Remedy: remedy})
}

func (r *fileReader) err() error { return r.faults.Err(r.file) }

// number reads a finite decimal number.
func (r *fileReader) number(line int, f field, what string) (float64, bool) {
	x, err := inputfile.Number(f.text)
	if err != nil {
		r.fail(line, f.col, "", "%s must be a finite number, got %q", what, faults.Shorten(f.text))
		return 0, false
	}
	return x, true
}

// watts reads a power, which is not negative.
func (r *fileReader) watts(line int, f field, what string) (float64, bool) {
	x, ok := r.number(line, f, what)
	if ok && x < 0 {
		r.fail(line, f.col, "", "%s must not be negative, got %s", what, faults.Shorten(f.text))
		return 0, false
	}
	return x, ok
}

// withoutBOM drops the byte order mark that some editors write.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// plain reports control characters: the file is damaged or not a text file.
func (r *fileReader) plain(line, col int, text string) bool {
	i := strings.IndexFunc(text, func(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) })
	if i < 0 {
		return true
	}
	c, _ := utf8.DecodeRuneInString(text[i:])
	r.fail(line, col+i, "save the file as plain text", "not a text file: it contains the control character %U", c)
	return false
}

// words yields the white-space separated words of each line that has any; # starts a comment. It stops when each
// returns false, and where the file is no text.
func (r *fileReader) words(data []byte, each func(line int, fields []field) bool) {
	line := 0
	for text := range bytes.Lines(withoutBOM(data)) {
		line++
		if i := bytes.IndexByte(text, '#'); i >= 0 {
			text = text[:i]
		}
		if !r.plain(line, 1, string(text)) {
			return
		}
		if fields := splitWords(string(text)); len(fields) > 0 && !each(line, fields) {
			return
		}
	}
}

func splitWords(text string) []field {
	var fields []field
	start := -1
	for i, c := range text {
		switch space := unicode.IsSpace(c); {
		case space && start >= 0:
			fields = append(fields, field{text[start:i], start + 1})
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	if start >= 0 {
		fields = append(fields, field{text[start:], start + 1})
	}
	return fields
}

// records yields the records of a CSV file: comma, semicolon or white space separates the values, whichever the first
// record has. Lines that start with # are comments; an empty value at the end of a line is dropped. Numbers between
// semicolons may have decimal commas, as where spreadsheets write them.
func (r *fileReader) records(data []byte, each func(line int, fields []field) bool) {
	comma := separator(data)
	if comma == ' ' {
		r.words(data, each)
		return
	}
	cr := csv.NewReader(bytes.NewReader(withoutBOM(data)))
	cr.Comma, cr.Comment, cr.FieldsPerRecord, cr.TrimLeadingSpace = comma, '#', -1, true
	for {
		record, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			r.fail(pe.Line, pe.Column, "", "not valid CSV: %v", pe.Err)
			return
		}
		if err != nil {
			r.fail(1, 1, "", "not valid CSV: %v", err)
			return
		}
		fields := make([]field, len(record))
		line := 0
		for i, text := range record {
			at, col := cr.FieldPos(i)
			if i == 0 {
				line = at
			}
			if !r.plain(at, col, text) {
				return
			}
			fields[i] = field{strings.TrimSpace(text), col}
			if comma == ';' {
				fields[i].text = decimalPoint(fields[i].text)
			}
		}
		if n := len(fields); n > 1 && fields[n-1].text == "" {
			fields = fields[:n-1]
		}
		if len(fields) == 1 && fields[0].text == "" {
			continue
		}
		if !each(line, fields) {
			return
		}
	}
}

// decimalCommas is the remedy for rows with too many values.
const decimalCommas = "write one value per column; if numbers have decimal commas, separate columns by semicolons"

// decimalPoint replaces the comma of a decimal number.
func decimalPoint(text string) string {
	pointed := strings.Replace(text, ",", ".", 1)
	if _, err := inputfile.Number(pointed); err != nil || pointed == text {
		return text
	}
	return pointed
}

// maxTilesAlong is the largest number of columns, and of rows, of a map: more than the cells of the finest grid. Longer
// lines are probably lists.
const maxTilesAlong = 1 << 20

// fits reports whether a map has no more rows and columns than maxTilesAlong, before any of them takes memory.
func (r *fileReader) fits(data []byte) bool {
	comma := separator(data)
	line := 0
	for text := range bytes.Lines(data) {
		if line++; line > maxTilesAlong {
			r.fail(line, 1, "merge tiles", "a map has %d rows at most", maxTilesAlong)
			return false
		}
		if len(text) <= maxTilesAlong || text[0] == '#' {
			continue
		}
		columns := bytes.Count(text, []byte(string(comma))) + 1
		if comma == ' ' {
			columns = len(bytes.Fields(text))
		}
		if columns > maxTilesAlong+1 { // an empty value at the end is dropped
			r.fail(line, 1, "merge tiles", "a map has %d columns at most, this line has %d", maxTilesAlong, columns)
			return false
		}
	}
	return true
}

// separator looks at the first line that is neither empty nor a comment.
func separator(data []byte) rune {
	for text := range bytes.Lines(withoutBOM(data)) {
		text = bytes.TrimSpace(text)
		switch {
		case len(text) == 0 || text[0] == '#':
		case bytes.IndexByte(text, ',') >= 0:
			return ','
		case bytes.IndexByte(text, ';') >= 0:
			return ';'
		default:
			return ' '
		}
	}
	return ' '
}
