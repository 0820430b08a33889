package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// Tables of coolant hold names that a spreadsheet would run as texts.
func TestCoolantTablesHoldNoFormulas(t *testing.T) {
	s := &Summary{Coolant: []CoolantSummary{{Layer: "=1+1", Along: make([]CoolantAlong, 1),
		Streams: make([]CoolantStream, 1)}}}
	for name, write := range map[string]func(io.Writer, *Summary) error{"coolant": writeCoolantCSV,
		"streams": writeStreamsCSV} {
		var b bytes.Buffer
		if err := write(&b, s); err != nil {
			t.Fatal(err)
		}
		if row := strings.Split(b.String(), "\n")[1]; !strings.HasPrefix(row, "'=1+1,0,") {
			t.Errorf("%s: %s", name, row)
		}
	}
}
