package main

import (
	"context"
	"errors"
	"fmt"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/staging"
	"thermsim/report/saved"
	"thermsim/stack"
)

// Exit statuses.
const (
	exitDone         = 0
	exitInternal     = 1 // what is nobody's input, such as a full disk; a case of verify that fails
	exitInput        = 2
	exitNotConverged = 3
	exitDevice       = 4
	exitTooHot       = 5
	exitRunaway      = 6
	exitInterrupted  = 130
)

// exitHelp ends the help of the commands that solve.
const exitHelp = `
EXIT STATUS
===========

  0    done
  1    internal failure, a rank that was lost, or a file could not be written
  2    wrong usage, invalid input, or with --strict a warning; nothing was written,
       but for a warning about the result
  3    not converged, or energy imbalance above its limit; the best field was
       written
  4    device failure: no GPU where one was demanded, or not enough memory
  5    hotter than --tmax or a tmax of the stack file; the files were written
  6    thermal runaway: with its leakage the stack has no stable state; what was
       written is the largest power that has one, or a transient up to the runaway
  130  interrupted; a steady run writes nothing, a transient what was finished
` + crashHelp

// crashHelp is the last line of EXIT STATUS of every command.
const crashHelp = `  134  crash (SIGABRT): a fault of thermsim, or memory ran out
`

// exitError is an error with the exit status it leads to.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// ExitStatus is what other ranks of a run are told.
func (e *exitError) ExitStatus() int { return e.status }

func withStatus(status int, err error) error { return &exitError{status, err} }

// unlessStated gives a status to an error that has none of its own.
func unlessStated(status int, err error) error {
	if own := (*exitError)(nil); errors.As(err, &own) {
		return err
	}
	return withStatus(status, err)
}

// usagef is an error in what the user asked for.
func usagef(format string, args ...any) error {
	return withStatus(exitInput, fmt.Errorf(format, args...))
}

// exitStatus finds the status of an error: its own, or the one its kind stands for.
func exitStatus(err error) int {
	var own *exitError
	var silent quiet
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &own):
		return own.status
	case failureOf(err) != nil:
		return max(exitInternal, failureOf(err).Status)
	case errors.As(err, &silent):
		return int(silent)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, gpusolve.ErrDevice):
		return exitDevice
	case errors.Is(err, gpusolve.ErrRunaway):
		return exitRunaway
	case errors.Is(err, gpusolve.ErrUnsettled):
		return exitNotConverged
	case errors.Is(err, gpusolve.ErrOption), errors.Is(err, gpusolve.ErrNoCheckpoint),
		errors.Is(err, gpusolve.ErrOtherRun), errors.Is(err, gpusolve.ErrSingular), errors.Is(err, matrix.ErrMatrix),
		errors.Is(err, saved.ErrDamaged), errors.Is(err, saved.ErrBroken), errors.Is(err, staging.ErrTaken),
		isInputError(err):
		return exitInput
	}
	return exitInternal
}

// isInputError reports whether an input file is at fault, in which case the message starts with the place.
func isInputError(err error) bool {
	var list stack.ErrorList
	var one *stack.Error
	var matrix *matrixmarket.Error
	var grid *netlist.Error
	return errors.As(err, &list) || errors.As(err, &one) || errors.As(err, &matrix) || errors.As(err, &grid)
}
