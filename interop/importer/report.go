package importer

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"thermsim/stack/stackfile"
)

// WriteStack writes the imported project as a self-contained stack file: every layer and material has the line it comes
// from, and the head lists what could not be carried over.
func (r *Result) WriteStack(w io.Writer) error {
	c := r.Comments
	c.Head = slices.Concat(c.Head, r.head())
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
	list("To be checked:", Warning)
	if len(r.Deviations) > 0 {
		lines = append(lines, "", fmt.Sprintf("Numerics of %s that differ (docs/guides/import.md):", r.Format.Title))
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
		state += fmt.Sprintf("; effect: up to %.3g K", d.SizeK)
	}
	if d.Steps > 0 {
		state += fmt.Sprintf(" in the first %d time steps", d.Steps)
	}
	return fmt.Sprintf("%s: %s; %s", d.Name, d.What, state)
}

// Summary is the sentence that ends an import.
func (r *Result) Summary() string {
	var parts []string
	add := func(kind NoteKind, what, result string) {
		if n := r.Count(kind); n > 0 {
			parts = append(parts, Plural(n, what)+result)
		}
	}
	add(NotCarried, "line", " not carried over")
	add(Adapted, "line", " adapted")
	add(Warning, "warning", "")
	if len(parts) == 0 {
		return "everything was carried over"
	}
	return strings.Join(parts, ", ")
}

// Plural is a count with its noun.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
