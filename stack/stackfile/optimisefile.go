package stackfile

import (
	"cmp"
	"fmt"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
)

// OptimiseFile is what to optimise in a stack: numbers of its file, and the places of its parts.
type OptimiseFile struct {
	Stack    string // path of the stack file
	Set      []Override
	Of       string    `toml:"of"`       // objective, as of package sensitivity
	Minimise string    `toml:"minimise"` // temperature or cost
	Wire     []float64 `toml:"wire"`
	Restarts int       `toml:"restarts"`
	Seed     int       `toml:"seed"`
	Steps    int       `toml:"steps"`
	Vary     []Choice
	Moves    []Move
	KeepOut  []stack.Rect
	Nets     []Net
}

// Choice is a number of the stack file with its range.
type Choice struct {
	Key string
	Range
	Unit string  // of the numbers; may be empty
	Cost float64 // K for each unit
}

// Move names parts to place.
type Move struct {
	Names   []string `toml:"names"`
	Spacing float64  `toml:"spacing"` // m
	Rotate  bool     `toml:"rotate"`  // by quarters
	// Area is where they may lie; zero for the whole stack.
	Area stack.Rect
	Pos  stack.Pos
}

// Net is a number of wires between two parts.
type Net struct {
	From  string  `toml:"from"`
	To    string  `toml:"to"`
	Wires float64 `toml:"wires"`
	// Ends are relative to the south-west corners of the parts; nil for their centres.
	Ends [2]*[2]float64
	Pos  stack.Pos
}

// LoadOptimise reads an optimisation file. The error is an [stack.ErrorList] or an *[stack.Error], as of [Load].
func LoadOptimise(path string) (*OptimiseFile, error) {
	data, err := readAsked(path, "optimisation file", "")
	if err != nil {
		return nil, err
	}
	f := &OptimiseFile{}
	if err := parse(path, data, keys.Optimise(), "optimise", f.decode); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *OptimiseFile) decode(t *table) {
	t.into(f)
	f.Stack, f.Set = t.path("stack"), t.overrides("set")
	for _, w := range f.Wire {
		if !(w >= 0 && w < 1) {
			t.fail(t.pos("wire"), "", "wire: got %g; expected weights from 0 to below 1", w)
		}
	}
	for _, vt := range t.tables("vary") {
		f.Vary = append(f.Vary, vt.choice())
	}
	for _, mt := range t.tables("move") {
		m := Move{Pos: mt.node.Pos}
		mt.into(&m)
		mt.into(&m.Area)
		if mt.has("width") != mt.has("height") || mt.has("x") != mt.has("y") || mt.has("x") && !mt.has("width") {
			mt.fail(m.Pos, "give x, y, width and height", "the area of a move is incomplete")
		}
		f.Moves = append(f.Moves, m)
	}
	for _, kt := range t.tables("keep_out") {
		var r stack.Rect
		kt.into(&r)
		f.KeepOut = append(f.KeepOut, r)
	}
	for _, nt := range t.tables("net") {
		n := Net{Pos: nt.node.Pos}
		nt.into(&n)
		for i, key := range []string{"from_at", "to_at"} {
			if at, ok := nt.pair(key); ok {
				n.Ends[i] = &at
			}
		}
		f.Nets = append(f.Nets, n)
	}
	if len(f.Vary)+len(f.Moves) == 0 {
		t.fail(t.node.Pos, "add a [[vary]] or a [[move]] table", "there is nothing to optimise")
	}
}

// choice reads a number with its range.
func (t *table) choice() Choice {
	c := Choice{Key: t.text("key"), Cost: t.scalar("cost")}
	if _, err := NewOverride(c.Key, "1"); err != nil {
		t.fail(t.pos("key"), "", "key %q: %v", faults.Shorten(c.Key), err)
	}
	if !t.has("from") || !t.has("to") {
		return c // reported as missing
	}
	var unit string
	c.Low, c.Unit = t.measured("from")
	c.High, unit = t.measured("to")
	switch {
	case unit != c.Unit:
		t.fail(t.pos("to"), fmt.Sprintf("write both in %s", cmp.Or(c.Unit, "bare numbers")),
			"from and to must have the same unit")
	case !(c.Low < c.High):
		t.fail(t.pos("to"), "", "to: got %g; expected a number above from", c.High)
	}
	return c
}
