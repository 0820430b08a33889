package tree

import (
	"strconv"
	"strings"

	"thermsim/stack/internal/faults"
)

// Member of an array of tables by its name, or by its number from 0.
func Member(n *Node, step string) (found *Node, names []string) {
	for _, item := range n.Items {
		if e := item.Find("name"); e != nil && e.Value.Kind == String {
			if e.Value.Text == step {
				return item, nil
			}
			names = append(names, e.Value.Text)
		}
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Items) {
		return n.Items[i], nil
	}
	return nil, names
}

// Names of the keys of a table.
func (n *Node) Names() []string {
	list := make([]string, len(n.Entries))
	for i := range n.Entries {
		list[i] = n.Entries[i].Name
	}
	return list
}

// SetPos puts a value and all in it at one position of line 0, where the column is not shown and counts them: what has
// a position is known by it.
func (n *Node) SetPos(pos *faults.Pos) {
	n.Pos = *pos
	pos.Col++
	for i := range n.Entries {
		n.Entries[i].Pos = n.Pos
		n.Entries[i].Value.SetPos(pos)
	}
	for _, item := range n.Items {
		item.SetPos(pos)
	}
}

// Located is a table and where it is.
type Located struct {
	*Node
	Path string
}

// Members are the tables under a key of a table whose path is given: one, or those of an array.
func (n *Node) Members(key, path string) (list []Located) {
	e := n.Find(key)
	switch {
	case e == nil:
	case e.Value.Kind == Table:
		list = append(list, Located{e.Value, JoinPath(path, PathStep(key))})
	case Tables(e.Value):
		for i := range e.Value.Items {
			list = append(list, Located{e.Value.Items[i], JoinPath(path, PathStep(key)+"."+e.Value.label(i))})
		}
	}
	return list
}

// Seek is the path from here of a table in an array under that key, in this table or those below it; empty if there is
// none.
func (n *Node) Seek(key, name string) string {
	if e := n.Find(key); e != nil && Tables(e.Value) {
		if found, _ := Member(e.Value, name); found != nil {
			return PathStep(key) + "." + PathStep(name)
		}
	}
	for i := range n.Entries {
		for _, m := range n.Members(n.Entries[i].Name, "") {
			if at := m.Seek(key, name); at != "" {
				return JoinPath(m.Path, at)
			}
		}
	}
	return ""
}

// label is how a path calls one of an array of tables: its name if that leads to it, else its number.
func (n *Node) label(i int) string {
	if e := n.Items[i].Find("name"); e != nil && e.Value.Kind == String && !strings.Contains(e.Value.Text, `"`) {
		if first, _ := Member(n, e.Value.Text); first == n.Items[i] {
			return PathStep(e.Value.Text)
		}
	}
	return strconv.Itoa(i)
}

// HasNode says whether something is under a key that a path may lead through.
func (n *Node) HasNode(key string) bool {
	e := n.Find(key)
	return e != nil && e.Value.Kind != String
}

func JoinPath(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// PathStep is a step as an override writes it.
func PathStep(step string) string {
	if strings.ContainsAny(step, ".=") {
		return `"` + step + `"`
	}
	return step
}
