package eda

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
)

const (
	goodDEF = `VERSION 5.8 ;
UNITS DISTANCE MICRONS 1000 ;
DIEAREA ( 0 0 ) ( 100000 100000 ) ;
COMPONENTS 2 ;
- a TILE + PLACED ( 0 0 ) N ;
- b RAM
  + FIXED ( 20000 0 ) FE ;
END COMPONENTS
NETS 1 ;
- n ( a A ) ;
END NETS
END DESIGN
`
	goodLEF = `VERSION 5.8 ;
MACRO TILE
  CLASS CORE ;
  SIZE 10 BY 10 ;
  PIN A
    PORT
      LAYER m1 ;
    END
  END A
END TILE
MACRO RAM
  SIZE 30 BY 10 ;
END RAM
END LIBRARY
`
	goodReport = `   Internal  Switching    Leakage      Total
      Power      Power      Power      Power (Watts)
----------------------------------------------
   1.00e-03   1.00e-03   0.00e+00   2.00e-03 a
   2.00e-03   1.00e-03   0.00e+00   3.00e-03 b
`
	goodCells = `# die 0 0 100 100 um
name,cell,x,y,width,height,watts
a,TILE,0,0,10,10,2e-3
b,RAM,20,0,10,30,3e-3
`
)

// edit replaces old by new in one file; "" for old takes new as the whole file.
type edit struct{ file, old, new string }

func edited(t testing.TB, e edit) map[string][]byte {
	files := map[string][]byte{"d.def": []byte(goodDEF), "c.lef": []byte(goodLEF), "p.rpt": []byte(goodReport),
		"cells.csv": []byte(goodCells)}
	if e.old == "" {
		files[e.file] = []byte(e.new)
		return files
	}
	if !strings.Contains(string(files[e.file]), e.old) {
		t.Fatalf("%q is not in %s", e.old, e.file)
	}
	files[e.file] = []byte(strings.Replace(string(files[e.file]), e.old, e.new, 1))
	return files
}

func (e edit) request(t testing.TB) Request {
	files := edited(t, e)
	if e.file == "cells.csv" {
		return Request{Placement: "cells.csv", NX: 4, NY: 4, Open: open(files)}
	}
	return request(files, 4, 4)
}

func TestMalformed(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct {
		edit
		place, text string
	}{
		// DEF
		"empty DEF":     {edit{"d.def", "", ""}, "d.def:1:1: ", "ends without END DESIGN"},
		"no DEF at all": {edit{"d.def", "", "hello world\n"}, "d.def:1:1: ", `unknown statement "hello"`},
		"truncated statement": {edit{"d.def", "", goodDEF[:strings.Index(goodDEF, "FE")]}, "d.def:7:23: ",
			"ends where the orientation of the component is expected"},
		"truncated section": {edit{"d.def", "", goodDEF[:strings.Index(goodDEF, "END COMP")]}, "d.def:8:1: ",
			"ends within COMPONENTS, after 2 of 2"},
		"truncated nets": {edit{"d.def", "", goodDEF[:strings.Index(goodDEF, "END NETS")]}, "d.def:11:1: ",
			"ends within NETS of line 9"},
		"no END DESIGN": {edit{"d.def", "END DESIGN", ""}, "d.def:13:1: ", "ends without END DESIGN"},
		"too few components": {edit{"d.def", "COMPONENTS 2", "COMPONENTS 3"}, "d.def:4:1: ",
			"announces 3 components, and there are 2"},
		"too many components": {edit{"d.def", "COMPONENTS 2", "COMPONENTS 1"}, "d.def:4:1: ",
			"announces 1 components, and there are 2"},
		"negative count": {edit{"d.def", "COMPONENTS 2", "COMPONENTS -2"}, "d.def:4:12: ",
			"must not be negative"},
		"huge count": {edit{"d.def", "COMPONENTS 2", "COMPONENTS 99999999999"}, "d.def:4:12: ",
			"within 32 bits"},
		"large count": {edit{"d.def", "COMPONENTS 2", "COMPONENTS 2000000000"}, "d.def:4:1: ",
			"announces 2000000000 components"},
		"count of words": {edit{"d.def", "COMPONENTS 2", "COMPONENTS two"}, "d.def:4:12: ", `got "two"`},
		"components twice": {edit{"d.def", "NETS 1", "COMPONENTS 0 ;\nEND COMPONENTS\nNETS 1"}, "d.def:9:1: ",
			"a second COMPONENTS"},
		"no components": {edit{"d.def", "", "UNITS DISTANCE MICRONS 1000 ;\nDIEAREA ( 0 0 ) ( 1 1 ) " +
			";\nEND DESIGN\n"}, "d.def:3:5: ", "no COMPONENTS"},
		"unknown section": {edit{"d.def", "NETS 1", "NUTS 1"}, "d.def:9:1: ", `unknown statement "NUTS"`},
		"wrong end": {edit{"d.def", "END COMPONENTS", "END COMPONENT"}, "d.def:8:5: ",
			`expected "COMPONENTS"`},
		"unknown keyword": {edit{"d.def", "+ FIXED", "+ FIXD"}, "d.def:7:5: ", `unknown keyword "FIXD"`},
		"unknown macro":   {edit{"d.def", "- b RAM", "- b ROM"}, "d.def:6:5: ", `macro "ROM" is in no LEF`},
		"no macro": {edit{"d.def", "- b RAM\n  + FIXED", "- b\n  + FIXED"}, "d.def:7:3: ",
			"expected the macro"},
		"duplicate instance": {edit{"d.def", "- b RAM", "- a RAM"}, "d.def:6:3: ",
			`component "a" is there already, on line 5`},
		"unknown orientation": {edit{"d.def", "FE", "NE"}, "d.def:7:23: ", "unknown orientation"},
		"placed twice": {edit{"d.def", "FE ;", "FE + PLACED ( 0 0 ) N ;"}, "d.def:7:28: ",
			"a second placement"},
		"point without spaces": {edit{"d.def", "( 0 0 ) N", "(0 0) N"}, "d.def:5:19: ", `expected a point "( x y )"`},
		"point of one number": {edit{"d.def", "( 0 0 ) N", "( 0 ) N"}, "d.def:5:23: ",
			"a coordinate must be a whole number"},
		"coordinate 1.": {edit{"d.def", "( 20000 0 )", "( 20000. 0 )"}, "d.def:7:13: ", `got "20000."`},
		"coordinate .5": {edit{"d.def", "( 20000 0 )", "( .5 0 )"}, "d.def:7:13: ", `got ".5"`},
		"huge coordinate": {edit{"d.def", "( 20000 0 )", "( 99999999999999999999 0 )"}, "d.def:7:13: ",
			"within 32 bits"},
		"exponent":   {edit{"d.def", "( 20000 0 )", "( 1e300 0 )"}, "d.def:7:13: ", "within 32 bits"},
		"units of 0": {edit{"d.def", "MICRONS 1000", "MICRONS 0"}, "d.def:2:24: ", "must be positive"},
		"a die of two metres": {edit{"d.def", "( 100000 100000 )", "( 2001000000 100000 )"}, "d.def:",
			"a coordinate must not exceed 1e+06 um, got 2.001e+06 um"},
		"units late": {edit{"d.def", "UNITS DISTANCE MICRONS 1000 ;\n", ""}, "d.def:2:1: ",
			"DIEAREA comes before the units"},
		"other units": {edit{"d.def", "DISTANCE MICRONS", "DISTANCE INCHES"}, "d.def:2:16: ",
			`expected "MICRONS"`},
		"no die":   {edit{"d.def", "DIEAREA ( 0 0 ) ( 100000 100000 ) ;\n", ""}, "d.def: ", "no die area"},
		"flat die": {edit{"d.def", "( 100000 100000 )", "( 100000 0 )"}, "d.def:3:1: ", "has no area"},
		"oblique die": {edit{"d.def", "( 0 0 ) ( 100000 100000 )", "( 0 0 ) ( 10 10 ) ( 20 0 ) ( 5 5 )"},
			"d.def:3:1: ", "neither horizontal nor vertical"},
		"crossing die": {edit{"d.def", "( 0 0 ) ( 100000 100000 )", "( 0 0 ) ( 20 0 ) ( 20 20 ) ( 10 20 ) ( " +
			"10 -10 ) ( 0 -10 )"}, "d.def:3:1: ", "crosses itself"},
		"die wound twice": {edit{"d.def", "( 0 0 ) ( 100000 100000 )", "( 0 0 ) ( 30 0 ) ( 30 30 ) ( 10 30 ) ( " +
			"10 10 ) ( 20 10 ) ( 20 40 ) ( 0 40 )"}, "d.def:3:1: ", "crosses itself"},
		"units twice": {edit{"d.def", "DIEAREA", "UNITS DISTANCE MICRONS 2000 ;\nDIEAREA"}, "d.def:3:",
			"a second UNITS"},
		"die of three corners": {edit{"d.def", "( 0 0 ) ( 100000 100000 )", "( 0 0 ) ( 10 0 ) ( 10 10 )"},
			"d.def:3:1: ", "at least four"},
		"Latin-1 name":      {edit{"d.def", "- a TILE", "- \xe4 TILE"}, "d.def:5:3: ", "0xe4"},
		"control character": {edit{"d.def", "- a TILE", "- \x00 TILE"}, "d.def:5:3: ", "0x00"},
		"open quotation": {edit{"d.def", "NETS 1 ;", "DIVIDERCHAR \"/ ;"}, "d.def:9:13: ",
			"the quotation has no end"},
		"endless word":   {edit{"d.def", "- a TILE", "- " + long + " TILE"}, "d.def:5:3: ", "longer than"},
		"open extension": {edit{"d.def", "NETS 1 ;", "BEGINEXT \"x\""}, "d.def:13:1: ", "within BEGINEXT"},
		"Windows and unknown": {edit{"d.def", "VERSION 5.8 ;\n", "\xef\xbb\xbfVERSION 5.8 ;\r\n\tFLOWERS ;\r\n"},
			"d.def:2:2: ", `unknown statement "FLOWERS"`},
		"truncated gzip": {edit{"d.def", "", string(packed(goodDEF)[:40])}, "d.def:",
			"cannot be read on: unexpected EOF"},
		"no gzip": {edit{"d.def", "", "\x1f\x8bnothing"}, "d.def:1: ", "cannot be decompressed"},
		// LEF
		"negative size": {edit{"c.lef", "SIZE 30 BY 10", "SIZE -30 BY 10"}, "c.lef:12:8: ",
			"the width of a macro must be 1e-06 um at least"},
		"size of 0": {edit{"c.lef", "SIZE 30 BY 10", "SIZE 30 BY 0"}, "c.lef:12:14: ",
			"the height of a macro must be 1e-06 um at least"},
		"huge size": {edit{"c.lef", "SIZE 30 BY 10", "SIZE 1e30 BY 10"}, "c.lef:12:8: ", "must not exceed"},
		"infinite size": {edit{"c.lef", "SIZE 30 BY 10", "SIZE inf BY 10"}, "c.lef:12:8: ",
			"must be a number in um"},
		"size without BY": {edit{"c.lef", "SIZE 30 BY 10", "SIZE 30 10"}, "c.lef:12:11: ", `expected "BY"`},
		"no size": {edit{"c.lef", "  SIZE 30 BY 10 ;\n", ""}, "d.def:6:5: ",
			`macro "RAM" has no SIZE at c.lef:11:7`},
		"two sizes": {edit{"c.lef", "SIZE 30 BY 10 ;", "SIZE 30 BY 10 ; SIZE 1 BY 1 ;"}, "c.lef:12:19: ",
			"a second SIZE"},
		"wrong END": {edit{"c.lef", "END RAM", "END ROM"}, "c.lef:13:5: ", `expected END for macro "RAM"`},
		"unknown in macro": {edit{"c.lef", "CLASS CORE", "CLAS CORE"}, "c.lef:3:3: ",
			`unknown statement "CLAS" in macro "TILE"`},
		"truncated macro": {edit{"c.lef", "", goodLEF[:strings.Index(goodLEF, "END RAM")]}, "c.lef:13:1: ",
			`within macro "RAM"`},
		"truncated pin": {edit{"c.lef", "", goodLEF[:strings.Index(goodLEF, "  END A")]}, "c.lef:9:1: ",
			`within pin "A" of line 5`},
		"macro again": {edit{"c.lef", "END LIBRARY", "MACRO RAM SIZE 31 BY 10 ; END RAM"}, "c.lef:14:7: ",
			"31 x 10 um here and 30 x 10 um at c.lef:11:7"},
		"no LEF":         {edit{"c.lef", "", "\x00\x01"}, "c.lef:1:1: ", "control character"},
		"Latin-1 in LEF": {edit{"c.lef", "MACRO RAM", "MACRO R\xc4M"}, "c.lef:11:8: ", "0xc4"},
		"open layer": {edit{"c.lef", "", "LAYER m1\n TYPE ROUTING ;\n"}, "c.lef:3:1: ",
			"within LAYER m1 of line 1"},
		// report
		"empty report": {edit{"p.rpt", "", ""}, "p.rpt:1: ", "no row of an instance"},
		"groups only": {edit{"p.rpt", "", "Group Internal Switching Leakage Total\nSequential 1 1 1 3 100%\n"},
			"p.rpt:2: ", "by groups only"},
		"no heading": {edit{"p.rpt", "", "1e-3 1e-3 0 2e-3 a\n"}, "p.rpt:1:1: ", "without the heading"},
		"missing number": {edit{"p.rpt", "0.00e+00   3.00e-03 b", "3.00e-03 b"}, "p.rpt:5:35: ",
			`expected a number, got "b"`},
		"row without name": {edit{"p.rpt", "3.00e-03 b", "3.00e-03"}, "p.rpt:5:37: ", "no name of an instance"},
		"truncated row": {edit{"p.rpt", "", goodReport[:strings.Index(goodReport, "   3.00e-03 b")]},
			"p.rpt:5:4: ", "expected a row of 4 numbers"},
		"NaN": {edit{"p.rpt", "3.00e-03 b", "nan b"}, "p.rpt:5:37: ", `expected a number, got "nan"`},
		"NaN first": {edit{"p.rpt", "2.00e-03   1.00e-03   0.00e+00   3.00e-03 b", "nan 1 1 nan b"},
			"p.rpt:5:4: ", "expected a row"},
		"huge watts": {edit{"p.rpt", "3.00e-03 b", "3.00e+33 b"}, "p.rpt:5:1: ", "too many for one instance"},
		"overflow":   {edit{"p.rpt", "3.00e-03 b", "3.00e+999 b"}, "p.rpt:5:37: ", "expected a number"},
		"row twice": {edit{"p.rpt", "3.00e-03 b", "3.00e-03 a"}, "p.rpt:5:46: ",
			`instance "a" has a row already, on line 4`},
		"unknown row twice": {edit{"p.rpt", "3.00e-03 b", "3.00e-03 x\n 0 0 0 1 x"}, "p.rpt:6:10: ",
			`instance "x" has a row already, on line 5`},
		"unknown instance":  {edit{"p.rpt", "3.00e-03 b", "3.00e-03 bb"}, "p.rpt:5: ", "0.003 W have no location"},
		"two names":         {edit{"p.rpt", "3.00e-03 b", "3.00e-03 b c"}, "p.rpt:5:48: ", "the row continues"},
		"Latin-1 in report": {edit{"p.rpt", "3.00e-03 b", "3.00e-03 b\xfc"}, "p.rpt:5:46: ", "beyond ASCII"},
		"JSON": {edit{"p.rpt", "", "{\n \"a\": {\"total\": 1}\n}\n"}, "p.rpt:3: ",
			"sums by groups only"},
		"JSON number":  {edit{"p.rpt", "", "[\n{\n\"total\": nan\n}\n]\n"}, "p.rpt:3:10: ", `a number, got "nan"`},
		"JSON no name": {edit{"p.rpt", "", "[\n{\n\"total\": 1\n}\n]\n"}, "p.rpt:4:1: ", "without a name"},
		"JSON cut":     {edit{"p.rpt", "", "[\n{\n\"name\": \"a\",\n"}, "p.rpt:3: ", "has no end"},
		"JSON in one line": {edit{"p.rpt", "", "[\n{\"name\": \"a\", \"total\": 1}\n]\n"}, "p.rpt:2:1: ",
			"not a line of OpenSTA's JSON"},
		"binary":       {edit{"p.rpt", "", "\x00\x00"}, "p.rpt:1:1: ", "control character"},
		"endless line": {edit{"p.rpt", "", long}, "p.rpt:1:1: ", "the line is longer"},
		"two units": {edit{"p.rpt", "", "Dynamic Power Units = 1mW\nLeakage Power Units = 1pW\n" +
			goodReport}, "p.rpt:2:23: ", "a second, different unit"},
		"words after a table": {edit{"p.rpt", "", goodReport + "exit now\n"}, "p.rpt:6:1: ", "expected a row"},
		// CSV of cells
		"empty cells":     {edit{"cells.csv", "", ""}, "cells.csv:1: ", "is empty"},
		"no die in cells": {edit{"cells.csv", "# die 0 0 100 100 um\n", ""}, "cells.csv: ", "no die area"},
		"bad die":         {edit{"cells.csv", "100 100 um", "0 100 um"}, "cells.csv:1:1: ", "not a die area"},
		"unknown column":  {edit{"cells.csv", "width", "breadth"}, "cells.csv:2:15: ", "unknown or second column"},
		"missing column":  {edit{"cells.csv", "", "name,x,y,width\n"}, "cells.csv:1:1: ", `no column "height"`},
		"unknown unit":    {edit{"cells.csv", "width", "width [ft]"}, "cells.csv:2:15: ", "unknown unit"},
		"short row": {edit{"cells.csv", "b,RAM,20,0,10,30,3e-3", "b,RAM,20"}, "cells.csv:4:1: ",
			"wrong number of fields"},
		"open quote": {edit{"cells.csv", "b,RAM", "\"b,RAM"}, "cells.csv:", "not valid CSV"},
		"negative width": {edit{"cells.csv", "20,0,10", "20,0,-10"}, "cells.csv:4:12: ",
			"the width of a cell must be 1e-06 um at least"},
		"no number": {edit{"cells.csv", "20,0,10", "20,0,wide"}, "cells.csv:4:12: ",
			"width must be a number"},
		"half a place": {edit{"cells.csv", "20,0,10", "20,,10"}, "cells.csv:4:10: ", "y must be a number"},
		"cell twice": {edit{"cells.csv", "b,RAM", "a,RAM"}, "cells.csv:4:1: ",
			`cell "a" is there already, on line 3`},
		"unplaced with watts": {edit{"cells.csv", "20,0,10,30", ",,,"}, "cells.csv:4: ", "0.003 W have no location"},
	} {
		t.Run(name, func(t *testing.T) {
			start := cputime.Used()
			wantFault(t, c.edit.request(t), c.place, c.text)
			if d := cputime.Used() - start; d > time.Second {
				t.Errorf("took %v of a processor", d)
			}
		})
	}
}

// What is odd but plain is taken: Latin-1 in comments, ".5" and "1." as lengths, semicolons without a space, keywords
// in small letters.
func TestOddButPlain(t *testing.T) {
	want := mustImport(t, edit{"d.def", "END DESIGN", "END DESIGN"}.request(t)).Map.Watts
	for _, e := range []edit{
		{"d.def", "VERSION", "# caf\xe9 \x01\nVERSION"},
		{"c.lef", "SIZE 30 BY 10 ;", "size 30. BY 10.;"},
		{"c.lef", "SIZE 30 BY 10 ;", "ORIGIN .5 -1. ; SIZE 3e1 BY +10 ;"},
		{"d.def", "\n  + FIXED ( 20000 0 ) FE ;", "\t+\r\nFIXED\n( # here\n+20000\n0 ) FE;"},
		{"p.rpt", "", "\xef\xbb\xbf" + strings.ReplaceAll(goodReport, "\n", "\r\n")},
		{"p.rpt", "3.00e-03 b\n", "3.00e-03 b"},
	} {
		got := mustImport(t, e.request(t)).Map.Watts
		for k := range want {
			if got[k] != want[k] {
				t.Errorf("%+v: another map", e)
				break
			}
		}
	}
}

func packed(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // into memory
	_ = w.Close()
	return b.Bytes()
}
