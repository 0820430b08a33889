package report

import (
	"context"

	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
)

// Recorder takes part in a run: it is shown the field once per step, and has staged its files when Finish returns. The
// transaction that holds the files commits or aborts them all.
type Recorder interface {
	// Reads says whether Step is going to read the field of step n, beyond the statistics of the recording's Regions.
	Reads(n int) bool
	// Step takes the field at the end of step n, from 1 and ascending. A steady state is step 0 at time 0.
	Step(n int, step solution.Step, f solution.Field) error
	// Finish ends the recording: the run is solved, and its summary made.
	Finish(ctx context.Context, e *End) error
}

// End is what is known when a run has been solved.
type End struct {
	Run     *Run
	Summary *summary.Summary
	// N is the last step and Step what is known of it; 0 in a steady state. Field is how it ends.
	N     int
	Step  solution.Step
	Field solution.Field
	// History is how the error fell.
	History []HistoryPoint
}
