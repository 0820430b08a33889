// Package importer converts projects of other thermal simulators to stacks. Each simulator has a package next to this
// one that parses the simulator's files and fills a [Result]: the stack, what every line became, and how the
// simulator's numerics differ from thermsim's.
//
// This package contains what importers share: the request and the result, the collector of faults and notes, and the
// stack file that users keep ([Result.WriteStack]).
package importer

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/network"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Format is a simulator whose projects can be imported.
type Format struct {
	Name      string // on the command line: thermsim import NAME
	Title     string // the simulator's own name
	Extension string // of main input files, which steady, transient and check can run directly; "" for any
	Also      string // another extension of such files; may be empty
	Main      string // what the simulator calls its main input file
	Files     string // what a user must give
	MaxFiles  int
	// Text recognizes main files by their beginning, if others have the extension as well.
	Text *regexp.Regexp
	// NextToMain looks for relative paths next to the main file first, then in the working directory; otherwise the
	// other way round.
	NextToMain bool
	Remark     string // in the head of every stack file: the order of layers, the origin of coordinates
	Scope      Scope
	// Options are those of the simulator's command line that Convert uses; thermsim's commands offer them under the
	// same names.
	Options []Option
	// Outputs is set where a project requests output files, which package export writes.
	Outputs bool
	// Convert fills the result from the text of the main file.
	Convert func(c *Collector, main []byte)
}

// Scope lists the parts of a project by what becomes of them, separated by commas: those in the stack file, those that
// are ignored with a note, and those that are errors.
type Scope struct{ Carried, NotCarried, Refused string }

// IsMain reports whether a path names a main input file of the simulator.
func (f *Format) IsMain(path string) bool {
	e := filepath.Ext(path)
	anyText := f.Extension == "" && e != ".toml"
	return (anyText || e != "" && (strings.EqualFold(e, f.Extension) || strings.EqualFold(e, f.Also))) &&
		(f.Text == nil || f.Text.Match(beginning(path)))
}

// beginning of a file, empty for one that cannot be read.
func beginning(path string) []byte {
	const most = 1 << 16
	r, err := inputfile.Open(path)
	if err != nil {
		return nil
	}
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, most)) // its reader will complain
	return text
}

// Import reads a project. The error is a [stack.ErrorList] with the location of every fault.
func (f *Format) Import(r Request) (*Result, error) {
	if n := len(r.Files); n < 1 || n > f.MaxFiles {
		return nil, &stack.Error{Msg: fmt.Sprintf("%s project: got %d files; expected %s", f.Title, n, f.Files)}
	}
	if r.Open == nil {
		r.Open = inputfile.Read
	}
	c := newCollector(f, r)
	data, err := r.Open(r.Files[0])
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: r.Files[0]}, Msg: "cannot read the " + f.Main +
			": " + Reason(err),
			Remedy: "give the path of a " + cmp.Or(f.Extension, "text") + " file", Err: err}
	}
	c.record(r.Files[0], data)
	f.Convert(c, data)
	if c.Faults.Len() == 0 {
		if err := stack.Validate(c.Stack); err != nil {
			c.Faults.AddError(err)
		}
	}
	if err := c.Faults.Err(r.Files[0]); err != nil {
		return nil, err
	}
	return &c.Result, nil
}

// Option is an option of a simulator's command line.
type Option struct {
	Name, Short string // "ptrace", "p"
	Usage       string
	Switch      bool // takes no value; "true" where it is given
}

// Request is what to import.
type Request struct {
	Files []string          // as given, the main file first
	Named map[string]string // values of the format's options, by Option.Name
	// Compat reproduces the simulator's numerics in place of thermsim's: every deviation is emulated.
	Compat bool
	// Emulate names deviations to emulate when Compat is false; their sizes are measured one by one this way.
	Emulate []string
	// Direct solves the result without writing a stack file, so that it may have a Network.
	Direct bool
	// Served leaves powers to a client: files without powers are not a fault.
	Served bool
	Open   stackfile.Opener // reads inputs; nil is inputfile.Read
}

// Emulates reports whether the deviation of that name is to be emulated.
func (r *Request) Emulates(name string) bool { return r.Compat || slices.Contains(r.Emulate, name) }

// Result is an imported project.
type Result struct {
	Stack    *stack.Stack       // validated, ready to be meshed
	Comments stackfile.Comments // for the stack file
	Format   *Format
	Compat   bool
	// Transient is set for a transient run; its steps and time step are in Stack.Transient.
	Transient  bool
	Notes      []Note      // in the order of the files
	Deviations []Deviation // those that make a difference to this project
	// Initial is the field that a direct transient starts from, layer by layer; nil for the stack's uniform initial
	// temperature.
	Initial []stack.InitialLayer
	// Network replaces the mesh of the stack if the simulator's nodes are to be emulated and do not form a grid;
	// otherwise nil.
	Network *network.Network
	// Outputs are the output files that the project requests, a type of the format's package. Package export writes
	// them.
	Outputs any
}

// Note is a remark on a line of the project.
type Note struct {
	Kind NoteKind
	Pos  stack.Pos
	Text string
}

// NoteKind is what became of the line.
type NoteKind int

const (
	NotCarried NoteKind = iota // it has no counterpart and is omitted
	Adapted                    // it was carried over in another form
	Warning                    // the simulator accepts it silently, but it is probably not intended
)

func (k NoteKind) String() string { return [...]string{"not carried over", "adapted", "warning"}[k] }

func (n Note) String() string { return n.Pos.String() + ": " + n.Kind.String() + ": " + n.Text }

// Deviation is a difference between the simulator's numerics and thermsim's on this project.
type Deviation struct {
	Name     string    // short, for Request.Emulate and for tables: "outer-node"
	What     string    // what the simulator does, in one sentence
	Instead  string    // what thermsim does unless it emulates it
	Pos      stack.Pos // the line that causes it
	Emulated bool      // in this result
	// Field is set if it changes the temperatures; the others change the output files.
	Field bool
	// InTime is set if it changes temperatures in transients only.
	InTime bool
	// With are deviations that must be emulated as well when its size is measured: it is undefined without them.
	With []string
	// SizeK is the largest change of a temperature of this project in K, if Measured.
	SizeK    float64
	Measured bool
	// Steps is the number of first time steps in which a deviation with InTime was measured.
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
