package eda

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Packed files, a byte order mark, Windows' line ends and tabs change nothing.
func TestPackedAndOtherLineEnds(t *testing.T) {
	s := synthesize(500)
	want := mustImport(t, request(s.files(), 16, 16)).Map.Watts
	zipped := map[string][]byte{}
	windows := map[string][]byte{}
	for name, data := range s.files() {
		zipped[name] = packed(string(data))
		text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\n", "\r\n"), " ", "\t")
		windows[name] = []byte("\xef\xbb\xbf" + text)
	}
	for _, files := range []map[string][]byte{zipped, windows} {
		if got := mustImport(t, request(files, 16, 16)).Map.Watts; !slices.Equal(got, want) {
			t.Error("another map")
		}
	}
}

// The CSV of cells stands for DEF, LEF and report: the same map to the last bit, strays and unplaced cells included.
func TestCellsRoundTrip(t *testing.T) {
	s := synthesize(3000)
	files := s.files()
	files["p.rpt"] = append(files["p.rpt"], "0 0 0 1e-3 not/there\n"...)
	q := request(files, 33, 17)
	q.Spread = true
	r := mustImport(t, q)
	for range 2 {
		var cells bytes.Buffer
		if err := r.WriteCells(&cells); err != nil {
			t.Fatal(err)
		}
		again := mustImport(t, Request{Placement: "cells.csv", NX: 33, NY: 17, Spread: true,
			Open: open(map[string][]byte{"cells.csv": cells.Bytes()})})
		if !slices.Equal(again.Map.Watts, r.Map.Watts) || again.Watts != r.Watts || again.Design != r.Design ||
			!slices.Equal(again.Die, r.Die) {
			t.Fatalf("another map: %g W of %s on %v became %g W of %s on %v", r.Watts, r.Design, r.Die, again.Watts,
				again.Design, again.Die)
		}
		r = again
	}
}

// Names that need quotes in CSV, columns in another order, other units, a die of its own and a report beside it.
func TestCellsCSV(t *testing.T) {
	files := map[string][]byte{
		"cells.csv": []byte("y [mm],x [nm],name,height,width,watts " +
			"[mW]\n0.02,10000,\"a[1,2]\",10,10,2000\n0.05,50000,\"say \"\"b\"\"\",10,20,1000\n"),
		"bare.csv": []byte("# die 0 0 100 100 um\nname,x,y,width,height\n\"a[1,2]\",10,20,10,10\nb,50,50,20,10\n"),
		"p.rpt": []byte("Instance  Internal  Switching  Leakage  Total (mW)\na[1,2] 1000 1000 0 2000\nb 0 0 1000 " +
			"1000\nTotal 1000 1000 1000 3000\n"),
	}
	want := make([]float64, 100)
	want[21], want[55], want[56] = 2, 0.5, 0.5
	r := mustImport(t, Request{Placement: "cells.csv", Die: Box{0, 0, 100, 100}, NX: 10, NY: 10, Open: open(files)})
	near(t, r.Map, want, 1e-15)
	near(t, mustImport(t, Request{Placement: "bare.csv", Power: "p.rpt", NX: 10, NY: 10, Open: open(files)}).Map, want,
		1e-15)
	var cells bytes.Buffer
	if err := r.WriteCells(&cells); err != nil {
		t.Fatal(err)
	}
	files["again.csv"] = cells.Bytes()
	near(t, mustImport(t, Request{Placement: "again.csv", NX: 10, NY: 10, Open: open(files)}).Map, want, 1e-15)
}

// DEF and report disagree about backslashes and about the character between levels.
func TestNames(t *testing.T) {
	files := design(square, `- u1/a\[3\] TILE + PLACED ( 0 0 ) N ;
- b[4] TILE + PLACED ( 10000 0 ) N ;
- u1/c\/d TILE + PLACED ( 20000 0 ) N ;`, "0 0 0 1 u1/a[3]\n0 0 0 2 b\\[4\\]\n0 0 0 3 u1/c\\/d\n")
	r := mustImport(t, request(files, 10, 10))
	if got := r.Map.Watts[:3]; !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("got %v", got)
	}
	files = design(square, "- u1|a TILE + PLACED ( 0 0 ) N ;", "0 0 0 1 u1/a\n")
	files["d.def"] = append([]byte("DIVIDERCHAR \"|\" ;\n"), files["d.def"]...)
	if got := mustImport(t, request(files, 10, 10)).Map.Watts[0]; got != 1 {
		t.Errorf("got %v", got)
	}
	files = design(square, "- a[1] TILE + PLACED ( 0 0 ) N ;\n- b\\/c TILE + PLACED ( 0 0 ) N ;\n- \\b/c TILE + "+
		"PLACED ( 0 0 ) N ;", "0 0 0 1 b/c\n")
	wantFault(t, request(files, 10, 10), "p.rpt:4:9: ", "may mean several components")
}

// goodJSON is goodReport as OpenSTA writes it in JSON; a backslash in a name is not escaped.
const goodJSON = `[
{
  "name": "b",
  "internal": 2.00e-03,
  "switching": 1.00e-03,
  "leakage": 0.00e+00,
  "total": 3.00e-03
}
,
{
  "name": "\a",
  "internal": 1.00e-03,
  "switching": 1.00e-03,
  "leakage": 0.00e+00,
  "total": 2.00e-03
}
]
`

func TestJSONReport(t *testing.T) {
	want := mustImport(t, request(edited(t, edit{"p.rpt", "", goodReport}), 4, 4))
	got := mustImport(t, request(edited(t, edit{"p.rpt", "", goodJSON}), 4, 4))
	if !slices.Equal(got.Map.Watts, want.Map.Watts) || got.Watts != want.Watts || got.Watts != 5e-3 {
		t.Errorf("%g W %v, expected %g W %v", got.Watts, got.Map.Watts, want.Watts, want.Map.Watts)
	}
}

func wantFault(t *testing.T, q Request, place, text string) {
	t.Helper()
	_, err := Import(q)
	if err == nil {
		t.Fatalf("taken; want %s... %s", place, text)
	}
	var list stack.ErrorList
	var one *stack.Error
	if !errors.As(err, &list) && !errors.As(err, &one) {
		t.Fatalf("not an error of input: %v", err)
	}
	if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.HasPrefix(first, place) ||
		!strings.Contains(first, text) {
		t.Fatalf("got %q\nwant %q ... %q", err, place, text)
	}
}

// Watts without a place are an error that names them, unless they shall be spread.
func TestStrays(t *testing.T) {
	files := design(square, "- a TILE + PLACED ( 0 0 ) N ;\n- b TILE + UNPLACED ;\n- c TILE ;\n- fill TILE + PLACED "+
		"( 0 0 ) N ;",
		"0 0 0 1 a\n0 0 0 2 b\n0 0 0 0 c\n0 0 0 4 d\n0 0 0 8 e\n")
	q := request(files, 2, 2)
	wantFault(t, q, "p.rpt:7: ",
		`14 W have no location: 2 instances of the report not in d.def (the first is "d"), 1 instance not placed (the first is "b" on line 7 of d.def)`)
	q.Spread = true
	r := mustImport(t, q)
	near(t, r.Map, []float64{1 + 3.5, 3.5, 3.5, 3.5}, 1e-15)
	if r.Strays != 3 || r.StrayW != 14 || r.Silent != 1 || r.Watts != 15 {
		t.Errorf("%+v", r)
	}
	notes := ""
	for _, n := range r.Notes {
		notes += n.String() + "\n"
	}
	for _, want := range []string{"14 W of 3 instances have no location (2 not in d.def at all) and are spread",
		`d.def:9: adapted: no power for 1 of 4 instances, counted as 0 W; the first is "fill"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
	// A module whose cells are listed too is refused either way: its watts would count twice.
	files = design(square, "- u/a TILE + PLACED ( 0 0 ) N ;", "0 0 0 1 u/a\n0 0 0 1 u\n")
	q = request(files, 2, 2)
	q.Spread = true
	wantFault(t, q, "p.rpt:5: ", `"u" is a module: the report has "u/a" within it too`)
}

func TestUnits(t *testing.T) {
	for unit, scale := range map[string]float64{"(Watts)": 1, "(W)": 1, "(mW)": 1e-3, "(mWatts)": 1e-3, "(uW)": 1e-6,
		"(nW)": 1e-9, "(pW)": 1e-12, "(kW)": 1e3, "": 1} {
		files := design(square, "- a TILE + PLACED ( 0 0 ) N ;", "")
		files["p.rpt"] = []byte("Internal Switching Leakage Total\nPower Power Power Power " + unit +
			"\n----\n1 2 3 6 a\n")
		if got := mustImport(t, request(files, 1, 1)).Watts; math.Abs(got-6*scale) > 1e-15*scale {
			t.Errorf("%s: %g W", unit, got)
		}
	}
	files := design(square, "- a TILE + PLACED ( 0 0 ) N ;", "")
	files["p.rpt"] = []byte("*\tPower Units = 1mW\nInstance Internal Switching Leakage Total\na 1 2 3 6 50.0%\n")
	if got := mustImport(t, request(files, 1, 1)).Watts; got != 6e-3 {
		t.Errorf("%g W", got)
	}
	// A log with the sums by groups first, and parts without a total.
	files["p.rpt"] = []byte("OpenSTA\nGroup Internal Switching Leakage Total\n Power Power Power Power " +
		"(Watts)\n---\nSequential 1 1 1 3 100.0%\n---\nTotal 1 1 1 3 100%\n 33.3% 33.3% 33.3%\n\nInternal Switching " +
		"Leakage\n----\n1 2 3 a\n")
	if got := mustImport(t, request(files, 1, 1)).Watts; got != 6 {
		t.Errorf("%g W", got)
	}
}

// Less than 0 W is subtracted; a tile below 0 W cannot be written.
func TestNegativeWatts(t *testing.T) {
	files := design(square, "- a TILE + PLACED ( 0 0 ) N ;\n- b TILE + PLACED ( 0 0 ) N ;", "0 0 0 3 a\n-1 0 0 -1 b\n")
	r := mustImport(t, request(files, 2, 2))
	if r.Negative != 1 || r.Map.Watts[0] != 2 {
		t.Errorf("%d negative, %v", r.Negative, r.Map.Watts)
	}
	files = design(square, "- a TILE + PLACED ( 0 0 ) N ;\n- b TILE + PLACED ( 60000 0 ) N ;",
		"0 0 0 3 a\n-1 0 0 -1 b\n")
	wantFault(t, request(files, 2, 2), "p.rpt: ", "the tile in column 2 from the west and row 1 from the south "+
		"has -1 W")
}

// Sections and statements of the formats that say nothing of placement are passed over, whatever is in them.
func TestOtherSections(t *testing.T) {
	files := design(square, "- a TILE net1 * + EEQMASTER X + SOURCE DIST + FIXED ( 0 0 ) N + WEIGHT 3 + HALO SOFT 1 "+
		"2 3 4 + PROPERTY note \"a ; + b\" ;", "0 0 0 1 a\n")
	before := `# a comment with ; and "
NAMESCASESENSITIVE ON ;
HISTORY isn't "quoted ;
PROPERTYDEFINITIONS
 COMPONENT note STRING ;
END PROPERTYDEFINITIONS
VIAS 1 ;
- v + RECT m1 ( 0 0 ) ( 1 1 ) ;
END VIAS
ROW r unit 0 0 N DO 10 BY 1 STEP 200 0 ;
BEGINEXT "tool"
 - COMPONENTS 3 ;
ENDEXT
SPECIALNETS 1 ;
- VDD ( * VDD )
 + ROUTED m1 100 ( 0 0 ) ( 100 * )
 # END SPECIALNETS
 + USE POWER ;
END SPECIALNETS
`
	files["d.def"] = []byte(before + string(files["d.def"]))
	files["c.lef"] =
		append([]byte("LAYER m1\n TYPE ROUTING ;\n PROPERTY LEF58_X \"END m1 ; \" ;\nEND m1\nNONDEFAULTRULE r\n "+
			"LAYER m1 WIDTH 1 ; END m1\nEND r\nNONDEFAULTRULE s\n LAYER m1 WIDTH 1 ; END m1\nEND\n&alias x = 1 "+
			"&endalias\nMACRO UNUSED\nEND UNUSED\nMACRO P\n SIZE 1 BY 1 ;\n PIN A\n  PORT\n   LAYER m1 ;\n  END\n  "+
			"PORT\n  END\n END A\n DENSITY\n  LAYER m1 ;\n END\nEND P\n"), files["c.lef"]...)
	if got := mustImport(t, request(files, 10, 10)).Map.Watts[0]; got != 1 {
		t.Errorf("got %g W", got)
	}
}

// The stack file that is written can be loaded, and gives the watts.
func TestStackFile(t *testing.T) {
	s := synthesize(200)
	r := mustImport(t, request(s.files(), 12, 9))
	r.Design = `odd "name" \`
	var text, tiles bytes.Buffer
	if err := r.WriteStack(&text, "m.csv"); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteMap(&tiles); err != nil {
		t.Fatal(err)
	}
	st, err := stackfile.Parse("stack.toml", text.Bytes(), func(string) ([]byte, error) { return tiles.Bytes(), nil })
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if err := stack.Validate(st); err != nil {
		t.Fatal(err)
	}
	if st.Title != r.Design || st.Grid.X.Cells != 12 || st.Grid.Y.Cells != 9 {
		t.Errorf("title %q, grid %+v", st.Title, st.Grid)
	}
	if got := st.Layers[1].Powers[0].Watts(); math.Abs(got-s.watts) > 1e-12*s.watts {
		t.Errorf("%.17g W, want %.17g W", got, s.watts)
	}
	if d := math.Abs(st.Size[0] - (r.Bounds.X1-r.Bounds.X0)*1e-6); d > 1e-12*st.Size[0] {
		t.Errorf("size off by %g m", d)
	}
}

// Names of instances are texts in the CSV of cells, also for a spreadsheet; others stay as they are.
func TestCellNamesAreNoFormulas(t *testing.T) {
	for name, want := range map[string]string{"=1+1": "'=1+1", `\a-b[3]`: `\a-b[3]`, "u1,a": `"u1,a"`, "-a,b": `"'-a,b"`,
		"#a|+b": `"#a|'+b"`} {
		if got := string(appendCSV(nil, []byte(name))); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
