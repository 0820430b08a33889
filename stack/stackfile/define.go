package stackfile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"thermsim/internal/spelling"
	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// constants are the values of [define], by name.
type constants struct {
	*decoder
	known map[string]*constant
	// Whether the current expression contains a constant, and a faulty one.
	met, metFaulty bool
	depth          int // of constants that are being computed
}

// maxChained is the maximum nesting of constants: each is on the call stack until those that it uses are known.
const maxChained = 1000

// constant is one of them. They may use each other in any order, so each is computed when it is first used.
type constant struct {
	*tree.Entry
	units.Constant
	state state
	used  bool // by an expression
}

// addedConstant is one that an override adds to those of the file.
type addedConstant struct {
	name  string
	pos   stack.Pos
	known []string // names of the file's constants
}

// unusedOverrides reports overrides of constants that are not in the file and that no expression uses. After other
// faults, expressions may not have been read.
func (l *loader) unusedOverrides() {
	if l.constants == nil || len(l.faults.Found) > 0 {
		return
	}
	for _, a := range l.added {
		if c := l.constants.known[a.name]; c == nil || c.used {
			continue
		}
		remedy := "add it to [define]"
		if name, ok := spelling.Nearest(a.name, a.known); ok {
			remedy = fmt.Sprintf("did you mean define.%s?", faults.Shorten(name))
		}
		l.fail(a.pos, remedy, "define.%s is not defined in the file", faults.Shorten(a.name))
	}
}

type state int

const (
	waiting state = iota
	busy          // being worked out: meeting it again is a cycle
	done
	faulty // and reported
)

// define reads the constants of a stack file.
func (d *decoder) define(t *table) {
	n, _ := t.get("define")
	if n == nil {
		return
	}
	if n.Kind != tree.Table {
		d.fail(n.Pos, `write [define] and lines such as die_w = "8 mm"`, "define must be a table, got %s", n.Describe())
		return
	}
	d.constants = &constants{decoder: d, known: map[string]*constant{}}
	for i := range n.Entries {
		e := &n.Entries[i]
		c := &constant{Entry: e, state: faulty}
		d.constants.known[e.Name] = c
		switch {
		case !units.IsName(e.Name):
			d.fail(e.Pos, "use letters, digits and _, no digit first", "a constant cannot be called %q",
				faults.Shorten(e.Name))
		case units.IsUnit(e.Name):
			d.fail(e.Pos, "choose another name", "a constant cannot be called %q, which is a unit", e.Name)
		default:
			c.state = waiting
		}
	}
	for i := range n.Entries {
		d.constants.lookup(n.Entries[i].Name)
	}
}

// lookup finds a constant, and computes it if necessary.
func (c *constants) lookup(name string) (units.Constant, bool) {
	k := c.known[name]
	if k == nil {
		return units.Constant{}, false
	}
	switch k.state {
	case waiting:
		if c.depth == maxChained {
			k.state = faulty
			c.fail(k.Entry.Pos, "write the value", "constant %s is nested below %d other constants",
				faults.Shorten(name), maxChained)
			break
		}
		k.state = busy
		c.depth++
		x, ok := c.work(k.Value, name)
		c.depth--
		if k.Constant = x; ok && k.state == busy {
			k.state = done
		} else {
			k.state = faulty
		}
	case busy:
		k.state = faulty
		c.fail(k.Entry.Pos, "", "constant %s depends on itself", faults.Shorten(name))
	}
	c.met = true
	c.metFaulty = c.metFaulty || k.state == faulty
	return k.Constant, true
}

// work computes the value of a constant, or reports why it has none.
func (c *constants) work(n *tree.Node, name string) (x units.Constant, ok bool) {
	switch n.Kind {
	case tree.Integer, tree.Float:
		v, err := parseNumber(n)
		if err != nil {
			c.fail(n.Pos, "", "%s must be a finite number, got %s", name, n.Describe())
		}
		return units.Constant{X: v}, err == nil
	case tree.String:
		x, err := c.evaluate(n.Text)
		if err != nil {
			c.blame(n, name, err)
		}
		return x, err == nil
	}
	c.fail(n.Pos, `write a number, or a string such as "8 mm"`, "%s: expected a value, got %s", name, n.Describe())
	return units.Constant{}, false
}

// errReported is the fault of an expression with a faulty constant, which has been reported.
var errReported = errors.New("a constant has no value")

// evaluate computes an expression.
func (d *decoder) evaluate(text string) (units.Constant, error) {
	c := d.constants
	if c == nil {
		return units.Evaluate(text, func(string) (units.Constant, bool) { return units.Constant{}, false })
	}
	met, metFaulty := c.met, c.metFaulty // of the expression that asks for this one
	c.met, c.metFaulty = false, false
	x, err := units.Evaluate(text, func(name string) (units.Constant, bool) {
		if k := c.known[name]; k != nil {
			k.used = true
		}
		return c.lookup(name)
	})
	if c.metFaulty {
		err = errReported
	}
	c.met, c.metFaulty = c.met || met, c.metFaulty || metFaulty
	return x, err
}

// blame reports why an expression has no value.
func (d *decoder) blame(n *tree.Node, name string, err error) {
	if errors.Is(err, errReported) {
		return
	}
	remedy := ""
	var unknown *units.UnknownName
	if errors.As(err, &unknown) {
		if remedy = d.suggest(unknown.Name, d.names); remedy == "" {
			remedy = "add it to [define]"
		}
	}
	d.fail(n.Pos, remedy, "%s: %s: %v", name, n.Describe(), err)
}

// names of the constants.
func (d *decoder) names() []string {
	if d.constants == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(d.constants.known))
}

// measure reads a string as a quantity: a number with its unit, or an expression of quantities and constants. It
// reports faults.
func (d *decoder) measure(n *tree.Node, name string, q units.Quantity) (float64, bool) {
	x, plain := q.Parse(faults.Shorten(n.Text))
	if plain == nil {
		return x, true
	}
	if d.constants != nil {
		d.constants.met = false
	}
	c, err := d.evaluate(n.Text)
	if err == nil {
		if x, err = q.Of(c); err == nil {
			return x, true
		}
	}
	var unknown *units.UnknownName
	if d.constants != nil && (d.constants.met || errors.As(err, &unknown)) {
		d.blame(n, name, err)
	} else { // it was meant as a quantity alone
		d.fail(n.Pos, "", "%s: %v", name, plain)
	}
	return 0, false
}

// wholeNumber reads a string as a whole number: an expression of constants.
func (d *decoder) wholeNumber(n *tree.Node, name string) (int, bool) {
	c, err := d.evaluate(n.Text)
	x := math.Round(c.X)
	switch {
	case err != nil:
	case c.Dim != units.Dimension{}:
		err = errors.New("a number without a unit is needed")
	case math.Abs(c.X-x) > 1e-9 || math.Abs(x) > math.MaxInt32:
		err = fmt.Errorf("%v is not a whole number", c.X)
	}
	if err != nil {
		d.blame(n, name, err)
	}
	return int(x), err == nil
}
