package stack

import (
	"fmt"
	"strconv"
	"strings"

	"thermsim/stack/internal/keys"
)

// trail is the way of an override into a file, and tells where something is that it does not find there.
type trail struct {
	override *Override
	nodes    []*node // the top of the file, then one for each step
}

func (w *trail) add(n *node) { w.nodes = append(w.nodes, n) }

// steps taken so far.
func (w *trail) steps() int { return len(w.nodes) - 1 }

// here is the path so far, in messages.
func (w *trail) here() string {
	if w.steps() == 0 {
		return "the file"
	}
	return w.override.path(w.steps())
}

// remedy is what helps where the next step leads nowhere; candidates are the names that stand there.
func (w *trail) remedy(candidates []string) string {
	steps, i := w.override.steps, w.steps()
	key, name := steps[i], ""
	if i+1 < len(steps) {
		name = steps[i+1]
	}
	if tables(w.nodes[i]) {
		if at := w.find(steps[i-1], key); at != "" { // of the same kind, elsewhere
			return "set " + w.full(at, i+1)
		}
	}
	if at := w.find(key, name); at != "" {
		return "set " + w.full(at, i+2)
	}
	if tables(w.nodes[i]) {
		if len(candidates) == 0 {
			return fmt.Sprintf("its tables have no names: give the number, 0 to %d", len(w.nodes[i].items)-1)
		}
		return didYouMean(key, candidates)
	}
	if key == "block" {
		if remedy := w.floorplan(name); remedy != "" {
			return remedy
		}
	}
	return fmt.Sprintf("add it to the file, or set all of it: %s=[{ ... }]", w.override.path(i+1))
}

// full is the path of something with the steps that follow it.
func (w *trail) full(at string, done int) string {
	for _, step := range w.override.steps[min(done, len(w.override.steps)):] {
		at += "." + pathStep(step)
	}
	return at
}

// find looks for a table of that name in an array under that key, from the innermost table of the way outwards; a
// number is one of the innermost array alone.
func (w *trail) find(key, name string) string {
	_, err := strconv.Atoi(name)
	for i := w.steps(); i >= 0; i-- {
		if at := w.nodes[i].seek(key, name); at != "" {
			return joinPath(w.override.path(i), at)
		}
		if err == nil && i > 0 && tables(w.nodes[i-1]) {
			break
		}
	}
	return ""
}

// floorplan tells that the blocks of the table that the way has led to come from a file.
func (w *trail) floorplan(block string) string {
	at, path := w.nodes[w.steps()], w.override.path(w.steps())
	for _, p := range append(at.members("power", path), located{at, path}) {
		file := p.node.find("floorplan")
		if file == nil {
			continue
		}
		if watts := p.node.find("watts"); watts != nil && watts.value.find(block) != nil {
			return "set " + joinPath(p.path, "watts."+pathStep(block))
		}
		return fmt.Sprintf("the blocks of %s come from %s: set its watts", p.path, file.value.describe())
	}
	return ""
}

// located is a table and where it is.
type located struct {
	*node
	path string
}

// members are the tables under a key of a table whose path is given: one, or those of an array.
func (n *node) members(key, path string) (list []located) {
	e := n.find(key)
	switch {
	case e == nil:
	case e.value.kind == tableNode:
		list = append(list, located{e.value, joinPath(path, pathStep(key))})
	case tables(e.value):
		for i := range e.value.items {
			list = append(list, located{e.value.items[i], joinPath(path, pathStep(key)+"."+e.value.label(i))})
		}
	}
	return list
}

// seek finds a table in an array under that key in this table or those below it, and tells its path from here.
func (n *node) seek(key, name string) string {
	if e := n.find(key); e != nil && tables(e.value) {
		if found, _ := member(e.value, name); found != nil {
			return pathStep(key) + "." + pathStep(name)
		}
	}
	for i := range n.entries {
		for _, m := range n.members(n.entries[i].name, "") {
			if at := m.seek(key, name); at != "" {
				return joinPath(m.path, at)
			}
		}
	}
	return ""
}

// label is how a path calls one of an array of tables: its name if that leads to it, else its number.
func (n *node) label(i int) string {
	if e := n.items[i].find("name"); e != nil && e.value.kind == stringNode && !strings.Contains(e.value.text, `"`) {
		if first, _ := member(n, e.value.text); first == n.items[i] {
			return pathStep(e.value.text)
		}
	}
	return strconv.Itoa(i)
}

// leads says whether something is under a key that a path may lead through.
func (n *node) leads(key string) bool {
	e := n.find(key)
	return e != nil && e.value.kind != stringNode
}

// keyOf is the key of that name, nil where the format has none.
func keyOf(spec *keys.Spec, name string) *keys.Key {
	if spec == nil {
		return nil
	}
	k, _ := spec.Key(name)
	return k
}

// specBelow describes the tables under a key; nil where they have free names, or nothing is known of them.
func (l *loader) specBelow(k *keys.Key) *keys.Spec {
	if k == nil || k.Type == keys.NamedTables {
		return nil
	}
	return l.format.Spec(k.Sub)
}

// path of the first steps.
func (o *Override) path(n int) string {
	path := ""
	for _, step := range o.steps[:n] {
		path = joinPath(path, pathStep(step))
	}
	return path
}

func joinPath(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// pathStep is a step as an override writes it.
func pathStep(step string) string {
	if strings.ContainsAny(step, ".=") {
		return `"` + step + `"`
	}
	return step
}
