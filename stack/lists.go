package stack

import (
	"thermsim/stack/internal/keys"
)

// array checks that a node is an array of n items, of any number if n is negative.
func (d *decoder) array(v *node, name string, n int, example string) bool {
	if v.kind != arrayNode {
		d.fail(v.pos, "write "+name+" = "+example, "%s must be an array, got %s", name, v.describe())
		return false
	}
	if n >= 0 && len(v.items) != n {
		d.fail(v.pos, "write "+name+" = "+example, "%s needs %d values, got %d", name, n, len(v.items))
		return false
	}
	return true
}

// vector reads n quantities from an array; ok is false if any is faulty.
func (d *decoder) vector(v *node, k *keys.Key, n int, example string) (xs []float64, ok bool) {
	if !d.array(v, k.Name, n, example) {
		return make([]float64, n), false
	}
	ok = true
	for _, item := range v.items {
		x, good := d.quantity(item, k.Name, k.Quantity, k.Range)
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
func (t *table) rect(n *node, k *keys.Key) (Rect, bool) {
	xs, ok := t.vector(n, k, 4, rectExample)
	if ok && (xs[2] <= 0 || xs[3] <= 0) {
		t.fail(n.pos, "", "%s: width and height must be positive", k.Name)
		return Rect{}, false
	}
	return Rect{xs[0], xs[1], xs[2], xs[3]}, ok
}

// texts reads an array of strings with their places.
func (t *table) texts(name string) (words []string, nodes []*node) {
	n, _ := t.get(name)
	if n == nil || !t.array(n, name, -1, `["a", "b"]`) {
		return nil, nil
	}
	for _, item := range n.items {
		if item.kind != stringNode {
			t.fail(item.pos, "write it in quotes", "%s must hold strings, got %s", name, item.describe())
			continue
		}
		words = append(words, item.text)
		nodes = append(nodes, item)
	}
	return words, nodes
}

// numbers reads an array of plain numbers.
func (d *decoder) numbers(n *node, name string) (xs []float64, ok bool) {
	if !d.array(n, name, -1, "[0.5, 1.5]") {
		return nil, false
	}
	xs = make([]float64, len(n.items))
	for i, item := range n.items {
		if item.kind != integerNode && item.kind != floatNode {
			d.fail(item.pos, "", "%s must hold numbers, got %s", name, item.describe())
			return nil, false
		}
		x, err := parseNumber(item)
		if err != nil {
			d.fail(item.pos, "", "%s must hold finite numbers, got %s", name, item.describe())
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
	items := n.items
	switch {
	case n.kind == tableNode && k.Type == keys.TableOrTables:
		items = []*node{n}
	case n.kind == tableNode:
		t.fail(n.pos, "write it as an array of tables", "%s must be an array of tables, got a table", name)
		return nil
	case !t.array(n, name, -1, "[{ ... }]"):
		return nil
	}
	var opened []*table
	for _, item := range items {
		if t.faults.dropped > 0 { // what is wrong with the others is not told either
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
