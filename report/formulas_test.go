package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Tables of coolant hold names that a spreadsheet would run as texts.
func TestCoolantTablesHoldNoFormulas(t *testing.T) {
	s := &summary.Summary{Coolant: []summary.Coolant{{Layer: "=1+1", Along: make([]summary.CoolantAlong, 1),
		Streams: make([]summary.CoolantStream, 1)}}}
	for name, write := range map[string]func(io.Writer, *summary.Summary) error{"coolant": tables.CoolantCSV,
		"streams": tables.StreamsCSV} {
		var b bytes.Buffer
		if err := write(&b, s); err != nil {
			t.Fatal(err)
		}
		if row := strings.Split(b.String(), "\n")[1]; !strings.HasPrefix(row, "'=1+1,0,") {
			t.Errorf("%s: %s", name, row)
		}
	}
}
