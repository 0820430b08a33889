// Package timeline records when the parts of a run began and how long they took, to show where the time is spent.
package timeline

import (
	"cmp"
	"encoding/json"
	"io"
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

// Log collects spans, which may overlap. It is safe for concurrent use. A nil Log records nothing.
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

// Add records a part that has ended.
func (l *Log) Add(name string, begun time.Time, took time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spans = append(l.spans, Span{name, begun.Sub(l.start), took})
}

// Spans are those recorded so far, by start time; for equal starts the longest comes first.
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

// event is a complete event of the Trace Event Format, which chrome://tracing and Perfetto show. Times are in
// microseconds.
type event struct {
	Name  string  `json:"name"`
	Phase string  `json:"ph"`
	Start float64 `json:"ts"`
	Took  float64 `json:"dur"`
	PID   int     `json:"pid"`
	TID   int     `json:"tid"`
}

// trace is a file of that format. StartedS is when the log began, in seconds of Unix time.
type trace struct {
	Events   []event `json:"traceEvents"`
	Unit     string  `json:"displayTimeUnit"`
	StartedS float64 `json:"started_s"`
}

// WriteJSON writes all spans. Spans that overlap without nesting are put into separate rows.
func (l *Log) WriteJSON(w io.Writer) error {
	t := trace{Unit: "ms", Events: []event{}}
	if l != nil {
		t.StartedS = float64(l.start.UnixNano()) / 1e9
	}
	var rows [][]Span // open spans of each row, outermost first
	for _, s := range l.Spans() {
		row := 0
		for ; row < len(rows) && !fits(&rows[row], s); row++ {
		}
		if row == len(rows) {
			rows = append(rows, nil)
		}
		rows[row] = append(rows[row], s)
		t.Events = append(t.Events, event{s.Name, "X", micro(s.Start), micro(s.Took), 1, row + 1})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(t)
}

// fits drops the ended spans of a row, and reports whether s lies within the innermost of the others.
func fits(row *[]Span, s Span) bool {
	open := *row
	for len(open) > 0 && open[len(open)-1].end() <= s.Start {
		open = open[:len(open)-1]
	}
	*row = open
	return len(open) == 0 || s.end() <= open[len(open)-1].end()
}

func (s Span) end() time.Duration { return s.Start + s.Took }

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
