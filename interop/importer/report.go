package importer

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"thermsim/stack/stackfile"
)

// WriteStack writes the imported project as a stack file that needs no other and that people can keep: every layer and
// material says which line it comes from, and the head says what could not be carried over.
func (r *Result) WriteStack(w io.Writer) error {
	c := r.Comments
	c.Head = append(append([]string{}, c.Head...), r.head()...)
	return stackfile.PrintCommented(w, r.Stack, c)
}

// head is the part of the comment that every import ends with.
func (r *Result) head() []string {
	var lines []string
	list := func(title string, kind NoteKind) {
		if r.Count(kind) == 0 {
			return
		}
		lines = append(lines, "", title)
		for _, n := range r.Notes {
			if n.Kind == kind {
				lines = append(lines, "  "+n.Pos.String()+": "+n.Text)
			}
		}
	}
	list("Not carried over:", NotCarried)
	list("Carried over in another form:", Adapted)
	list("To be looked at:", Warning)
	if len(r.Deviations) > 0 {
		lines = append(lines, "", fmt.Sprintf("How %s calculates otherwise (docs/guides/import.md):", r.Format.Title()))
		for _, d := range r.Deviations {
			lines = append(lines, "  "+d.Line())
		}
	}
	return lines
}

// Line is a deviation in one line.
func (d *Deviation) Line() string {
	state := "here: " + d.Instead
	if d.Emulated {
		state = "emulated"
	}
	if d.Measured {
		state += fmt.Sprintf("; that makes %.3g K at most", d.SizeK)
	}
	if d.Steps > 0 {
		state += fmt.Sprintf(" in the first %d time steps", d.Steps)
	}
	return fmt.Sprintf("%s: %s; %s", d.Name, d.What, state)
}

// WriteNotes lists the notes for a terminal, one line each with file and line first, as compilers do.
func (r *Result) WriteNotes(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, n := range r.Notes {
		fmt.Fprintln(out, n)
	}
	return out.Flush()
}

// Summary is the sentence that ends an import.
func (r *Result) Summary() string {
	var parts []string
	add := func(n int, one, many string) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(r.Count(NotCarried), "line not carried over", "lines not carried over")
	add(r.Count(Adapted), "line adapted", "lines adapted")
	add(r.Count(Warning), "warning", "warnings")
	if len(parts) == 0 {
		return "everything was carried over"
	}
	return strings.Join(parts, ", ")
}
