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
	mu     sync.Mutex
	used   []use
	shared *store // nil before the first use
}

// store holds the arrays that are free.
type store struct {
	mu   sync.Mutex
	free map[kind][]array
}

// Sibling is a list that shares free arrays with l.
func (l *List) Sibling() *List { return &List{shared: l.store()} }

func (l *List) store() *store {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared == nil {
		l.shared = &store{free: map[kind][]array{}}
	}
	return l.shared
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
type array interface{ pointer() (p any, alive bool) }

type first[T any] struct{ weak.Pointer[T] }

func (f first[T]) pointer() (p any, alive bool) {
	v := f.Value()
	return v, v != nil
}

func dead(a array) bool {
	_, alive := a.pointer()
	return !alive
}

// Make returns n zero values, in memory that Renew has set free where there is some of that type and length.
func Make[T any](l *List, n int) []T {
	if l == nil || n == 0 {
		return make([]T, n)
	}
	k := kind{reflect.TypeFor[T](), n}
	var v []T
	if a, ok := l.store().take(k); ok {
		v = unsafe.Slice(a.(*T), n)
		clear(v)
	} else {
		v = make([]T, n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.used) == cap(l.used) {
		l.used = slices.DeleteFunc(l.used, func(u use) bool { return dead(u.array) })
	}
	l.used = append(l.used, use{k, first[T]{weak.Make(&v[0])}})
	return v
}

// take returns the first element of a free array, by pointer.
func (s *store) take(k kind) (pointer any, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for free := s.free[k]; len(free) > 0; {
		last := len(free) - 1
		a := free[last]
		free = free[:last]
		s.free[k] = free
		if p, alive := a.pointer(); alive {
			return p, true
		}
	}
	return nil, false
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
	s := l.store()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range l.used {
		s.free[u.kind] = append(s.free[u.kind], u.array)
	}
	clear(l.used)
	l.used = l.used[:0]
	for k, free := range s.free {
		if s.free[k] = slices.DeleteFunc(free, dead); len(s.free[k]) == 0 {
			delete(s.free, k)
		}
	}
}
