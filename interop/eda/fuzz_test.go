package eda

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/stack"
)

// tryImport imports and checks what must hold of any input: a fault has a file; a map holds all watts, and its cells
// give it again.
func tryImport(t *testing.T, q Request) {
	r, err := Import(q)
	if err != nil {
		var list stack.ErrorList
		var one *stack.Error
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				if e.Pos.File == "" || e.Pos.Line < 0 || e.Pos.Col < 0 {
					t.Fatalf("a fault without a place: %v", e)
				}
			}
		case errors.As(err, &one):
			if one.Pos.File == "" {
				t.Fatalf("a fault without a place: %v", err)
			}
		default:
			t.Fatalf("not a fault of input: %v", err)
		}
		return
	}
	for _, w := range r.Map.Watts {
		if !(w >= 0) || math.IsInf(w, 0) {
			t.Fatalf("a tile of %g W", w)
		}
	}
	var tiles, cells bytes.Buffer
	if err := r.WriteMap(&tiles); err != nil {
		t.Fatal(err)
	}
	if _, err := readMap(tiles.Bytes()); err != nil {
		t.Fatalf("the map does not read back: %v", err)
	}
	if err := r.WriteCells(&cells); err != nil {
		t.Fatal(err)
	}
	again, err := Import(Request{Placement: "again.csv", Spread: q.Spread, NX: q.NX, NY: q.NY,
		Open: open(map[string][]byte{"again.csv": cells.Bytes()})})
	if err != nil {
		t.Fatalf("the cells do not read back: %v\n%s", err, cells.String())
	}
	if !slices.Equal(again.Map.Watts, r.Map.Watts) {
		t.Fatalf("the cells give another map\n%s", cells.String())
	}
}

func FuzzDEF(f *testing.F) {
	f.Add([]byte(goodDEF))
	f.Add([]byte("UNITS DISTANCE MICRONS 1 ; DIEAREA ( 0 0 ) ( 9 * ) ( * 9 ) ( 5 * ) ( * 5 ) ( 0 * ) ; COMPONENTS 1 " +
		"; - a\\[1\\] TILE + COVER ( -5 2 ) W ; END COMPONENTS END DESIGN"))
	f.Add([]byte("BEGINEXT \"a\" x ENDEXT HISTORY it's \" ; PINS 1 ; - a + NET \"x ;\" ; END PINS DIVIDERCHAR \"|\" ;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files := edited(t, edit{"d.def", "", string(data)})
		q := request(files, 3, 5)
		q.Spread = true
		tryImport(t, q)
	})
}

func FuzzLEF(f *testing.F) {
	f.Add([]byte(goodLEF))
	f.Add([]byte(synthLEF))
	f.Add([]byte("MACRO TILE SIZE .5 BY 1.; OBS LAYER m ; END END TILE MACRO RAM SIZE 1 BY 1 ; DENSITY LAYER m ; " +
		"END END RAM"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tryImport(t, request(edited(t, edit{"c.lef", "", string(data)}), 3, 5))
	})
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(goodReport))
	f.Add([]byte(goodJSON))
	f.Add([]byte("# unit: mW\nInstance Internal Switching Leakage Total\n---\na 1 1 1 3 10%\nb 1 1 1 " +
		"3\nTotal 2 2 2 6\n"))
	f.Add([]byte("Group Internal Switching Leakage Total\nMacro 0 0 0 0 0%\n\nInternal Switching Leakage\n 1 -1 .5 " +
		"a\n1. 1 1 x/y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q := request(edited(t, edit{"p.rpt", "", string(data)}), 3, 5)
		q.Spread = true
		tryImport(t, q)
	})
}

func FuzzCells(f *testing.F) {
	f.Add([]byte(goodCells))
	f.Add([]byte("# design x\n# die 0 0 1 1\n# die 1 0 2 2\nname,x [nm],y [mm],width,height,watts " +
		"[mW]\n\"a,\"\"b\",1,1e-3,1,1,5\nc,,,,,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tryImport(t,
			Request{Placement: "cells.csv", Spread: true, NX: 3, NY: 5,
				Open: open(map[string][]byte{"cells.csv": data})})
	})
}

// All files of a design at once.
func FuzzDesign(f *testing.F) {
	f.Add([]byte(goodDEF), []byte(goodLEF), []byte(goodReport), true)
	f.Add([]byte(goodDEF), []byte(synthLEF), []byte(goodReport), false)
	f.Fuzz(func(t *testing.T, def, lef, report []byte, spread bool) {
		q := request(map[string][]byte{"d.def": def, "c.lef": lef, "p.rpt": report}, 3, 5)
		q.Spread = spread
		tryImport(t, q)
	})
}
