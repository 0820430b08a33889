package bench

import (
	"bytes"
	"strings"
	"testing"
)

// Names of cases and of other people's solvers are texts where a spreadsheet would run them.
func TestMeasurementsHoldNoFormulas(t *testing.T) {
	r := &Result{Tables: []Sheet{{Name: "=t", Rows: []Row{{Case: "=c", Method: "-m",
		External: &External{Device: "@d", Source: "a;=s"}}}}}}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	row := strings.Split(b.String(), "\n")[1]
	for _, cell := range []string{"'=t,", ",'=c,", ",'-m,", "source: a;'=s"} {
		if !strings.Contains(row, cell) {
			t.Errorf("no %s in %s", cell, row)
		}
	}
}
