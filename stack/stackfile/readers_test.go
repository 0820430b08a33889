package stackfile

import (
	"reflect"
	"strings"
	"testing"

	"thermsim/stack"
)

func TestReadFLP(t *testing.T) {
	text := "\xef\xbb\xbf# HotSpot\r\nL2_left\t0.004900\t0.006200\t-0.001\t0.009800 # cache\r\n\r\nL2 0.016 0.0098 " +
		"3.9e-3 0.0 1.75e6 0.01\r\nL2 L2_left 1\r\n"
	got, err := ReadFLP("ev6.flp", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "L2_left" ||
		got[0].Rects[0] != (stack.Rect{X: 0, Y: 0.0098, Width: 0.0049, Height: 0.0062}) ||
		got[1].Rects[0] != (stack.Rect{X: 0.0039 + 0.001, Y: 0, Width: 0.016, Height: 0.0098}) {
		t.Errorf("blocks %+v", got)
	}
	if got[1].Pos != (stack.Pos{File: "ev6.flp", Line: 4, Col: 1}) {
		t.Errorf("L2 at %v", got[1].Pos)
	}
}

func TestReadPTrace(t *testing.T) {
	got, err := ReadPTrace("a.ptrace", []byte("\n# watts\na\tb \n1  2e-3\n\n3 4"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Names, []string{"a", "b"}) ||
		!reflect.DeepEqual(got.Rows, [][]float64{{1, 0.002}, {3, 4}}) {
		t.Errorf("table %+v", got)
	}
}

func readPowerMap(path string, data []byte) ([][]float64, error) {
	r := &fileReader{file: path}
	rows, _ := r.matrix(data, true)
	return rows, r.err()
}

func TestReadCSV(t *testing.T) {
	for _, text := range []string{"1,2,3\n4,5,6\n", "# c\r\n1; 2; 3\r\n4; 5; 6\r\n", "1 2\t3\n4 5 6",
		"\xef\xbb\xbf 1 , \"2\", 3,\n4,5,6,\n\n"} {
		rows, err := readPowerMap("m.csv", []byte(text))
		if err != nil || !reflect.DeepEqual(rows, [][]float64{{1, 2, 3}, {4, 5, 6}}) {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
	for _, text := range []string{"time,a,b\n0,1,2\n0.002,3,4\n", "Time [ms];a;b\n0;1;2\n2;3;4\n",
		"t a b\n0 1 2\n2e-3 3 4"} {
		got, err := ReadTraceCSV("t.csv", []byte(text))
		if err != nil || !reflect.DeepEqual(got.Times, []float64{0, 0.002}) ||
			!reflect.DeepEqual(got.Names, []string{"a", "b"}) ||
			!reflect.DeepEqual(got.Rows, [][]float64{{1, 2}, {3, 4}}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestReaderFaults(t *testing.T) {
	ptrace := func(text string) error { _, err := ReadPTrace("f", []byte(text)); return err }
	csvMap := func(text string) error { _, err := readPowerMap("f", []byte(text)); return err }
	trace := func(text string) error { _, err := ReadTraceCSV("f", []byte(text)); return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{ptrace(""), "f:1:1: the file is empty; write a line of block names, then rows of watts"},
		{ptrace("a b\n"), "f:1:1: the file has block names but no powers; add a row of watts"},
		{ptrace("a b\n1\n"), "f:2:1: row has 1 powers, the header names 2 blocks"},
		{ptrace("a b a\n1 2 3\n"), `f:1:5: column "a" is listed twice; give each block one column`},
		{ptrace("a b\n1 -2\n"), `f:2:3: power of "b" must not be negative, got -2`},
		{ptrace("a b\n1 0x1p4\n"), `f:2:3: power of "b" must be a finite number, got "0x1p4"`},
		{ptrace("a b\n1 2\x00\n"), "f:2:4: not a text file: it contains the control character U+0000; save the " +
			"file as plain text"},
		{ptrace("a\x1b b\n1 2\n"), "f:1:2: not a text file: it contains the control character U+001B; save the " +
			"file as plain text"},
		{csvMap("1,2\n3,4\u009b\n"), "f:2:4: not a text file: it contains the control character U+009B; save the " +
			"file as plain text"},
		{ptrace("a\n1e400\n"), `f:2:1: power of "a" must be a finite number, got "1e400"`},
		{csvMap("# only\n"), "f:1:1: the power map is empty; write rows of numbers"},
		{csvMap("1,,3\n"), `f:1:3: a value of a power map must be a finite number, got ""`},
		{trace("time\n0\n"), "f:1:1: the trace has no blocks; add one column per block"},
		{trace("time [parsec],a\n0,1\n"),
			`f:1:1: unit of time not understood in "time [parsec]"; write "time [s]" or "time [ms]"`},
		{trace("time,a\n0\n"), "f:2:1: row has 1 values, the header 2"},
		{trace("time,,a\n0,1,2\n"), "f:1:6: column without a name"},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", tt.err, tt.want)
		}
	}
}

// Powers over time: the steady value is the mean weighted by time, or what row says.
func TestWattsFromTraces(t *testing.T) {
	f := files{
		"two.flp":    "a 1e-3 1e-3 0 0\nb 1e-3 1e-3 1e-3 0\n",
		"two.ptrace": "b a\n1 2\n9 4\n5 3\n",
		"t.csv":      "time,a,b\n0,1,2\n1,4,8\n",
	}
	for _, tt := range []struct {
		power string
		a, b  float64
		end   float64 // of the trace, 0 for none
	}{
		{`{ floorplan = "two.flp", watts = "two.ptrace" }`, 3, 5, 0},
		{`{ floorplan = "two.flp", watts = "two.ptrace", row = 1 }`, 2, 1, 0},
		{`{ floorplan = "two.flp", watts = "two.ptrace", row = "max", interval = "10 ms" }`, 4, 9, 0.03},
		{`{ floorplan = "two.flp", trace = "t.csv" }`, 2.5, 5, 2},
		{`{ floorplan = "two.flp", trace = "t.csv", end = "4 s", repeat = true }`, 3.25, 6.5, 4},
		{`{ floorplan = "two.flp", trace = "t.csv", watts = { a = 7, b = 8 } }`, 7, 8, 2},
		{`{ floorplan = "two.flp", watts = { a = "250 mW", b = 0 } }`, 0.25, 0, 0},
	} {
		f["stack.toml"] = small + "power = " + tt.power + "\n"
		p := mustParse(t, f).Layers[0].Powers[0]
		if !near(p.Blocks[0].Watts, tt.a) || !near(p.Blocks[1].Watts, tt.b) {
			t.Errorf("%s: %v and %v W, want %v and %v", tt.power, p.Blocks[0].Watts, p.Blocks[1].Watts, tt.a, tt.b)
		}
		if end := 0.0; p.Trace != nil || tt.end != 0 {
			if p.Trace != nil {
				end = p.Trace.End
			}
			if !near(end, tt.end) {
				t.Errorf("%s: trace ends at %v, want %v", tt.power, end, tt.end)
			}
		}
	}
}

// What sticks out by rounding alone is pulled back in.
func TestRoundingIsClamped(t *testing.T) {
	s := mustParse(t,
		files{"stack.toml": small +
			`block = [{ name = "a", x = -1e-13, y = 0.004, width = "10.000000001 mm", height = 0.006000000000001, power = 1 }]` + "\n"})
	r := s.Layers[0].Powers[0].Blocks[0].Rects[0]
	if r.X != 0 || r.X+r.Width > 0.01 || r.Y+r.Height > 0.01 {
		t.Errorf("block at %+v", r)
	}
}

// allow_overlap exempts the blocks of its power; two floorplans in one layer are checked against each other.
func TestOverlapBetweenPowers(t *testing.T) {
	two := small + "[[layer.power]]\n%\nblock = [{ name = \"a\", x = 0, y = 0, width = 2e-3, height = 2e-3, " +
		"power = 1 }]\n" +
		"[[layer.power]]\nblock = [{ name = \"b\", x = 1e-3, y = 1e-3, width = 2e-3, height = 2e-3, power = 1 }]\n"
	_, err := Parse("stack.toml", []byte(strings.Replace(two, "%", "", 1)), files{}.open)
	if err == nil || !strings.Contains(err.Error(), `stack.toml:12:10: layer "die": block "b" overlaps block "a"`) {
		t.Errorf("error %v", err)
	}
	mustParse(t, files{"stack.toml": strings.Replace(two, "%", "allow_overlap = true", 1)})
}
