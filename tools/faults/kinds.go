//go:build linux && amd64

package main

import (
	"slices"
	"syscall"
)

// fault is a way in which an operation fails.
type fault struct {
	name    string
	on      []string // kinds of operations; none for all
	changes bool     // only operations that change something
	verdict verdict
	// lasting faults affect all such operations from the chosen one on; with anything, all operations below the work
	// folder.
	lasting  bool
	anything bool
	// transparent faults, as a read of half of the bytes, must change nothing.
	transparent bool
}

var faults = []fault{
	{name: "input or output error", verdict: verdict{fails: syscall.EIO}},
	{name: "permission denied", on: []string{opOpen, opCreate, opRename, opMkdir, opRemove, opStat},
		verdict: verdict{fails: syscall.EACCES}},
	{name: "too many open files", on: []string{opOpen, opCreate}, verdict: verdict{fails: syscall.EMFILE}},
	{name: "no space left", on: []string{opCreate, opWrite, opMkdir, opSync, opRename},
		verdict: verdict{fails: syscall.ENOSPC}},
	{name: "disk full from here on", on: []string{opCreate, opWrite, opMkdir}, verdict: verdict{fails: syscall.ENOSPC},
		lasting: true},
	{name: "read-only from here on", on: []string{opCreate, opWrite, opMkdir, opRename, opRemove, opTruncate},
		verdict: verdict{fails: syscall.EROFS}, lasting: true},
	{name: "disk lost from here on", changes: true, verdict: verdict{fails: syscall.EIO}, lasting: true,
		anything: true},
	{name: "half of the bytes", on: []string{opRead, opWrite}, verdict: verdict{short: true}, transparent: true},
	{name: "call interrupted", on: []string{opOpen, opCreate, opRead, opWrite, opSync},
		verdict: verdict{fails: syscall.EINTR}, transparent: true},
	{name: "SIGTERM", changes: true, verdict: verdict{sends: syscall.SIGTERM}},
	{name: "SIGKILL", changes: true, verdict: verdict{sends: syscall.SIGKILL}},
}

// concerns reports whether a fault can begin at an operation.
func (f *fault) concerns(o operation) bool {
	switch {
	case len(f.on) > 0 && !slices.Contains(f.on, o.Kind), f.changes && !o.changes():
		return false
	case f.lasting || f.changes:
		return o.ours() && o.Name != "stdout" && o.Name != "stderr"
	case f.verdict.short:
		return o.size > 1
	}
	return true
}

// affects reports whether a lasting fault that has begun concerns a later operation.
func (f *fault) affects(o operation) bool {
	if o.Name == "stdout" || o.Name == "stderr" {
		return false
	}
	return f.lasting && o.ours() && (f.anything || slices.Contains(f.on, o.Kind))
}

// abrupt reports whether the next command may have to clean up after the fault.
func (f *fault) abrupt() bool { return f.verdict.sends == syscall.SIGKILL || f.lasting }
