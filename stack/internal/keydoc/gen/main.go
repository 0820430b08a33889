// Command gen brings the pages and the JSON Schemas of stack, sweep, optimisation and parts files up to date with the
// tables of keys. It runs in the folder of package stack, by go generate.
package main

import (
	"fmt"
	"os"

	"thermsim/stack/internal/keydoc"
	"thermsim/stack/internal/keys"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if err := write(keys.Stack(), "stack file", "docs/reference/stack-format.md", "configs/stack.schema.json"); err !=
		nil {
		return err
	}
	if err := write(keys.Sweep(), "sweep file", "docs/guides/sweep.md", "configs/sweep.schema.json"); err != nil {
		return err
	}
	err := write(keys.Optimise(), "optimisation file", "docs/guides/optimise.md", "configs/optimise.schema.json")
	if err != nil {
		return err
	}
	return write(keys.Parts(), "parts file", "docs/guides/import.md", "configs/parts.schema.json")
}

// write fills a page and makes a schema; their paths are those from the root of the repository.
func write(format *keys.Format, file, page, schema string) error {
	text, err := os.ReadFile("../" + page)
	if err != nil {
		return err
	}
	filled, err := keydoc.Fill(string(text), format)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile("../"+page, []byte(filled), 0o644); err != nil {
		return err
	}
	made, err := keydoc.Schema(format, file, page)
	if err != nil {
		return err
	}
	return os.WriteFile("../"+schema, made, 0o644)
}
