package stackfile

import (
	"slices"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// conductivity reads one value or three, each a number or a curve.
func (t *table) conductivity(name string) (k3 [3]float64, curves [3]*stack.Curve) {
	n, k := t.get(name)
	if n == nil {
		return k3, curves
	}
	if n.Kind != tree.Array {
		x, c := t.curveOrScalar(n, k)
		return [3]float64{x, x, x}, [3]*stack.Curve{c, c, c}
	}
	if !t.array(n, name, 3, `["130 W/(m K)", "130 W/(m K)", "10 W/(m K)"]`) {
		return k3, curves
	}
	for axis, item := range n.Items {
		k3[axis], curves[axis] = t.curveOrScalar(item, k)
	}
	return k3, curves
}

// property reads a number or a curve.
func (t *table) property(name string) (float64, *stack.Curve) {
	n, k := t.get(name)
	if n == nil {
		return 0, nil
	}
	return t.curveOrScalar(n, k)
}

// curveOrScalar reads a quantity, or a table with its temperature dependence; then the number is its value at the
// reference temperature.
func (d *decoder) curveOrScalar(n *tree.Node, k *keys.Key) (float64, *stack.Curve) {
	if n.Kind != tree.Table {
		x, _ := d.quantity(n, k.Name, k)
		return x, nil
	}
	before := len(d.faults.Found)
	t, ok := d.open(n, k.Sub)
	if !ok {
		return 0, nil
	}
	own, _ := t.spec.Key("value")
	value := *own
	value.Quantity = k.Quantity
	c := t.law(k.Name, &value, (*stack.Curve).Fault, "table", "polynomial", "value")
	if c == nil {
		if len(d.faults.Found) == before {
			t.fail(t.node.Pos, `write { value = "148 W/(m K)", exponent = 1.3, range = ["250 K", "450 K"] }`,
				"%s has no law: give one of table, polynomial and value with exponent", k.Name)
		}
		return 0, nil
	}
	return c.Of(c.Reference()), c
}

// laws are those of the keys of which a curve or a leakage has one.
var laws = map[string]stack.Law{"table": stack.TableLaw, "polynomial": stack.PolynomialLaw, "value": stack.PowerLaw,
	"beta": stack.ExponentialLaw}

// law reads the law of a curve, given by one of the keys in names, and checks it; nil if there is none or a fault.
// value describes the value of a power law, what names the curve in messages.
func (t *table) law(what string, value *keys.Key, check func(*stack.Curve) (fault, remedy string),
	names ...string) *stack.Curve {
	before := len(t.faults.Found)
	given, others := t.given(names...), t.given("exponent", "at", "range")
	if len(given) == 0 {
		for _, name := range others {
			t.fail(t.pos(name), "add "+faults.JoinWords(names), "%s: %s needs a law", what, name)
		}
		return nil
	}
	c := &stack.Curve{Law: laws[given[0]]}
	for _, name := range others {
		if c.Law == stack.TableLaw || name == "exponent" && c.Law == stack.PolynomialLaw {
			t.fail(t.pos(name), "remove it", "%s does not belong to a %v", name, c.Law)
		}
	}
	switch c.Law {
	case stack.TableLaw:
		t.curveRows(c)
	case stack.PolynomialLaw:
		if n, k := t.get("polynomial"); t.list(n, k, "[1, 0.02]") {
			c.Coefficients, _ = t.numbers(n, k.Name)
		}
	case stack.ExponentialLaw:
		c.Value, c.Exponent = 1, t.scalar("beta")
	default:
		n, _ := t.get("value")
		c.Value, _ = t.quantity(n, what, value)
		if !t.has("exponent") {
			t.fail(t.node.Pos, "add exponent = 1.3", "a power law needs the key \"exponent\"")
		}
		c.Exponent = t.scalar("exponent")
	}
	if c.Law != stack.TableLaw {
		c.At = t.scalar("at")
		c.Range, _ = t.pair("range")
		if !t.has("range") {
			t.fail(t.node.Pos, `add range = ["250 K", "450 K"]`, "the %v needs the range of temperatures for which it "+
				"is valid", c.Law)
		}
	}
	if len(t.faults.Found) > before {
		return nil
	}
	if fault, remedy := check(c); fault != "" {
		t.fail(t.pos(given[0]), remedy, "%s: %s", what, fault)
		return nil
	}
	return c
}

// curveRows reads the rows of a table.
func (t *table) curveRows(c *stack.Curve) {
	n, k := t.get("table")
	if !t.list(n, k, "[[300, 148], [400, 98.9]]") {
		return
	}
	for _, row := range n.Items {
		x, ok := t.numbers(row, "table")
		if !ok {
			return
		}
		if len(x) != 2 {
			t.fail(row.Pos, "write [300, 148]", "a row of a table has a temperature in K and a value, got %d numbers",
				len(x))
			return
		}
		if i := len(c.Temperatures); i > 0 && x[0] <= c.Temperatures[i-1] {
			t.fail(row.Pos, "give the rows in ascending order",
				"temperatures of a table must ascend, got %s K after %s K", units.Number.Format(x[0]),
				units.Number.Format(c.Temperatures[i-1]))
			return
		}
		c.Temperatures, c.Values = append(c.Temperatures, x[0]), append(c.Values, x[1])
	}
	c.Range = [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]}
}

// ownLeakage reads that of a block or a uniform power. Factor is nil where the table gives no law.
func (l *loader) ownLeakage(t *table, area float64) stack.Leakage {
	n, k := t.get("leakage")
	if n == nil {
		return stack.Leakage{}
	}
	lt, ok := l.decoder.open(n, k.Sub)
	if !ok {
		return stack.Leakage{}
	}
	if lt.has("watts") {
		l.fail(lt.pos("watts"), "use power or density", "watts of a leakage applies to floorplans only")
	}
	return stack.Leakage{Watts: lt.leakageWatts(area), Factor: lt.leakageLaw()}
}

// areaLeakage reads that of a uniform power.
func (l *loader) areaLeakage(t *table, p *stack.Power) {
	before := len(l.faults.Found)
	p.Leakage = l.ownLeakage(t, p.ActsOn())
	if t.has("leakage") && p.Leakage.Factor == nil && len(l.faults.Found) == before {
		l.fail(t.pos("leakage"), `add beta = "0.015 1/K" and range, a polynomial or a table`,
			"the leakage of a power needs a law")
	}
}

// leakageWatts is the power of a leakage on an area in m2.
func (t *table) leakageWatts(area float64) float64 {
	given := t.given("power", "density", "watts")
	switch {
	case len(given) == 0:
		t.fail(t.node.Pos, `add power = "2 W"`, "a leakage needs power, or density")
	case given[0] == "density":
		return t.scalar("density") * area
	case given[0] == "power":
		return t.scalar("power")
	}
	return 0
}

// leakageLaw reads the law; nil if there is none, or a fault.
func (t *table) leakageLaw() *stack.Curve {
	return t.law("leakage", nil, (*stack.Curve).LeakageFault, "beta", "polynomial", "table")
}

// blockLeakage divides the leakage of a power among its blocks without leakage, and sets the law of blocks without one.
func (l *loader) blockLeakage(t *table, p *stack.Power) {
	n, k := t.get("leakage")
	if n == nil {
		l.lawsOf(p.Blocks, nil)
		return
	}
	lt, ok := l.decoder.open(n, k.Sub)
	if !ok {
		return
	}
	before := len(l.faults.Found)
	law := lt.leakageLaw()
	if law == nil && len(l.faults.Found) == before {
		l.fail(n.Pos, `add beta = "0.015 1/K", polynomial or table`, "the leakage of a power needs a law")
	}
	if len(l.faults.Found) > before {
		return
	}
	given := make([]bool, len(p.Blocks))
	area := 0.0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if given[i] = b.Leakage != (stack.Leakage{}); !given[i] {
			area += b.Area()
		}
	}
	l.lawsOf(p.Blocks, law)
	switch {
	case lt.has("watts"):
		l.namedLeakage(lt, p, given, law)
	case lt.has("power") || lt.has("density") || !slices.Contains(given, true):
		watts := lt.leakageWatts(area)
		for i := range p.Blocks {
			if b := &p.Blocks[i]; !given[i] && area > 0 {
				b.Leakage = stack.Leakage{Watts: watts * (b.Area() / area), Factor: law}
			}
		}
	}
}

// lawsOf sets the law of blocks whose leakage has none.
func (l *loader) lawsOf(blocks []stack.Block, law *stack.Curve) {
	for i := range blocks {
		b := &blocks[i]
		if b.Leakage.Watts == 0 || b.Leakage.Factor != nil {
			continue
		}
		if b.Leakage.Factor = law; law == nil {
			l.fail(b.Pos,
				`add beta = "0.015 1/K" and range, a polynomial or a table, or give the power a leakage with one`,
				"leakage of block %q has no law", faults.Shorten(b.Name))
		}
	}
}

// namedLeakage takes the leakage of each block from a table or from a file of one row.
func (l *loader) namedLeakage(t *table, p *stack.Power, given []bool, law *stack.Curve) {
	n, k := t.get("watts")
	for i, b := range p.Blocks {
		if given[i] {
			l.fail(b.Pos, "remove one of them", "block %q has its own leakage in addition to watts",
				faults.Shorten(b.Name))
			return
		}
	}
	set := func(b int, w float64) {
		if p.Blocks[b].Leakage = (stack.Leakage{}); w > 0 {
			p.Blocks[b].Leakage = stack.Leakage{Watts: w, Factor: law}
		}
	}
	if n.Kind != tree.String {
		l.tableWatts(n, k, p, set)
		return
	}
	s := l.readSeries(n, "watts", ReadPTrace)
	if s == nil {
		return
	}
	rows, ok := l.columns(s, p.Blocks, n)
	if !ok {
		return
	}
	if len(rows) != 1 {
		l.fail(n.Pos, "write one row: the leakage for the law's value 1", "%s has %d rows of leakage", s.File,
			len(rows))
		return
	}
	for b, w := range rows[0] {
		set(b, w)
	}
}
