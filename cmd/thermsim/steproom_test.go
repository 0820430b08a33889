package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/memory"
	"thermsim/report"
)

// What a run keeps grows with its steps, with what was asked for, and with the columns and planes of that.
func TestRoomForSteps(t *testing.T) {
	_, m := tinyMesh(t)
	plain := bytesPerStep(m, report.OutputOptions{}, false)
	for name, more := range map[string]float64{
		"page":   bytesPerStep(m, report.OutputOptions{Page: true}, false),
		"last":   bytesPerStep(m, report.OutputOptions{SaveLast: true}, false),
		"traces": bytesPerStep(m, report.OutputOptions{}, true),
	} {
		if more <= plain {
			t.Errorf("%s: %g bytes a step, without %g", name, more, plain)
		}
	}
	if all, last := bytesPerStep(m, report.OutputOptions{SaveAll: true}, false),
		bytesPerStep(m, report.OutputOptions{SaveLast: true}, false); all-last < 100*float64(m.NZ()) {
		t.Errorf("every step saved: %g bytes a step, the last alone: %g", all, last)
	}
	solve := float64(memory.OfSystem(m, "", true, false).Peak())
	free := solve + maximaBytes(m) + 1000*plain
	if err := roomForSteps(m, 1000, report.OutputOptions{}, false, free); err != nil {
		t.Errorf("a thousand steps that fit: %v", err)
	}
	if err := roomForSteps(m, math.MaxInt32, report.OutputOptions{}, false, 0); err != nil {
		t.Errorf("on a system that does not tell its memory: %v", err)
	}
	err := roomForSteps(m, 1001, report.OutputOptions{}, false, free)
	var own *exitError
	if !errors.As(err, &own) || own.status != exitDevice || !strings.Contains(err.Error(), "at most --steps 1000") {
		t.Errorf("a step too many: %v", err)
	}
	if err = roomForSteps(m, 1, report.OutputOptions{}, false, solve/2); err == nil {
		t.Error("a step beside a solve that does not fit")
	}
	everySecond := report.OutputOptions{Formats: []string{"raw", "csv"},
		FileSteps: []report.StepRange{{From: 2, To: 1000, Every: 2}}}
	if err = roomForSteps(m, 1000, everySecond, false, free+1500*fieldFileBytes); err != nil {
		t.Errorf("three files of every second step, which fit: %v", err)
	}
	if err = roomForSteps(m, 1000, everySecond, false, free+1499*fieldFileBytes); err == nil {
		t.Error("three files of every second step, which do not fit")
	}
	m.Stack.Solver.Device = "gpu:0"
	if err = roomForSteps(m, 1000, report.OutputOptions{}, false, maximaBytes(m)+1000*plain); err != nil {
		t.Errorf("on a GPU the cells take no memory here: %v", err)
	}
}

// Lists of steps are ranges, however long.
func TestStepRanges(t *testing.T) {
	for text, want := range map[string][]int{"all": {1, 2, 3, 4, 5, 6, 7, 8, 9}, "2,5": {2, 5}, "3:6": {3, 4, 5, 6},
		"1:9:4,2": {1, 2, 5, 9}} {
		var s stepList
		if err := s.Set(text); err != nil {
			t.Fatal(err)
		}
		list, err := s.ranges(9)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for n := range 12 {
			for _, r := range list {
				if r.Has(n) {
					got = append(got, n)
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: steps %v, want %v", text, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: steps %v, want %v", text, got, want)
			}
		}
	}
	long := stepList{}
	if err := long.Set("1:2000000000:3"); err != nil {
		t.Fatal(err)
	}
	if list, err := long.ranges(2_000_000_000); err != nil || len(list) != 1 || !list[0].Has(1_999_999_999) ||
		list[0].Has(2_000_000_000) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := long.ranges(9); exitStatus(err) != exitInput {
		t.Errorf("beyond the run: %v", err)
	}
}
