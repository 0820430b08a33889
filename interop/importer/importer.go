// Package importer brings projects of other thermal simulators into thermsim's model. Each simulator has a package of
// its own below this one, which reads the simulator's files with a real parser and hands back a [Result]: the stack,
// what every line became, and how the simulator's arithmetic differs from thermsim's.
//
// This package holds what importers share: the request and the result, the collector of faults, and the file that
// people keep ([Result.WriteStack]).
package importer

import (
	"slices"

	"thermsim/interop/network"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Format is a simulator whose projects can be imported.
type Format interface {
	// Name stands on the command line: thermsim import NAME.
	Name() string
	// Title is the simulator's own name.
	Title() string
	// Options are those of the simulator's command line that Import understands; thermsim's commands offer them under
	// the same names.
	Options() []Option
	// Main reports whether a path names this simulator's main input file, so that steady, transient and check can run
	// it directly.
	Main(path string) bool
	// Import reads a project. The error is a [stack.ErrorList] that tells every fault with its place.
	Import(Request) (*Result, error)
}

// Option is an option of a simulator's command line.
type Option struct {
	Name, Short string // "ptrace", "p"
	Usage       string
}

// Request says what to import.
type Request struct {
	Files []string          // as given, the main file first
	Named map[string]string // values of the format's options, by Option.Name
	// Compat asks for the simulator's arithmetic in place of thermsim's: every deviation is emulated.
	Compat bool
	// Emulate names deviations to emulate where Compat is false; measuring their sizes one by one needs it.
	Emulate []string
	// Direct says that the result is solved and not written as a stack file, so that it may come with a Network.
	Direct bool
	// Served says that powers come while it runs: none in the files is no fault.
	Served bool
	Open   stackfile.Opener // reads inputs; nil stands for inputfile.Read
}

// Emulates reports whether the deviation of that name is to be emulated.
func (r *Request) Emulates(name string) bool { return r.Compat || slices.Contains(r.Emulate, name) }

// Result is an imported project.
type Result struct {
	Stack    *stack.Stack       // validated, ready to be meshed
	Comments stackfile.Comments // for the stack file
	Format   Format
	Compat   bool
	// Transient tells that the project describes a transient run; steps and time step then stand in Stack.Transient.
	Transient  bool
	Notes      []Note      // in the order of the files
	Deviations []Deviation // those that make a difference to this project
	// Initial is the field that a direct transient starts from, layer by layer; nil for the stack's uniform initial
	// temperature.
	Initial []stack.InitialLayer
	// Network stands in for the mesh of the stack, where the simulator's nodes are none of a grid's and are to be
	// emulated; nil otherwise.
	Network *network.Network
	// Outputs is what the project asks to be written, in the terms of the format's package. Package exporter knows what
	// to do with it.
	Outputs any
}

// Note is a remark on a line of the project.
type Note struct {
	Kind NoteKind
	Pos  stack.Pos
	Text string
}

// NoteKind says what became of the line.
type NoteKind int

const (
	NotCarried NoteKind = iota // it has no counterpart and is left out
	Adapted                    // it was carried over in another form
	Warning                    // the simulator takes it without a word, though it can hardly be meant
)

func (k NoteKind) String() string { return [...]string{"not carried over", "adapted", "warning"}[k] }

func (n Note) String() string { return n.Pos.String() + ": " + n.Kind.String() + ": " + n.Text }

// Deviation is a way in which the simulator's arithmetic differs from thermsim's on this project.
type Deviation struct {
	Name     string    // short, for Request.Emulate and for tables: "outer-node"
	What     string    // what the simulator does, in one sentence
	Instead  string    // what thermsim does unless it emulates it
	Pos      stack.Pos // the line that brings it in
	Emulated bool      // in this result
	// Field tells that it changes the temperatures; the others change what is written about them.
	Field bool
	// InTime tells that it changes temperatures in transients only.
	InTime bool
	// With names deviations that are emulated beside it where its size is measured: it makes no sense without them.
	With []string
	// SizeK is how far it changes a temperature of this project, in K, where that was measured.
	SizeK    float64
	Measured bool
	// Steps is the number of first time steps in which a deviation that is InTime was measured.
	Steps int
}

// Count is the number of notes of a kind.
func (r *Result) Count(kind NoteKind) int {
	n := 0
	for _, note := range r.Notes {
		if note.Kind == kind {
			n++
		}
	}
	return n
}
