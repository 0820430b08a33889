package serve

import "strings"

// names finds inputs, blocks and the like by their name, or by the part behind the layer where that is of one alone.
type names struct {
	kind  string
	list  []string
	index map[string]int // -1 where several have it
}

func newNames(kind string, list []string) names {
	n := names{kind, list, make(map[string]int, 2*len(list))}
	for i, full := range list {
		n.index[full] = i
	}
	for i, full := range list {
		_, short, cut := strings.Cut(full, "/")
		if !cut {
			continue
		}
		if _, taken := n.index[short]; taken {
			n.index[short] = -1
			continue
		}
		n.index[short] = i
	}
	for i, full := range list { // full names win
		n.index[full] = i
	}
	return n
}

func (n *names) find(name string) (int, *Fault) {
	i, ok := n.index[name]
	switch {
	case !ok:
		return 0, faultf(UnknownName, "no %s is called %s; describe lists them", n.kind, shown(name))
	case i < 0:
		return 0, faultf(UnknownName, "several %ss are called %s; write LAYER/NAME", n.kind, shown(name))
	}
	return i, nil
}

// selected are the indices that a selection means.
func (n *names) selected(s *selection) ([]int, *Fault) {
	if s.all {
		all := make([]int, len(n.list))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	var some []int
	for _, name := range s.names {
		i, fault := n.find(name)
		if fault != nil {
			return nil, fault
		}
		some = append(some, i)
	}
	return some, nil
}
