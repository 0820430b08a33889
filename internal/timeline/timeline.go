// Package timeline notes when the parts of a run began and how long they took, for people who want to know where the
// time of a process goes.
package timeline

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Span is one part of a run.
type Span struct {
	Name  string
	Start time.Duration // since the start of the log
	Took  time.Duration
}

// Log collects spans, which may overlap; several goroutines may add to it. A nil Log takes none.
type Log struct {
	start time.Time
	mu    sync.Mutex
	spans []Span
}

// New starts a log that counts from a time.
func New(start time.Time) *Log { return &Log{start: start} }

// Begin begins a part, which lasts until end is called.
func (l *Log) Begin(name string) (end func()) {
	if l == nil {
		return func() {}
	}
	begun := time.Now()
	return func() { l.Add(name, begun, time.Since(begun)) }
}

// Add notes a part that is over.
func (l *Log) Add(name string, begun time.Time, took time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spans = append(l.spans, Span{name, begun.Sub(l.start), took})
}

// Spans are those noted until now, by their start; of equal starts the longest comes first.
func (l *Log) Spans() []Span {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := slices.Clone(l.spans)
	slices.SortStableFunc(s, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Took, a.Took))
	})
	return s
}
