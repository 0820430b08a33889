package stackfile

import (
	"cmp"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// list checks that a node is an array with a number of entries that its key allows.
func (d *decoder) list(v *tree.Node, k *keys.Key, example string) bool {
	if !d.array(v, k.Name, -1, example) {
		return false
	}
	n, remedy := len(v.Items), "write "+k.Name+" = "+example
	if k.Type == keys.Tables || k.Type == keys.Texts {
		remedy = "add " + exampleLine(*k)
	}
	switch {
	case k.Max > 0 && n > k.Max:
		d.fail(v.Items[k.Max].Pos, cmp.Or(k.Excess, "remove some"), "%s has %d entries at most, this one %d", k.Name,
			k.Max, n)
	case n == 0 && (k.Required || k.Min > 0):
		d.fail(v.Pos, remedy, "%s is empty", k.Name)
	case n < k.Min:
		d.fail(v.Pos, remedy, "%s has %d entries at least, this one %d", k.Name, k.Min, n)
	default:
		return true
	}
	return false
}

// array checks that a node is an array of n items, of any number if n is negative.
func (d *decoder) array(v *tree.Node, name string, n int, example string) bool {
	if v.Kind != tree.Array {
		d.fail(v.Pos, "write "+name+" = "+example, "%s must be an array, got %s", name, v.Describe())
		return false
	}
	if n >= 0 && len(v.Items) != n {
		d.fail(v.Pos, "write "+name+" = "+example, "%s needs %d values, got %d", name, n, len(v.Items))
		return false
	}
	return true
}

// vector reads n quantities from an array; ok is false if any is faulty.
func (d *decoder) vector(v *tree.Node, k *keys.Key, n int, example string) (xs []float64, ok bool) {
	if !d.array(v, k.Name, n, example) {
		return make([]float64, n), false
	}
	ok = true
	for _, item := range v.Items {
		x, good := d.quantity(item, k.Name, k)
		xs = append(xs, x)
		ok = ok && good
	}
	return xs, ok
}

const (
	pairExample = `["10 mm", "10 mm"]`
	rectExample = `["1 mm", "1 mm", "2 mm", "2 mm"]`
)

// pair reads [x, y]; zero if missing.
func (t *table) pair(name string) (p [2]float64, ok bool) {
	n, k := t.get(name)
	if n == nil {
		return p, false
	}
	xs, ok := t.vector(n, k, 2, pairExample)
	return [2]float64{xs[0], xs[1]}, ok
}

// rect reads [x, y, width, height].
func (t *table) rect(n *tree.Node, k *keys.Key) (stack.Rect, bool) {
	xs, ok := t.vector(n, k, 4, rectExample)
	if ok && (xs[2] <= 0 || xs[3] <= 0) {
		t.fail(n.Pos, "", "%s: width and height must be positive", k.Name)
		return stack.Rect{}, false
	}
	return stack.Rect{X: xs[0], Y: xs[1], Width: xs[2], Height: xs[3]}, ok
}

// texts reads an array of strings, and returns their nodes too.
func (t *table) texts(name string) (words []string, nodes []*tree.Node) {
	n, k := t.get(name)
	if n == nil || !t.list(n, k, `["a", "b"]`) {
		return nil, nil
	}
	for _, item := range n.Items {
		if item.Kind != tree.String {
			t.fail(item.Pos, "write it in quotes", "%s must hold strings, got %s", name, item.Describe())
			continue
		}
		words = append(words, item.Text)
		nodes = append(nodes, item)
	}
	return words, nodes
}

// numbers reads an array of plain numbers.
func (d *decoder) numbers(n *tree.Node, name string) (xs []float64, ok bool) {
	if !d.array(n, name, -1, "[0.5, 1.5]") {
		return nil, false
	}
	xs = make([]float64, len(n.Items))
	for i, item := range n.Items {
		if item.Kind != tree.Integer && item.Kind != tree.Float {
			d.fail(item.Pos, "", "%s must hold numbers, got %s", name, item.Describe())
			return nil, false
		}
		x, err := parseNumber(item)
		if err != nil {
			d.fail(item.Pos, "", "%s must hold finite numbers, got %s", name, item.Describe())
			return nil, false
		}
		xs[i] = x
	}
	return xs, true
}

// tables opens an array of tables, or a single table where the format allows it.
func (t *table) tables(name string) []*table {
	n, k := t.get(name)
	if n == nil {
		return nil
	}
	items := n.Items
	switch {
	case n.Kind == tree.Table && k.Type == keys.TableOrTables:
		items = []*tree.Node{n}
	case n.Kind == tree.Table:
		t.fail(n.Pos, "write it as an array of tables", "%s must be an array of tables, got a table", name)
		return nil
	case !t.list(n, k, "[{ ... }]"):
		return nil
	}
	var opened []*table
	for _, item := range items {
		if t.faults.Dropped > 0 { // faults of the others would not be reported
			break
		}
		if sub, ok := t.open(item, k.Sub); ok {
			opened = append(opened, sub)
		}
	}
	return opened
}

// sub opens the table under a key, nil if it is missing or no table.
func (t *table) sub(name string) *table {
	n, k := t.get(name)
	if n == nil {
		return nil
	}
	s, ok := t.open(n, k.Sub)
	if !ok {
		return nil
	}
	return s
}

// shape reads the circle or polygon of a table; nil if it has neither. what names the owner in messages.
func (t *table) shape(what string) geometry.Shape {
	switch {
	case t.has("circle"):
		if c := t.sub("circle"); c != nil {
			var shape geometry.Circle
			c.into(&shape)
			return shape
		}
	case t.has("polygon"):
		if p := t.polygon(what); p != nil {
			return p
		}
	}
	return nil
}

func (t *table) polygon(what string) geometry.Polygon {
	const example = `[["0 mm", "0 mm"], ["1 mm", "0 mm"], ["0 mm", "1 mm"]]`
	n, k := t.get("polygon")
	if !t.list(n, k, example) {
		return nil
	}
	p := make(geometry.Polygon, len(n.Items))
	for i, item := range n.Items {
		xs, ok := t.vector(item, k, 2, `["1 mm", "1 mm"]`)
		if !ok {
			return nil
		}
		p[i] = geometry.Point{X: xs[0], Y: xs[1]}
	}
	if i, j, crossing := p.Crossing(); crossing {
		t.fail(n.Items[j].Pos, "list each corner once, in order around the polygon",
			"the polygon of %s is not simple: the edge from corner %d intersects the edge from corner %d", what, j+1,
			i+1)
		return nil
	}
	return p
}

// given lists those of the keys that the table has.
func (t *table) given(names ...string) (present []string) {
	for _, name := range names {
		if t.has(name) {
			present = append(present, name)
		}
	}
	return present
}

// rectangle reads x, y, width and height.
func (t *table) rectangle(what, remedy string) stack.Rect {
	missing := slices.DeleteFunc([]string{"x", "y", "width", "height"}, t.has)
	if len(missing) > 0 {
		t.fail(t.node.Pos, remedy, "%s lacks %s", what, strings.Join(missing, ", "))
	}
	return stack.Rect{X: t.scalar("x"), Y: t.scalar("y"), Width: t.scalar("width"), Height: t.scalar("height")}
}

// repeats reads how often a region is repeated along x and y, and how far apart.
func (t *table) repeats() (nx, ny int, pitch [2]float64) {
	a := t.sub("array")
	if a == nil {
		return 1, 1, pitch
	}
	pitch, _ = a.pair("pitch")
	return a.integer("nx"), a.integer("ny"), pitch
}
