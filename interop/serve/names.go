package serve

import "thermsim/gpusolve/ports"

// names finds inputs, blocks, layers or probes by their name, or by the part after the layer if that is unique.
type names struct {
	kind  string
	list  []string
	known map[string]int // names found so far, full or short
}

func newNames(kind string, list []string) names { return names{kind, list, map[string]int{}} }

func (n *names) find(name string) (int, *Fault) {
	if i, ok := n.known[name]; ok {
		return i, nil
	}
	i, err := ports.Find(n.list, name)
	switch {
	case err != nil && len(n.list) == 0:
		return 0, faultf(UnknownName, "the stack has no %s: got %s", n.kind, shown(name))
	case err != nil && len(name) > 100:
		return 0, faultf(UnknownName, "no %s is called %s", n.kind, shown(name))
	case err != nil:
		return 0, faultf(UnknownName, "%s: %v", n.kind, err)
	}
	n.known[name] = i
	return i, nil
}

// selected are the indices of a selection.
func (n *names) selected(s *selection) ([]int, *Fault) {
	var some []int
	if s.all {
		for i := range n.list {
			some = append(some, i)
		}
		return some, nil
	}
	for _, name := range s.names {
		i, fault := n.find(name)
		if fault != nil {
			return nil, fault
		}
		some = append(some, i)
	}
	return some, nil
}
