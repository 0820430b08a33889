// Command homogenise measures the formulas for effective materials: it solves mixtures with every inclusion resolved,
// cells far finer than a via, and prints how far each formula lies off. Its tables stand in docs/effective-materials.md
// between the markers of their names:
//
//	go run ./tools/homogenise docs/effective-materials.md
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"thermsim/stack"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: homogenise FILE.md")
		os.Exit(2)
	}
	if err := fill(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fill measures, and writes the tables into a page.
func fill(ctx context.Context, path string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(page)
	for _, t := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"arrays", func(w io.Writer) error { return arrayTable(ctx, w, 256) }},
		{"discs", func(w io.Writer) error {
			return randomTable(ctx, w, stack.Cylinders, discs, []float64{0.1, 0.2, 0.3, 0.4}, 256)
		}},
		{"pixels", func(w io.Writer) error {
			return randomTable(ctx, w, stack.Pattern, pixels, []float64{0.2, 0.35, 0.5, 0.65, 0.8}, 256)
		}},
		{"joints", func(w io.Writer) error { return jointTable(ctx, w) }},
	} {
		var b strings.Builder
		if err := t.write(&b); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		before, rest, found := strings.Cut(text, "<!-- measured: "+t.name+" -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !found || !ended {
			return fmt.Errorf("%s has no place for the table %s", path, t.name)
		}
		text = before + "<!-- measured: " + t.name + " -->\n" + b.String() + "<!-- end -->" + after
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
