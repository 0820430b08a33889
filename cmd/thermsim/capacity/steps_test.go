package capacity

import (
	"math"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
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
	if err := ForSteps(m, 1000, report.OutputOptions{}, false, free); err != nil {
		t.Errorf("a thousand steps that fit: %v", err)
	}
	if err := ForSteps(m, math.MaxInt32, report.OutputOptions{}, false, 0); err != nil {
		t.Errorf("on a system that does not tell its memory: %v", err)
	}
	err := ForSteps(m, 1001, report.OutputOptions{}, false, free)
	if exit.Status(err) != exit.Device || !strings.Contains(err.Error(), "--steps 1000 or fewer") {
		t.Errorf("a step too many: %v", err)
	}
	if err = ForSteps(m, 1, report.OutputOptions{}, false, solve/2); err == nil {
		t.Error("a step beside a solve that does not fit")
	}
	everySecond := report.OutputOptions{Formats: []string{"raw", "csv"},
		FileSteps: []report.StepRange{{From: 2, To: 1000, Every: 2}}}
	if err = ForSteps(m, 1000, everySecond, false, free+1500*fieldFileBytes); err != nil {
		t.Errorf("three files of every second step, which fit: %v", err)
	}
	if err = ForSteps(m, 1000, everySecond, false, free+1499*fieldFileBytes); err == nil {
		t.Error("three files of every second step, which do not fit")
	}
	m.Stack.Solver.Device = "gpu:0"
	if err = ForSteps(m, 1000, report.OutputOptions{}, false, maximaBytes(m)+1000*plain); err != nil {
		t.Errorf("on a GPU the cells take no memory here: %v", err)
	}
}
