package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// ledger counts the memory that was taken since it was opened, so that it can be given back at once. As a scope it
// lists the arrays too.
type ledger struct {
	s      *Space
	bytes  int64
	arrays *reuse.List // nil outside of scopes
}

// Scope counts what body takes by itself.
func (s *Space) Scope(body func() error) (ops.Scope, error) {
	own := &ledger{s: s, arrays: new(reuse.List)}
	s.all[own] = true
	return own, own.run(body)
}

func (l *ledger) run(body func() error) error {
	outer := l.s.ledger
	l.s.ledger = l
	defer func() { l.s.ledger = outer }()
	return body()
}

// Remake lets body use the scope's arrays again.
func (l *ledger) Remake(body func() error) error {
	l.s.book(l, -l.bytes)
	l.arrays.Renew()
	return l.run(body)
}

// Close forgets the memory; the collector takes it when the last reference goes.
func (l *ledger) Close() {
	l.s.book(l, -l.bytes)
	delete(l.s.all, l)
}

// Arrays is where methods make their arrays, those too that they use in passing: a scope that is remade finds them
// again.
func (s *Space) Arrays() *reuse.List { return s.ledger.arrays }
