package threedice

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// check imports files both ways. What is taken must make a stack file that reads back; what is refused must say where.
func check(t *testing.T, files map[string]string) {
	for _, compat := range []bool{false, true} {
		r, err := importFiles(files, compat)
		if err != nil {
			checkList(t, err)
			continue
		}
		var text bytes.Buffer
		if err := r.WriteStack(&text); err != nil {
			t.Fatalf("cannot write: %v", err)
		}
		again, err := stackfile.Parse("stack.toml", text.Bytes(), open(nil))
		if err != nil {
			t.Fatalf("the stack file does not read back: %v\n%s", err, text.String())
		}
		same(t, r, again)
	}
	// What a direct run emulates by a network.
	r, err := Format.Import(importer.Request{Files: []string{"case.stk"}, Compat: true, Direct: true,
		Open: open(files)})
	switch {
	case err != nil:
		checkList(t, err)
	case r.Network != nil:
		if err := r.Network.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// same compares what a stack file must keep: layers, grid, watts.
func same(t *testing.T, r *importer.Result, again *stack.Stack) {
	s := r.Stack
	if len(s.Layers) != len(again.Layers) || s.Size != again.Size || s.Grid.X.Cells != again.Grid.X.Cells ||
		s.Grid.Y.Cells != again.Grid.Y.Cells ||
		s.Ambient != again.Ambient || len(s.Probes) != len(again.Probes) ||
		!reflect.DeepEqual(s.Transient, again.Transient) {
		t.Fatalf("stack %+v became %+v", s, again)
	}
	for i := range s.Layers {
		a, b := &s.Layers[i], &again.Layers[i]
		if a.Thickness != b.Thickness || a.ContactResistance != b.ContactResistance ||
			len(a.Regions) != len(b.Regions) || len(a.Powers) != len(b.Powers) {
			t.Fatalf("layer %+v became %+v", a, b)
		}
		for p := range a.Powers {
			if a.Powers[p].Watts() != b.Powers[p].Watts() {
				t.Fatalf("%g W became %g W", a.Powers[p].Watts(), b.Powers[p].Watts())
			}
		}
	}
}

func FuzzSTK(f *testing.F) {
	f.Add(wholeStk)
	f.Add(swapped())
	f.Add(strings.Replace(wholeStk, "width 100 ;\nlayer", "width 100 ; non-uniform true ;\nlayer", 1))
	f.Add(strings.Replace(strings.Replace(wholeStk, "width 100 ;\nlayer", "width 100 ; non-uniform true ;\nlayer", 1),
		"   layout \"bond.mlt\" ;\n", "", 1))
	f.Add(strings.Replace(wholeStk, "top heat sink", "bottom heat sink", 1))
	f.Add(strings.Replace(wholeStk, "transient step 0.001, slot 0.002", "steady", 1))
	f.Add(strings.Replace(wholeStk, "   source  2 SI", "   source BOND", 1))
	for _, m := range malformed() {
		if m.file == "case.stk" && m.old != "" {
			f.Add(strings.ReplaceAll(wholeStk, m.old, m.new))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, map[string]string{"case.stk": text, "a.flp": wholeFlp, "bond.mlt": wholeMlt})
	})
}

func FuzzFLP(f *testing.F) {
	f.Add(wholeFlp, false)
	f.Add(strings.Replace(wholeFlp, "500, 1000 ;", "500, 1000 ; material CU ; discretization 3, 4 ;", 1), true)
	f.Add("core : position 0, 0 ; dimension 500, 1000 ; discretization 2, 3 ; power values 1, 2 ;\n"+
		"cache : position 500, 0 ; dimension 500, 1000 ; material CU ; discretization 4, 5 ; power values 1, 2 ;\n",
		true)
	for _, m := range malformed() {
		if m.file == "a.flp" && m.old != "" {
			f.Add(strings.ReplaceAll(wholeFlp, m.old, m.new), true)
		}
	}
	f.Fuzz(func(t *testing.T, text string, nonUniform bool) {
		stk := wholeStk
		if nonUniform {
			stk = strings.Replace(stk, "width 100 ;\nlayer", "width 100 ; non-uniform true ;\nlayer", 1)
			stk = strings.Replace(stk, "   layout \"bond.mlt\" ;\n", "", 1)
		}
		check(t, map[string]string{"case.stk": stk, "a.flp": text, "bond.mlt": wholeMlt})
	})
}

func FuzzMLT(f *testing.F) {
	f.Add(wholeMlt)
	f.Add("material Q : thermal conductivity 1e-5, 2e-5, 3e-6 ; volumetric heat capacity 2e-12 ;\nQ : position 10, " +
		"20 ; dimension 33, 44.5 ;\n" + wholeMlt)
	for _, m := range malformed() {
		if m.file == "bond.mlt" && m.old != "" {
			f.Add(strings.ReplaceAll(wholeMlt, m.old, m.new))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, map[string]string{"case.stk": wholeStk, "a.flp": wholeFlp, "bond.mlt": text})
	})
}
