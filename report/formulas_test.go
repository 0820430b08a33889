package report

import (
	"bytes"
	"strings"
	"testing"

	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Tables of coolant hold names that a spreadsheet would run as texts.
func TestCoolantTablesHoldNoFormulas(t *testing.T) {
	s := &summary.Summary{Coolant: []summary.Coolant{{Layer: "=1+1", Along: make([]summary.CoolantAlong, 1),
		Streams: make([]summary.CoolantStream, 1)}}}
	for name, table := range map[string]*tables.Table{"coolant": tables.AlongCoolant(s), "streams": tables.Streams(s)} {
		var b bytes.Buffer
		if err := table.CSV(&b, false); err != nil {
			t.Fatal(err)
		}
		if row := strings.Split(b.String(), "\n")[1]; !strings.HasPrefix(row, "'=1+1,0,") {
			t.Errorf("%s: %s", name, row)
		}
	}
}
