// Package exit holds the exit statuses of thermsim: which status an error leads to, and the help that lists them.
package exit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/ranks"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/checkpoint"
	"thermsim/report/saved"
	"thermsim/stack"
	"thermsim/study/converge"
	"thermsim/study/fit"
	"thermsim/study/optimise"
	"thermsim/study/reducedmodel/reduce"
	"thermsim/study/response"
	"thermsim/study/sensitivity"
	"thermsim/study/sweep"
)

// Exit statuses.
const (
	Done         = 0
	Internal     = 1 // not caused by input, such as a full disk; a case of verify that fails
	Input        = 2
	NotConverged = 3
	Device       = 4
	TooHot       = 5
	Runaway      = 6
	Interrupted  = 130
)

// OfRuns are the statuses of the commands that solve a stack and write its results.
var OfRuns = Statuses("0", "1 internal failure, a rank was lost, or a file could not be written",
	"2 usage error, invalid input, or with --strict a warning; nothing was written",
	"3 not converged, or energy imbalance above its limit; the best field was written",
	"4 device failure: no GPU where one was demanded, or not enough memory",
	"5 hotter than --tmax or a tmax of the stack file; the files were written",
	"6 thermal runaway: no stable state; the state written is the last one that is",
	"130 interrupted; a steady run writes nothing, a transient its finished steps")

// usualMeaning of statuses, in the help.
var usualMeaning = map[string]string{
	"0": "done", "1": "internal failure, or a file could not be written",
	"2": "usage error or invalid input; nothing was written",
	"3": "a solve did not converge; nothing was written", "4": "device failure, or not enough memory",
	"130": "interrupted; nothing was written", "134": "crash (SIGABRT): a bug in thermsim, or out of memory",
}

// HelpKey is the annotation of a command that lists its exit statuses, one a line.
const HelpKey = "thermsim_exit"

// Statuses annotates a command with the statuses that it can return. Each entry is a status, and its meaning where that
// is not the usual.
func Statuses(list ...string) map[string]string {
	var b strings.Builder
	for _, entry := range append(list, "134") {
		status, meaning, _ := strings.Cut(entry, " ")
		fmt.Fprintf(&b, "  %-4s %s\n", status, cmp.Or(meaning, usualMeaning[status]))
	}
	return map[string]string{HelpKey: b.String()}
}

// statusError is an error with the exit status it leads to.
type statusError struct {
	Status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// ExitStatus is sent to the other ranks of a run.
func (e *statusError) ExitStatus() int { return e.Status }

func With(status int, err error) error { return &statusError{status, err} }

// UnlessStated gives a status to an error without one.
func UnlessStated(status int, err error) error {
	if own := (*statusError)(nil); errors.As(err, &own) {
		return err
	}
	return With(status, err)
}

// Usagef is an error in what the user asked for.
func Usagef(format string, args ...any) error {
	return With(Input, fmt.Errorf(format, args...))
}

// Status is the status of an error: an explicit one, or that of its kind.
func Status(err error) int {
	var own *statusError
	var silent Quiet
	switch {
	case err == nil:
		return Done
	case errors.As(err, &own):
		return own.Status
	case FailureOf(err) != nil:
		return max(Internal, FailureOf(err).Status)
	case errors.As(err, &silent):
		return int(silent)
	}
	for _, k := range kinds {
		if slices.ContainsFunc(k.errors, func(kind error) bool { return errors.Is(err, kind) }) {
			return k.status
		}
	}
	if IsInputError(err) {
		return Input
	}
	return Internal
}

// kinds of errors that have a status; of several in an error the first counts.
var kinds = []struct {
	status int
	errors []error
}{
	{Interrupted, []error{context.Canceled}},
	{Device, []error{gpusolve.ErrDevice}},
	{Runaway, []error{gpusolve.ErrRunaway, converge.ErrRunaway}},
	{NotConverged, []error{gpusolve.ErrUnsettled, converge.ErrNotConverged, reduce.ErrNotConverged,
		response.ErrNotConverged, sensitivity.ErrConverged}},
	{Input, []error{gpusolve.ErrOption, gpusolve.ErrNoCheckpoint, gpusolve.ErrOtherRun, gpusolve.ErrSingular,
		matrix.ErrMatrix, saved.ErrDamaged, saved.ErrBroken, staging.ErrTaken, staging.ErrName, report.ErrIncomparable,
		reduce.ErrRefused, sensitivity.ErrCoolant, sensitivity.ErrNoInput, sensitivity.ErrObjective,
		sensitivity.ErrSides, sensitivity.ErrKey, fit.ErrData, optimise.ErrPart, optimise.ErrFull,
		sweep.ErrIncomplete, sweep.ErrOther,
		checkpoint.ErrChanged, checkpoint.ErrDamaged, checkpoint.ErrOrder}},
}

// NothingWritten is the error of a run that the user interrupted, where err is that of its context.
func NothingWritten(err error) error {
	if errors.Is(err, context.Canceled) {
		return With(Interrupted, errors.New("interrupted; nothing was written"))
	}
	return err
}

// IsInputError reports whether an input file is at fault, in which case the message starts with the place.
func IsInputError(err error) bool {
	var list stack.ErrorList
	var one *stack.Error
	return errors.As(err, &list) || errors.As(err, &one)
}

// Quiet is the exit status of a rank whose error another rank reports.
type Quiet int

func (q Quiet) Error() string   { return fmt.Sprintf("exit status %d", int(q)) }
func (q Quiet) ExitStatus() int { return int(q) }

// FailureOf is the failure of a group in an error, nil where there is none.
func FailureOf(err error) *ranks.Failure {
	var f *ranks.Failure
	errors.As(err, &f)
	return f
}
