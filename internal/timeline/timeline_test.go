package timeline

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// Spans within others share their row; those that merely overlap do not.
func TestRows(t *testing.T) {
	start := time.Unix(100, 0)
	l := New(start)
	add := func(name string, from, to int) {
		l.Add(name, start.Add(time.Duration(from)*time.Millisecond), time.Duration(to-from)*time.Millisecond)
	}
	add("inner", 2, 4)
	add("whole", 0, 10)
	add("beside", 3, 12)
	add("next", 4, 5)
	add("after", 13, 14)
	var b bytes.Buffer
	if err := l.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got trace
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := []event{{"whole", "X", 0, 10e3, 1, 1}, {"inner", "X", 2e3, 2e3, 1, 1}, {"beside", "X", 3e3, 9e3, 1, 2},
		{"next", "X", 4e3, 1e3, 1, 1}, {"after", "X", 13e3, 1e3, 1, 1}}
	if len(got.Events) != len(want) || got.StartedS != 100 {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got.Events[i] != want[i] {
			t.Errorf("event %d is %+v, want %+v", i, got.Events[i], want[i])
		}
	}
}

// A log that nobody asked for takes nothing.
func TestNil(t *testing.T) {
	var l *Log
	l.Begin("a")()
	if l.Spans() != nil {
		t.Error("a nil log has spans")
	}
	if n := testing.AllocsPerRun(10, func() { l.Begin("a")() }); n != 0 {
		t.Errorf("a nil log allocates %g times", n)
	}
}
