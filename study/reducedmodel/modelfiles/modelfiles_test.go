package modelfiles

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"thermsim/study/reducedmodel"
	"thermsim/study/response/ladder"
)

// Tables of networks hold names of inputs that a spreadsheet would run as texts, in quotes where they have separators.
func TestNetworkTablesHoldNoFormulas(t *testing.T) {
	ports := []*reducedmodel.OnePort{{Input: "@die/a,b", Foster: &ladder.Foster{R: []float64{1}, Tau: []float64{1}},
		Cauer: &ladder.Cauer{R: []float64{1}, C: []float64{1}}}}
	for name, write := range map[string]func(io.Writer, []*reducedmodel.OnePort) error{"foster": writeFoster,
		"cauer": writeCauer} {
		var b bytes.Buffer
		if err := write(&b, ports); err != nil {
			t.Fatal(err)
		}
		if row := strings.Split(b.String(), "\n")[1]; !strings.HasPrefix(row, `"'@die/a,b",1,1`) {
			t.Errorf("%s: %s", name, row)
		}
	}
}
