package threedice

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// A project of two dies that every input below changes in one place.
const (
	wholeStk = `material SI :
   thermal conductivity     1.30e-4 ;
   volumetric heat capacity 1.628e-12 ;
material CU :
   thermal conductivity     4e-4, 4e-4, 3e-4 ;
   volumetric heat capacity 3.45e-12 ;
top heat sink :
   heat transfer coefficient 1.0e-8 ;
   temperature               300 ;
dimensions :
   chip length 1000, width 1000 ;
   cell length 100, width 100 ;
layer BOND :
   height 2 ;
   material CU ;
   layout "bond.mlt" ;
die DIE :
   layer 100 SI ;
   source  2 SI ;
stack:
   die UPPER DIE floorplan "a.flp" ;
   layer MIDDLE BOND ;
   die LOWER DIE floorplan "a.flp" ;
solver:
   transient step 0.001, slot 0.002 ;
   initial temperature 300.0 ;
output:
   T (LOWER, 500, 500, "t.txt", step) ;
   Tmap (UPPER, "map.txt", slot) ;
   Tflpel (LOWER.core, "core.txt", maximum) ;
`
	wholeFlp = `core :
  position  0, 0 ;
  dimension 500, 1000 ;
  power values 1.5, 2 ;
cache :
  rectangle (500, 0, 500, 500) ;
  rectangle (500, 500, 500, 250) ;
  power values 0.5, 0.25 ;
`
	wholeMlt = `SI :
  rectangle (0, 0, 300, 300) ;
  rectangle (300, 300, 300, 300) ;
`
)

// open serves the files of a project.
func open(files map[string]string) stackfile.Opener {
	return func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

func importFiles(files map[string]string, compat bool) (*importer.Result, error) {
	return Format.Import(importer.Request{Files: []string{"case.stk"}, Compat: compat, Open: open(files)})
}

// mutation replaces text in one of the files. An empty old text stands for the whole file.
type mutation struct {
	name, file, old, new string
	// want begins the error, or with a leading "+" a note of a project that is taken; "" stands for a project that is
	// taken as it is.
	want string
}

// malformed is the corpus.
// many is a format with numbers from 0.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func malformed() []mutation {
	return []mutation{
		{"whole", "case.stk", "material SI :", "material SI :", ""},

		// Too much.
		{"many materials", "case.stk", "",
			many(5001, "material M%d :\n thermal conductivity 1 ;\n volumetric heat capacity 1 ;\n"),
			"case.stk:15001:1: a project has at most 5000 materials; remove those that are not used"},
		{"many dies", "case.stk", "stack:", many(5001, "die D%d :\n source 2 SI ;\n") + "stack:",
			"case.stk:10018:1: a project has at most 5000 dies; remove those that are not used"},
		{"many outputs", "case.stk", "   T (", many(20_000, "   T (LOWER, 500, 500, \"t%d.txt\", step) ;\n") + "   T (",
			"case.stk:20028:4: a project has at most 20000 outputs; remove those that are not used"},

		// Cut off.
		{"empty", "case.stk", "", "", "case.stk:1:1: the file ends without a material"},
		{"only a comment", "case.stk", "", "// nothing\n", "case.stk:2:1: the file ends without a material"},
		{"cut off in a material", "case.stk", "", "material SI :\n thermal conductivity",
			"case.stk:2:22: expected the thermal conductivity, a number, got the end of the file"},
		{"cut off before the solver", "case.stk", wholeStk[strings.Index(wholeStk, "solver"):], "",
			"case.stk:24:1: the file ends without a solver section; is the file cut off?"},
		{"cut off in the output", "case.stk", `"map.txt", slot) ;` + "\n" +
			`   Tflpel (LOWER.core, "core.txt", maximum) ;`, `"map`, "case.stk:29:17: the string is not closed " +
			"on its line"},
		{"floorplan cut off", "a.flp", "values 0.5, 0.25 ;\n", "values 0.5,", "a.flp:8:20: expected a power, a " +
			"number, got the end of the file"},
		{"floorplan empty", "a.flp", "", "", "a.flp:1:1: expected the name of a floorplan element, got the end " +
			"of the file"},
		{"layout cut off", "bond.mlt", "300, 300, 300, 300", "300, 300", "bond.mlt:3:22: expected \",\", got \")\""},
		{"layout empty", "bond.mlt", "", " \n", "bond.mlt:2:1: expected a material, got the end of the file"},
		{"comment without end", "case.stk", "solver:", "/* solver:", "case.stk:24:1: the comment does not end"},

		// Wrong counts.
		{"two conductivities", "case.stk", "4e-4, 4e-4, 3e-4", "4e-4, 4e-4",
			"case.stk:5:40: expected \",\", got \";\""},
		{"four conductivities", "case.stk", "4e-4, 4e-4, 3e-4", "4e-4, 4e-4, 3e-4, 1",
			"case.stk:5:45: expected \";\", got \",\""},
		{"rectangle of three", "a.flp", "(500, 0, 500, 500)", "(500, 0, 500)", "a.flp:6:25: expected \",\", got \")\""},
		{"no power after the comma", "a.flp", "1.5, 2 ;", "1.5, ;", "a.flp:4:21: expected a power, a " +
			"number, got \";\""},
		{"no powers", "a.flp", "1.5, 2 ;", ";", "a.flp:4:16: expected a power, a number, got \";\""},
		{"fewer powers than another", "a.flp", "0.5, 0.25", "0.5", "+a.flp:4:21: warning: element \"core\" has " +
			"powers for 2 slots, but another element for only 1"},
		{"element without powers", "a.flp", "  power values 0.5, 0.25 ;\n", "", "+a.flp:5:1: warning: element " +
			"\"cache\" has no power values: 3D-ICE ends before its first step"},

		// Unknown words, missing signs.
		{"unknown section", "case.stk", "solver:", "solvers:", "case.stk:24:1: expected a section: material, top " +
			"heat sink, bottom heat sink, dimensions, layer, die, stack, solver or output, got \"solvers\""},
		{"misspelt keyword", "case.stk", "conductivity     1.30", "conduktivity     1.30",
			"case.stk:2:12: expected \"conductivity\", got \"conduktivity\""},
		{"missing semicolon", "case.stk", "1.30e-4 ;", "1.30e-4", "case.stk:3:4: expected \";\", got \"volumetric\""},
		{"missing colon", "a.flp", "core :", "core", "a.flp:2:3: expected \":\", got \"position\""},
		{"unknown instruction", "case.stk", "Tmap", "Tmaps", "case.stk:29:4: expected an output instruction: T, " +
			"Tflp, Tflpel, Tmap, Pmap, Tcoolant or T3d, got \"Tmaps\""},
		{"unknown instant", "case.stk", "slot) ;", "always) ;", "case.stk:29:28: expected one of [\"step\" \"slot\" " +
			"\"final\"], got \"always\""},
		{"text behind the end", "case.stk", "maximum) ;\n", "maximum) ;\n}", "case.stk:31:1: character '}' is not " +
			"part of this format"},
		{"upper-case keyword", "case.stk", "stack:", "Stack:", "case.stk:20:1: expected a section"},
		{"keyword as a name", "case.stk", "layer BOND :", "layer source :", "case.stk:13:7: the name of a layer " +
			"cannot be \"source\", which is a keyword; choose another name"},
		{"number as a name", "case.stk", "layer BOND :", "layer 3 :", "case.stk:13:7: expected the name of a " +
			"layer, got \"3\""},
		{"true or false", "case.stk", "width 100 ;\nlayer", "width 100 ; non-uniform yes ;\nlayer",
			"case.stk:12:45: expected true or false, got \"yes\""},

		// Bytes.
		{"Windows line ends", "case.stk", "\n", "\r\n", ""},
		{"Windows line ends in a floorplan", "a.flp", "\n", "\r\n", ""},
		{"tabs", "case.stk", "   ", "\t", ""},
		{"byte order mark", "case.stk", "material SI :", "\ufeffmaterial SI :", "+case.stk:1: warning: the file " +
			"begins with a byte order mark"},
		{"byte order mark in a floorplan", "a.flp", "core :", "\ufeffcore :", "+a.flp:1: warning: the file begins " +
			"with a byte order mark"},
		{"Latin-1 in a comment", "case.stk", "solver:", "// W\xe4rme\nsolver:", ""},
		{"Latin-1 in a name", "a.flp", "cache :", "K\xfchler :", "a.flp:5:2: byte 0xfc is not part of this format; " +
			"remove it; 3D-ICE ignores such characters silently"},
		{"UTF-8 in a name", "case.stk", "layer BOND :", "layer Löt :", "case.stk:13:8: character 'ö' is not part of " +
			"this format"},
		{"NUL", "case.stk", "solver:", "\x00solver:", "case.stk:24:1: character '\\x00' is not part of this format"},
		{"minus in a name", "a.flp", "cache :", "L2-cache :", "a.flp:5:3: character '-' is not part of this format"},
		{"UTF-16", "case.stk", "", "\xff\xfem\x00a\x00", "case.stk:1:1: byte 0xff is not part of this format"},

		// Numbers.
		{"number that ends in a point", "case.stk", "temperature               300 ;", "temperature 300. ;",
			"case.stk:9:16: a number cannot end in a point: got 300.; write a digit after the point"},
		{"number that begins with a point", "case.stk", "height 2 ;", "height .5 ;",
			"case.stk:14:11: a number cannot begin with a point; write 0 before the point"},
		{"power that ends in a point", "a.flp", "1.5, 2 ;", "1., 2 ;", "a.flp:4:16: a number cannot end in a point"},
		{"power that begins with a point", "a.flp", "1.5, 2 ;", ".5, 2 ;", "a.flp:4:16: a number cannot begin with a " +
			"point; write 0 before the point; 3D-ICE refuses such a number or reads it without its point"},
		{"decimal comma", "case.stk", "height 2 ;", "height 2,5 ;", "case.stk:14:12: expected \";\", got \",\""},
		{"huge number", "case.stk", "height 2 ;", "height 1e999 ;", "case.stk:14:11: the height of the layer: 1e999 " +
			"is out of range"},
		{"huge exponent", "a.flp", "1.5, 2 ;", "1e99999999999999999999, 2 ;",
			"a.flp:4:16: a power: 1e99999999999999999999 is out of range"},
		{"number too small", "case.stk", "height 2 ;", "height 1e-999 ;", "case.stk:14:11: the height of the layer " +
			"must be positive, got 1e-999"},
		{"number of a thousand digits", "case.stk", "height 2 ;", "height " + strings.Repeat("9", 1000) + " ;",
			"case.stk:14:11: the height of the layer: 999999"},
		{"no height", "case.stk", "height 2 ;", "height 0 ;", "case.stk:14:11: the height of the layer must be " +
			"positive, got 0"},
		{"negative conductivity", "case.stk", "1.30e-4", "-1.30e-4", "case.stk:2:29: the thermal conductivity must " +
			"be positive, got -1.30e-4"},
		{"negative power", "a.flp", "1.5, 2 ;", "-1.5, 2 ;", "a.flp:4:16: a power must not be negative, got -1.5"},
		{"too many cells", "case.stk", "cell length 100", "cell length 1e-4", "case.stk:12:16: a chip length of 1000 " +
			"um in cells of 1e-4 um makes more than 100000 cells"},
		{"too many cells in a plane", "case.stk", "cell length 100, width 100", "cell length 0.02, width 0.02",
			"case.stk:12:16: 50000 x 50000 cells are more than 1000000000 in one plane; make the cells larger"},
		{"too many cells of an element", "a.flp", "dimension 500, 1000 ;",
			"dimension 500, 1000 ; discretization 1e9, 3 ;", "a.flp:3:40: the number of cells along x must not " +
				"exceed 1000000, got 1e9"},
		{"cells that do not fit", "case.stk", "cell length 100", "cell length 300", ""},
		{"cell larger than the chip", "case.stk", "cell length 100", "cell length 3000", ""},
		{"slot shorter than step", "case.stk", "slot 0.002", "slot 0.0002", "case.stk:25:31: a slot of 0.0002 s is " +
			"shorter than the step of 0.001 s"},
		{"too many steps", "case.stk", "step 0.001", "step 1e-15", "case.stk:25:19: 2 slots of 0.002 s in steps of " +
			"1e-15 s are more than 1e+09 steps"},

		// Names.
		{"material twice", "case.stk", "material CU :", "material SI :",
			"case.stk:4:1: material \"SI\" is declared twice, first at line 1; merge or rename them"},
		{"layer twice", "case.stk", "die DIE :", "layer BOND : height 1 ; material CU ;\ndie DIE :",
			"case.stk:17:1: layer \"BOND\" is declared twice, first at line 13"},
		{"die twice", "case.stk", "stack:", "die DIE : source 1 SI ;\nstack:",
			"case.stk:20:1: die \"DIE\" is declared twice, first at line 17"},
		{"stack element twice", "case.stk", "die LOWER", "die UPPER",
			"case.stk:23:4: stack element \"UPPER\" is declared twice, first at line 21"},
		{"floorplan element twice", "a.flp", "cache :", "core :", "+a.flp:5:1: warning: a second element is called " +
			"\"core\"; it becomes \"core_2\""},
		{"layout material twice", "bond.mlt", "  rectangle (300, 300, 300, 300) ;\n", "SI : rectangle (300, 300, " +
			"300, 300) ;\n", "bond.mlt:3:1: the patch of material \"SI\" is declared twice, first at line 1"},
		{"unknown material", "case.stk", "layer 100 SI", "layer 100 Si", "case.stk:18:14: no material is called " +
			"\"Si\"; did you mean \"SI\"?"},
		{"unknown material of a layer", "case.stk", "material CU ;", "material AU ;", "case.stk:15:13: no material " +
			"is called \"AU\"; did you mean \"CU\"?"},
		{"unknown material of a layout", "bond.mlt", "SI :", "AU :", "bond.mlt:1:1: no material is called \"AU\""},
		{"unknown layer", "case.stk", "MIDDLE BOND", "MIDDLE BONG", "case.stk:22:17: no layer is called \"BONG\"; " +
			"did you mean \"BOND\"?"},
		{"unknown die", "case.stk", "LOWER DIE", "LOWER DIES", "case.stk:23:14: no die is called \"DIES\"; did you " +
			"mean \"DIE\"?"},
		{"unknown element in the output", "case.stk", "T (LOWER", "T (LOW", "case.stk:28:4: no stack element is " +
			"called \"LOW\"; did you mean \"LOWER\"?"},
		{"unknown block in the output", "case.stk", "LOWER.core", "LOWER.cores", "case.stk:30:4: the floorplan of " +
			"\"LOWER\" has no element \"cores\""},
		{"floorplan of a layer", "case.stk", "Tflpel (LOWER.core,", "Tflp (MIDDLE,",
			"case.stk:30:4: Tflp needs a die; \"MIDDLE\" is a layer"},
		{"unused die", "case.stk", "stack:", "die OTHER : source 1 SI ;\nstack:", "+case.stk:20:1: not carried over: " +
			"die \"OTHER\" is not used by the stack"},
		{"unused layer", "case.stk", "die DIE :", "layer OTHER : height 1 ; material CU ;\ndie DIE :",
			"+case.stk:17:1: not carried over: layer \"OTHER\" is not used by the stack"},
		{"unused material", "case.stk", "top heat sink", "material W : thermal conductivity 1e-4 ; volumetric heat " +
			"capacity 1e-12 ;\ntop heat sink", "+case.stk:7:1: not carried over: material \"W\" is not used"},

		// Structure.
		{"die without source", "case.stk", "   source  2 SI ;\n", "", "case.stk:19:1: expected the source layer of " +
			"die \"DIE\", got \"stack\""},
		{"die with two sources", "case.stk", "layer 100 SI", "source 100 SI", "case.stk:19:4: die \"DIE\" has a " +
			"second source layer"},
		{"empty stack", "case.stk", wholeStk[strings.Index(wholeStk, "   die UPPER"):strings.Index(wholeStk, "solver")],
			"", "case.stk:28:1: the file ends without a stack section"},
		{"two stacks", "case.stk", "solver:", "stack: layer X BOND ;\nsolver:",
			"case.stk:24:1: the stack section is given twice"},
		{"two solvers", "case.stk", "output:", "solver: steady ; initial temperature 300 ;\noutput:",
			"case.stk:27:1: the solver section is given twice"},
		{"two top sinks", "case.stk", "dimensions", "top heat sink : heat transfer coefficient 1 ; temperature 300 " +
			";\ndimensions", "case.stk:10:1: a top heat sink is given twice"},
		{"no heat sink", "case.stk",
			wholeStk[strings.Index(wholeStk, "top heat"):strings.Index(wholeStk, "dimensions")], "",
			"+case.stk:21:1: warning: no heat sink is declared"},
		{"spelling of the guide", "case.stk", "dimensions :", "dimension :", "+case.stk:10:1: warning: \"dimension\" " +
			"is the spelling of the user guide"},
		{"order of the guide", "case.stk", wholeStk, swapped(), "+case.stk:17:1: warning: 3D-ICE 4.0 requires the " +
			"dimensions section before the die section"},
		{"sink of 3D-ICE 2.0", "case.stk", "top heat sink", "conventional heat sink", ""},

		// Geometry.
		{"element outside the chip", "a.flp", "500, 500, 500, 250", "500, 500, 501, 250",
			"a.flp:7:3: element \"cache\" reaches from x = 500, y = 500 um to x = 1001, y = 750 um, outside the chip " +
				"of 1000 um by 1000 um; shrink or move it"},
		{"element at a negative place", "a.flp", "position  0, 0", "position  -1, 0", "a.flp:2:3: element \"core\" " +
			"reaches from x = -1, y = 0 um"},
		{"element of no size", "a.flp", "dimension 500, 1000", "dimension 500, 0", "a.flp:3:18: the width must be " +
			"positive, got 0"},
		{"elements overlap", "a.flp", "500, 500, 500, 250", "499, 500, 501, 250",
			"+a.flp:7:3: warning: the rectangle overlaps that of line 2; their powers add up there, as in 3D-ICE, " +
				"which does not check"},
		{"rectangles of an element overlap", "a.flp", "500, 500, 500, 250", "500, 499, 500, 250",
			"+a.flp:7:3: warning: the rectangle overlaps that of line 6"},
		{"layout overlaps", "bond.mlt", "300, 300, 300, 300", "299, 299, 300, 300", "bond.mlt:3:3: the rectangle " +
			"overlaps that of line 2; 3D-ICE refuses that"},
		{"layout outside the chip", "bond.mlt", "300, 300, 300, 300", "300, 300, 800, 300",
			"bond.mlt:3:3: layer \"MIDDLE\": region"},
		{"probe outside the chip", "case.stk", "LOWER, 500, 500", "LOWER, 500, 5000", "+case.stk:28:4: warning: the " +
			"point lies outside the chip"},
		{"material in uniform mode", "a.flp", "dimension 500, 1000 ;", "dimension 500, 1000 ; material CU ;",
			"+a.flp:3:34: not carried over: material of element \"core\""},

		{"discretization in uniform mode", "case.stk", "layer MIDDLE BOND", "layer MIDDLE BOND discretization 2 3",
			"+case.stk:22:4: not carried over: discretization of \"MIDDLE\""},
		{"steps of a steady state", "case.stk", "transient step 0.001, slot 0.002", "steady",
			"+case.stk:28:4: warning: a steady state has no steps: 3D-ICE writes only the heading of " +
				"\"t.txt\"; use final"},
		{"one file twice", "case.stk", "map.txt", "t.txt", "+case.stk:29:4: warning: line 28 writes \"t.txt\" too: " +
			"3D-ICE mixes both in one file"},

		// Files.
		{"no floorplan", "case.stk", `"a.flp"`, `"b.flp"`, "case.stk:21:28: cannot read b.flp: file does not exist; " +
			"relative paths are searched for next to the stack description, then in the working directory"},
		{"no layout", "case.stk", `"bond.mlt"`, `"no.mlt"`, "case.stk:16:11: cannot read no.mlt: file does not exist"},
		{"empty path", "case.stk", `"a.flp"`, `""`, "case.stk:21:28: the path is empty"},

		// What thermsim cannot model.
		{"cut off channels", "case.stk", "dimensions", "microchannel 4rm : height 100 ; channel length 50 ; wall " +
			"length 50 ; wall material SI ;\ndimensions", `case.stk:11:1: expected "coolant", got "dimensions"`},
		{"channels without flow", "case.stk", "dimensions", channels("0") + "dimensions", "case.stk:10:107: the flow " +
			"rate of the coolant must be positive"},
		{"channels that do not fit", "case.stk", "dimensions", channels("42") + "dimensions",
			"case.stk:10:1: channels of 50 um, walls of 30 um and outer walls of 30 and 30 um do not make up a " +
				"chip of 1000 um"},
		{"channel without a cavity", "case.stk", "layer MIDDLE BOND ;", "channel CH ;",
			"case.stk:22:4: channel \"CH\": no cavity is declared"},
		{"coolant of nothing", "case.stk", "Tmap (UPPER, \"map.txt\", slot)", "Tcoolant (CH, \"c.txt\", average)",
			"case.stk:29:4: no stack element is called \"CH\""},
		{"coolant of a die", "case.stk", "Tmap (UPPER, \"map.txt\", slot)", "Tcoolant (UPPER, \"c.txt\", average)",
			"case.stk:29:4: Tcoolant needs a channel"},
		{"pluggable sink", "case.stk", "top heat sink", "top pluggable heat sink : spreader length 1, width 1, " +
			"height 1 ; material CU ; plugin \"x.so\" ;\nbottom heat sink",
			"case.stk:7:1: pluggable heat sinks are not supported"},
		{"three-dimensional output", "case.stk", "Tmap (UPPER, \"map.txt\", slot)", "T3d (\"x.vtk\")",
			"+case.stk:29:4: not carried over: T3d: 3D-ICE writes \"x.vtk\" in non-uniform mode only"},
	}
}

// channels is a section of micro-channels with a flow rate.
func channels(flow string) string {
	return "microchannel 4rm : height 100 ; channel length 50 ; wall length 30 ; wall material SI ; " +
		"coolant flow rate " + flow +
		" ; coolant heat transfer coefficient 1e-8 ; coolant volumetric heat capacity 4e-12 ; coolant incoming " +
		"temperature 300 ;\n"
}

// swapped has layers and dies before the dimensions.
func swapped() string {
	from, to := strings.Index(wholeStk, "dimensions"), strings.Index(wholeStk, "layer BOND")
	end := strings.Index(wholeStk, "stack:")
	return wholeStk[:from] + wholeStk[to:end] + wholeStk[from:to] + wholeStk[end:]
}

func TestMalformed(t *testing.T) {
	cases := malformed()
	if len(cases) < 60 {
		t.Errorf("%d inputs", len(cases))
	}
	for _, m := range cases {
		t.Run(m.name, func(t *testing.T) {
			files := map[string]string{"case.stk": wholeStk, "a.flp": wholeFlp, "bond.mlt": wholeMlt}
			before := files[m.file]
			switch {
			case m.old == "":
				files[m.file] = m.new
			case !strings.Contains(before, m.old):
				t.Fatalf("%q is not in %s", m.old, m.file)
			default:
				files[m.file] = strings.ReplaceAll(before, m.old, m.new)
			}
			start := cputime.Used()
			r, err := importFiles(files, false)
			if spent := cputime.Used() - start; spent > time.Second {
				t.Errorf("took %v of a processor", spent)
			}
			note, taken := strings.CutPrefix(m.want, "+")
			switch {
			case m.want == "" || taken:
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				if taken && !hasNote(r, note) {
					t.Errorf("no note begins with %q:\n%v", note, r.Notes)
				}
				if m.want == "" && r.Count(importer.Warning) > 0 {
					t.Errorf("warnings: %v", r.Notes)
				}
			case err == nil:
				t.Fatalf("taken, with %v", r.Notes)
			default:
				checkList(t, err)
				if !strings.HasPrefix(err.Error(), m.want) {
					t.Errorf("\n got %s\nwant %s", err, m.want)
				}
			}
		})
	}
}

func hasNote(r *importer.Result, begin string) bool {
	for _, n := range r.Notes {
		if strings.HasPrefix(n.String(), begin) {
			return true
		}
	}
	return false
}

// checkList demands that an error is a list of faults with file and line.
func checkList(t *testing.T, err error) {
	t.Helper()
	var list stack.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("error %T: %v", err, err)
	}
	for _, e := range list {
		if e.Pos.File == "" || e.Msg == "" || e.Pos.Line == 0 && !strings.HasPrefix(e.Msg, "and ") {
			t.Errorf("fault without a place: %v", e)
		}
	}
}
