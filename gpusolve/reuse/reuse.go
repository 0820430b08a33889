// Package reuse makes arrays again in the memory of those that are no longer needed.
package reuse

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"
	"weak"
)

// List knows the arrays that were made by it, by type and length, and keeps none of them alive: the garbage collector
// may take arrays without other references. So a list costs no memory, and temporary arrays can be used again until the
// next collection. It may be used by several goroutines. A nil list makes new arrays only.
type List struct {
	mu   sync.Mutex
	used []use
	free map[kind][]array
}

// kind is what arrays must agree in.
type kind struct {
	element reflect.Type
	n       int
}

// use is an array that was given out since the last Renew.
type use struct {
	kind
	array
}

// array refers to the first element.
type array interface{ alive() bool }

type first[T any] struct{ weak.Pointer[T] }

func (f first[T]) alive() bool { return f.Value() != nil }

// Make returns n zero values, in memory that Renew has set free where there is some of that type and length.
func Make[T any](l *List, n int) []T {
	if l == nil || n == 0 {
		return make([]T, n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := kind{reflect.TypeFor[T](), n}
	for free := l.free[k]; len(free) > 0; {
		last := len(free) - 1
		a := free[last]
		free = free[:last]
		l.free[k] = free
		if p := a.(first[T]).Value(); p != nil {
			l.used = append(l.used, use{k, a})
			v := unsafe.Slice(p, n)
			clear(v)
			return v
		}
	}
	v := make([]T, n)
	l.used = append(l.used, use{k, first[T]{weak.Make(&v[0])}})
	return v
}

// Append is append for arrays that grow by steps that are not known before: it doubles their room, so that the next
// time round there are some of the same length.
func Append[T any](l *List, v []T, more ...T) []T {
	if need := len(v) + len(more); need > cap(v) {
		capacity := 1024
		for capacity < need {
			capacity *= 2
		}
		v = append(Make[T](l, capacity)[:0], v...)
	}
	return append(v, more...)
}

// Renew sets all arrays free that were given out before. None of them may be in use any more.
func (l *List) Renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == nil {
		l.free = map[kind][]array{}
	}
	for _, u := range l.used {
		l.free[u.kind] = append(l.free[u.kind], u.array)
	}
	clear(l.used)
	l.used = l.used[:0]
	for k, free := range l.free {
		free = slices.DeleteFunc(free, func(a array) bool { return !a.alive() })
		if l.free[k] = free; len(free) == 0 {
			delete(l.free, k)
		}
	}
}
