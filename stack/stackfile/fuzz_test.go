package stackfile

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// checkFaults demands that an error is a list of faults that name the file.
func checkFaults(t *testing.T, err error) {
	var list stack.ErrorList
	if !errors.As(err, &list) || len(list) == 0 || len(list) > faults.Most+1 {
		t.Fatalf("error %T: %v", err, err)
	}
	for _, e := range list {
		if e.Pos.File == "" || e.Pos.Line < 0 || e.Pos.Col < 0 || e.Msg == "" {
			t.Fatalf("fault without a place: %#v", e)
		}
	}
}

// A stack that loads must survive Print and load again as the same.
func FuzzTOML(f *testing.F) {
	f.Add(full)
	f.Add(small)
	f.Add(packageFile("flip-chip-lid", "jesd51-8", ""))
	f.Add(packageFile("interposer", "", "board = { kind = \"1s0p\", size = [0.05, 0.06] }\n"))
	f.Add(small + "power = { floorplan = \"logic.flp\", watts = \"logic.ptrace\", interval = \"1 ms\", " +
		"repeat = true }\n")
	f.Add(small + "power = { map = [[1, 2], [3, 4e-3]], unit = \"W/cm^2\", orientation = \"north-first\", area = [0, " +
		"0, 1e-3, 1e-3] }\n")
	f.Add(small + "[materials.x]\nmix = { inclusion = \"copper\", matrix = \"x\", fraction = 0.1 }\n")
	f.Add(strings.Replace(small, "{ h = 1e4 }", "{ h = { value = 5e3, exponent = -2, range = [280, 400] }, "+
		"emissivity = 0.8 }", 1))
	f.Add(strings.Replace(tiers, "COOLANT", channels+`, entrance = "developing"`, 1))
	f.Add(
		strings.Replace(tiers, "COOLANT",
			medium+`, pressure_drop = "20 kPa", zone = [{ to = "2 mm", permeability = "400 um^2" }, { to = "8 mm" }]`,
			1))
	f.Add("schema = 1\nsize = [[[[]]]]\n\"a\".b.'c' = 1979-05-27\n[[layer]]\n[layer.x]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("stack.toml", []byte(text), fullFiles.open)
		if err != nil {
			checkFaults(t, err)
			return
		}
		again, printed, err := reload(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if diff := cmp.Diff(s, again, sameStack); diff != "" {
			t.Fatalf("changed (-before +after):\n%s\n%s", diff, printed)
		}
	})
}

func FuzzFLP(f *testing.F) {
	f.Add([]byte(fullFiles["logic.flp"]))
	f.Add([]byte("\xef\xbb\xbfa 1 1 0 0\r\nb 1 1 -1e300 1e-300\n a b 2\n"))
	f.Add([]byte("a 1 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		blocks, err := ReadFLP("x.flp", data)
		if err != nil {
			checkFaults(t, err)
			return
		}
		for _, b := range blocks {
			if r := b.Rects[0]; !(r.Width > 0 && r.Height > 0 && r.X >= 0 && r.Y >= 0) || b.Name == "" {
				t.Fatalf("block %+v", b)
			}
		}
	})
}

func FuzzPTrace(f *testing.F) {
	f.Add([]byte(fullFiles["logic.ptrace"]))
	f.Add([]byte("a\tb\r\n1e400 2\r\n"))
	f.Add([]byte("a a\n1 2 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadPTrace("x.ptrace", data)
		if err != nil {
			checkFaults(t, err)
			return
		}
		checkTable(t, table)
	})
}

func FuzzTraceCSV(f *testing.F) {
	f.Add([]byte("time,a,b\n0,1,2\n0.002,3,4\n"))
	f.Add([]byte("Time [ms];a;\"b\"\n0;1;2\n2;3;4\n"))
	f.Add([]byte("t a\n# c\n0 1\n1e300 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadTraceCSV("x.csv", data)
		if err != nil {
			checkFaults(t, err)
			return
		}
		checkTable(t, table)
		if len(table.Times) != len(table.Rows) || table.Times[0] != 0 {
			t.Fatalf("times %v for %d rows", table.Times, len(table.Rows))
		}
		for i := 1; i < len(table.Times); i++ {
			if !(table.Times[i] > table.Times[i-1]) || math.IsInf(table.Times[i], 0) {
				t.Fatalf("times %v", table.Times)
			}
		}
	})
}

func FuzzPowerCSV(f *testing.F) {
	f.Add([]byte("1,2\n3,4\n"))
	f.Add([]byte("# c\r\n1;2\r\n\"3\";4\r\n"))
	f.Add([]byte("1 2\t3\n\n4 5"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := readPowerMap("x.csv", data)
		if err != nil {
			checkFaults(t, err)
			return
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) || len(row) == 0 {
				t.Fatalf("rows %v", rows)
			}
			checkRow(t, row)
		}
	})
}

func checkTable(t *testing.T, table *PowerTable) {
	if len(table.Names) == 0 || len(table.Names) != len(table.Pos) || len(table.Rows) == 0 {
		t.Fatalf("table %+v", table)
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Names) {
			t.Fatalf("row %v for %q", row, table.Names)
		}
		checkRow(t, row)
	}
}

func checkRow(t *testing.T, row []float64) {
	for _, x := range row {
		if !(x >= 0) || math.IsInf(x, 0) {
			t.Fatalf("row %v", row)
		}
	}
}
