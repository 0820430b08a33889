package eda

import (
	"bytes"
	"hash/maphash"
)

// names numbers names from 0 in order of arrival. The text of all is in one slice, and the table contains numbers: a
// map of strings would be millions of small allocations.
type names struct {
	text  []byte
	ends  []int   // of name i in text
	table []int32 // number + 1 of the name, 0 if free; open addressing, its length is a power of two
	seed  maphash.Seed
}

func newNames() *names { return &names{table: make([]int32, 1<<10), seed: maphash.MakeSeed()} }

func (n *names) len() int { return len(n.ends) }

// at is the name of that number, which must not be changed.
func (n *names) at(i int32) []byte {
	from := 0
	if i > 0 {
		from = n.ends[i-1]
	}
	return n.text[from:n.ends[i]:n.ends[i]]
}

// slot is the index of a name in the table, or the free one where it belongs.
func (n *names) slot(name []byte) int {
	mask := len(n.table) - 1
	for s := int(maphash.Bytes(n.seed, name)) & mask; ; s = (s + 1) & mask {
		if i := n.table[s]; i == 0 || bytes.Equal(n.at(i-1), name) {
			return s
		}
	}
}

// find returns the number of a name, or -1.
func (n *names) find(name []byte) int32 { return n.table[n.slot(name)] - 1 }

// add numbers a name. known is set if it had a number already.
func (n *names) add(name []byte) (number int32, known bool) {
	s := n.slot(name)
	if i := n.table[s]; i != 0 {
		return i - 1, true
	}
	n.text = append(n.text, name...)
	n.ends = append(n.ends, len(n.text))
	n.table[s] = int32(len(n.ends))
	if 2*len(n.ends) > len(n.table) {
		n.grow()
	}
	return int32(len(n.ends)) - 1, false
}

func (n *names) grow() {
	n.table = make([]int32, 2*len(n.table))
	for i := range n.ends {
		n.table[n.slot(n.at(int32(i)))] = int32(i) + 1
	}
}
