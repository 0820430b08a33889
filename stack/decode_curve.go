package stack

import (
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/units"
)

// conductivity reads one value or three, each a number or a curve.
func (t *table) conductivity(name string) (k3 [3]float64, curves [3]*Curve) {
	n, k := t.get(name)
	if n == nil {
		return k3, curves
	}
	if n.kind != arrayNode {
		x, c := t.curveOrScalar(n, k)
		return [3]float64{x, x, x}, [3]*Curve{c, c, c}
	}
	if !t.array(n, name, 3, `["130 W/(m K)", "130 W/(m K)", "10 W/(m K)"]`) {
		return k3, curves
	}
	for axis, item := range n.items {
		k3[axis], curves[axis] = t.curveOrScalar(item, k)
	}
	return k3, curves
}

// property reads a number or a curve.
func (t *table) property(name string) (float64, *Curve) {
	n, k := t.get(name)
	if n == nil {
		return 0, nil
	}
	return t.curveOrScalar(n, k)
}

// curveOrScalar reads a quantity, or a table that says how it follows the temperature; then the number is the one that
// stands for it.
func (d *decoder) curveOrScalar(n *node, k *keys.Key) (float64, *Curve) {
	if n.kind != tableNode {
		x, _ := d.quantity(n, k.Name, k.Quantity, k.Range)
		return x, nil
	}
	before := len(d.faults.list)
	t, ok := d.open(n, k.Sub)
	if !ok {
		return 0, nil
	}
	c := t.curve(k)
	if len(d.faults.list) > before {
		return 0, nil
	}
	if fault, remedy := c.fault(); fault != "" {
		d.fail(t.curvePos(), remedy, "%s: %s", k.Name, fault)
		return 0, nil
	}
	return c.Of(c.Reference()), c
}

// laws are the keys of which a curve has one.
var laws = [...]string{"table", "polynomial", "value"}

// curvePos is where the law stands.
func (t *table) curvePos() Pos {
	for _, name := range laws {
		if t.has(name) {
			return t.pos(name)
		}
	}
	return t.node.pos
}

func (t *table) curve(k *keys.Key) *Curve {
	c := &Curve{Law: -1}
	for _, name := range laws {
		switch {
		case !t.has(name):
		case c.Law >= 0:
			t.fail(t.pos(name), "leave all but one of them out", "%s has two laws: give one of table, polynomial and "+
				"value with exponent", k.Name)
		case name == "table":
			c.Law = TableLaw
		case name == "polynomial":
			c.Law = PolynomialLaw
		default:
			c.Law = PowerLaw
		}
	}
	for _, name := range []string{"exponent", "at", "range"} {
		if t.has(name) && (c.Law == TableLaw || name == "exponent" && c.Law == PolynomialLaw) {
			t.fail(t.pos(name), "remove it", "%s does not belong to a %v", name, c.Law)
		}
	}
	switch c.Law {
	case TableLaw:
		t.curveRows(c)
		return c
	case PolynomialLaw:
		t.coefficients(c, "712, 0.5")
	case PowerLaw:
		n, own := t.get("value")
		c.Value, _ = t.quantity(n, k.Name, k.Quantity, own.Range)
		if !t.has("exponent") {
			t.fail(t.node.pos, "add exponent = 1.3", "a power law needs the key \"exponent\"")
		}
		c.Exponent = t.scalar("exponent")
	default:
		t.fail(t.node.pos, `write { value = "148 W/(m K)", exponent = 1.3, range = ["250 K", "450 K"] }`,
			"%s has no law: give one of table, polynomial and value with exponent", k.Name)
		return c
	}
	c.At = t.scalar("at")
	if !t.has("range") {
		t.fail(t.node.pos, `add range = ["250 K", "450 K"]`, "a %v needs the range of temperatures for which it holds",
			c.Law)
		return c
	}
	c.Range, _ = t.pair("range")
	return c
}

// maxCoefficients of a polynomial: more are none that was fitted.
const maxCoefficients = 32

// coefficients reads those of a polynomial.
func (t *table) coefficients(c *Curve, example string) {
	n, _ := t.get("polynomial")
	switch c.Coefficients, _ = t.numbers(n, "polynomial"); {
	case len(c.Coefficients) == 0:
		t.fail(n.pos, "write polynomial = ["+example+"]", "a polynomial needs coefficients")
	case len(c.Coefficients) > maxCoefficients:
		c.Coefficients = c.Coefficients[:1]
		t.fail(n.pos, "take a table", "a polynomial has %d coefficients at most", maxCoefficients)
	}
}

// maxRows of a table: solvers look a piece up for every cell.
const maxRows = 4096

// curveRows reads the rows of a table.
func (t *table) curveRows(c *Curve) {
	n, _ := t.get("table")
	if !t.array(n, "table", -1, "[[300, 148], [400, 98.9]]") {
		return
	}
	if len(n.items) > maxRows {
		t.fail(n.items[maxRows].pos, "leave rows out: between them it is a cubic", "a table has %d rows at most",
			maxRows)
		return
	}
	for _, row := range n.items {
		x, ok := t.numbers(row, "table")
		if !ok {
			return
		}
		if len(x) != 2 {
			t.fail(row.pos, "write [300, 148]", "a row of a table has a temperature in K and a value, got %d numbers",
				len(x))
			return
		}
		if i := len(c.Temperatures); i > 0 && x[0] <= c.Temperatures[i-1] {
			t.fail(row.pos, "give the rows in ascending order", "temperature %s K of a table does not lie above the "+
				"%s K before it", units.Number.Format(x[0]), units.Number.Format(c.Temperatures[i-1]))
			return
		}
		c.Temperatures, c.Values = append(c.Temperatures, x[0]), append(c.Values, x[1])
	}
	if len(c.Temperatures) < 2 {
		t.fail(n.pos, "add rows, or give a constant", "a table needs at least two rows")
		return
	}
	c.Range = [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]}
}
