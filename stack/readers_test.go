package stack

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
)

func TestReadFLP(t *testing.T) {
	text := "\xef\xbb\xbf# HotSpot\r\nL2_left\t0.004900\t0.006200\t-0.001\t0.009800 # cache\r\n\r\nL2 0.016 0.0098 " +
		"3.9e-3 0.0 1.75e6 0.01\r\nL2 L2_left 1\r\n"
	got, err := ReadFLP("ev6.flp", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "L2_left" || got[0].Rects[0] != (Rect{0, 0.0098, 0.0049, 0.0062}) ||
		got[1].Rects[0] != (Rect{0.0039 + 0.001, 0, 0.016, 0.0098}) {
		t.Errorf("blocks %+v", got)
	}
	if got[1].Pos != (Pos{"ev6.flp", 4, 1}) {
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

func TestReadCSV(t *testing.T) {
	for _, text := range []string{"1,2,3\n4,5,6\n", "# c\r\n1; 2; 3\r\n4; 5; 6\r\n", "1 2\t3\n4 5 6",
		"\xef\xbb\xbf 1 , \"2\", 3,\n4,5,6,\n\n"} {
		rows, err := ReadPowerCSV("m.csv", []byte(text))
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
	csvMap := func(text string) error { _, err := ReadPowerCSV("f", []byte(text)); return err }
	trace := func(text string) error { _, err := ReadTraceCSV("f", []byte(text)); return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{ptrace(""), "f:1:1: the file is empty; write a line of block names, then rows of watts"},
		{ptrace("a b\n"), "f:1:1: the file has block names but no powers; add a row of watts"},
		{ptrace("a b\n1\n"), "f:2:1: row has 1 powers, the header names 2 blocks"},
		{ptrace("a b a\n1 2 3\n"), `f:1:5: column "a" is there twice; give each block one column`},
		{ptrace("a b\n1 -2\n"), `f:2:3: power of "b" must not be negative, got -2`},
		{ptrace("a b\n1 0x1p4\n"), `f:2:3: power of "b" must be a finite number, got "0x1p4"`},
		{ptrace("a b\n1 2\x00\n"), "f:2:4: this is no text file: it holds the control character U+0000; save the " +
			"file as plain text"},
		{ptrace("a\x1b b\n1 2\n"), "f:1:2: this is no text file: it holds the control character U+001B; save the " +
			"file as plain text"},
		{csvMap("1,2\n3,4\u009b\n"), "f:2:4: this is no text file: it holds the control character U+009B; save the " +
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

// The sweep must find what comparing every pair finds.
func TestOverlapsAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		s, blocks := gridOfBlocks(5, 7)
		for range trial % 4 {
			r := &blocks[rng.IntN(len(blocks))].Rects[0]
			r.X, r.Width = r.X*(0.9+0.2*rng.Float64()), r.Width*(0.5+0.6*rng.Float64())
			r.Y = max(0, r.Y-0.3*rng.Float64())
		}
		want := 0
		v := &validator{slack: tolerance * 7}
		for i := range blocks {
			for j := range i {
				if v.overlap(blocks[i].Rects[0], blocks[j].Rects[0]) {
					want++
				}
			}
		}
		s.Layers[0].Powers[0].Blocks = blocks
		s.Size = [2]float64{20, 20}
		s.Layers[0].Powers[0].Area = s.Domain()
		if err := Validate(s); (err != nil) != (want > 0) {
			t.Fatalf("trial %d: %d pairs overlap, error %v", trial, want, err)
		}
	}
}

// gridOfBlocks is a stack with one layer, fully covered by nx*ny unit blocks.
func gridOfBlocks(nx, ny int) (*Stack, []Block) {
	s := &Stack{Schema: 1, Ambient: 300, Size: [2]float64{float64(nx), float64(ny)},
		Grid:      Grid{X: Axis{Cells: 1}, Y: Axis{Cells: 1}},
		Materials: []Material{{Name: "m", K: [3]float64{1, 1, 1}, C: 1}},
		Layers:    []Layer{{Name: "l", Thickness: 1, Cells: 1}}}
	var blocks []Block
	for i := range nx * ny {
		blocks = append(blocks, Block{Name: fmt.Sprint(i), Rects: []Rect{{float64(i % nx), float64(i / nx), 1, 1}},
			Watts: 1})
	}
	s.Layers[0].Powers = []Power{{Blocks: blocks, Area: s.Domain()}}
	return s, blocks
}

func TestManyBlocksAreFast(t *testing.T) {
	s, blocks := gridOfBlocks(200, 200)
	start := cputime.Used()
	if err := Validate(s); err != nil {
		t.Fatal(err)
	}
	if d := cputime.Used() - start; d > 2*time.Second {
		t.Errorf("40000 blocks took %v", d)
	}
	blocks[777].Rects[0].X -= 0.25
	if err := Validate(s); err == nil ||
		!strings.Contains(err.Error(), `layer "l": block "777" overlaps block "776" by 250 mm x 1 m`) &&
			!strings.Contains(err.Error(), `block "776" overlaps block "777"`) {
		t.Errorf("error %v", err)
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
