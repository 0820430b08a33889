package stack

import (
	"path/filepath"
	"slices"
)

// mostIncludes bounds how many files a stack file may include, and they each other.
const mostIncludes = 100

// include merges the files that a file names with include into its tree: tables by their keys, where the file itself
// has the last word, and arrays of tables one after the other, those of included files first. A file that several
// include is taken once. from are the files that led to this one.
func (l *loader) include(root *node, from []string) *node {
	e := root.find("include")
	if e == nil {
		return root
	}
	merged := &node{pos: root.pos, kind: tableNode}
	for _, item := range l.includes(e.value) {
		if len(l.included) > mostIncludes {
			break // which was told
		}
		if part := l.includedFile(item, from); part != nil {
			l.merge(merged, part, false)
		}
	}
	l.merge(merged, root, true)
	return merged
}

// includes are the paths of an include.
func (l *loader) includes(n *node) []*node {
	if n.kind == arrayNode && !slices.ContainsFunc(n.items, func(i *node) bool { return i.kind != stringNode }) {
		return n.items
	}
	l.fail(n.pos, `write include = ["materials.toml"]`, "include must be an array of paths")
	return nil
}

// includedFile reads one file and those that it includes; nil where that fails.
func (l *loader) includedFile(n *node, from []string) *node {
	path, ok := l.inputPath(n, "include")
	if !ok {
		return nil
	}
	path = filepath.Clean(path)
	if slices.Contains(from, path) {
		l.fail(n.pos, "", "%s includes itself", path)
		return nil
	}
	if slices.Contains(l.included, path) {
		return nil
	}
	if l.included = append(l.included, path); len(l.included) > mostIncludes {
		l.fail(n.pos, "", "more than %d files are included", mostIncludes)
		return nil
	}
	data, ok := l.read(n, path)
	if !ok {
		return nil
	}
	root, fault := parseTree(path, data)
	if fault != nil {
		l.faults.add(fault)
		return nil
	}
	if !l.knownVersion(root) {
		return nil
	}
	return l.include(root, append(slices.Clone(from), path))
}

// merge adds the entries of a file to those of the files before it. What both say is taken from it where it includes
// them, and a fault between two included files.
func (l *loader) merge(into, from *node, including bool) {
	for i := range from.entries {
		e := &from.entries[i]
		was := into.find(e.name)
		switch {
		case was == nil:
			into.add(e.name, e.pos, copyOf(e.value))
		case e.name == "include" || e.name == "schema":
			was.value = e.value
		case was.value.kind == tableNode && e.value.kind == tableNode:
			l.merge(was.value, e.value, including)
		case tables(was.value) && tables(e.value):
			was.value.items = append(was.value.items, e.value.items...)
		case including:
			was.pos, was.value = e.pos, e.value
		default:
			l.fail(e.pos, "say it in one of them, or in the file that includes both", "%s is in %s too",
				shorten(e.name), was.pos)
		}
	}
}

// copyOf is a table or an array to which entries can be added while the original stays; anything else itself.
func copyOf(n *node) *node {
	if n.kind != tableNode && !tables(n) {
		return n
	}
	c := *n
	c.entries, c.items, c.index = nil, slices.Clone(n.items), nil
	for i := range n.entries {
		c.add(n.entries[i].name, n.entries[i].pos, copyOf(n.entries[i].value))
	}
	return &c
}

// tables says whether a value is an array of tables.
func tables(n *node) bool {
	return n.kind == arrayNode && len(n.items) > 0 && !slices.ContainsFunc(n.items, func(i *node) bool {
		return i.kind != tableNode
	})
}
