package timeline

import (
	"encoding/json"
	"io"
	"time"
)

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

// WriteJSON writes all spans. Those that overlap without one lying within the other go to rows of their own.
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

// fits drops the spans of a row that are over, and says whether s lies within the innermost of the others.
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
