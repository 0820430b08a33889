package stack

import (
	"strings"

	"thermsim/stack/internal/units"
)

// ReadPowerCSV reads a power map: rows of equally many numbers, none negative, in the order of the file. Comma,
// semicolon or white space separates them; lines that start with # are comments. The error is an [ErrorList].
func ReadPowerCSV(path string, data []byte) ([][]float64, error) {
	r := &fileReader{file: path}
	if !r.fits(data) {
		return nil, r.err()
	}
	var rows [][]float64
	r.records(data, func(line int, fields []field) bool {
		row := make([]float64, len(fields))
		for i, f := range fields {
			x, ok := r.watts(line, f, "a value of a power map")
			if !ok {
				return len(r.faults.list) < maxFaults
			}
			row[i] = x
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			r.fail(line, fields[0].col, "", "row has %d values, the first has %d", len(row), len(rows[0]))
			return len(r.faults.list) < maxFaults
		}
		rows = append(rows, row)
		return true
	})
	if len(rows) == 0 && len(r.faults.list) == 0 {
		r.fail(1, 1, "write rows of numbers", "the power map is empty")
	}
	return rows, r.err()
}

// ReadTraceCSV reads a time trace: a header "time" and block names, then rows of a time in s and watts, each valid
// until the next. The unit of time may be told, as in "time [ms]". The error is an [ErrorList].
func ReadTraceCSV(path string, data []byte) (*PowerTable, error) {
	r := &fileReader{file: path}
	t := &PowerTable{File: path}
	scale := 1.0
	r.records(data, func(line int, fields []field) bool {
		if t.Names == nil {
			scale = r.timeUnit(line, fields[0])
			r.names(t, line, fields[1:])
			return len(r.faults.list) == 0
		}
		if len(fields) != len(t.Names)+1 {
			r.fail(line, fields[0].col, "", "row has %d values, the header %d", len(fields), len(t.Names)+1)
			return len(r.faults.list) < maxFaults
		}
		if time, ok := r.number(line, fields[0], "time"); ok {
			r.time(t, line, fields[0], time*scale)
			r.row(t, line, fields[1:])
		}
		return len(r.faults.list) < maxFaults
	})
	if t.Names != nil && len(t.Names) == 0 && len(r.faults.list) == 0 {
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
			shorten(f.text))
		return 1
	}
	if !bracket {
		return 1
	}
	scale, err := units.Time.Scale(unit)
	if err != nil || !closed {
		r.fail(line, f.col, `write "time [s]" or "time [ms]"`, "unit of time not understood in %q", shorten(f.text))
		return 1
	}
	return scale
}

// time appends a start of an interval.
func (r *fileReader) time(t *PowerTable, line int, f field, time float64) {
	switch n := len(t.Times); {
	case n == 0 && time != 0:
		r.fail(line, f.col, "", "the first time must be 0, got %s", shorten(f.text))
	case n > 0 && time <= t.Times[n-1]:
		r.fail(line, f.col, "", "times must ascend, got %s", shorten(f.text))
	}
	t.Times = append(t.Times, time)
}
