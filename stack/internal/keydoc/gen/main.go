// Command gen brings docs/stack-format.md and configs/stack.schema.json up to date with the table of keys. It runs in the
// folder of package stack, by go generate.
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
	const pageFile = "../docs/stack-format.md"
	format := keys.New()
	page, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	filled, err := keydoc.Fill(string(page), format)
	if err != nil {
		return fmt.Errorf("%s: %w", pageFile, err)
	}
	if err := os.WriteFile(pageFile, []byte(filled), 0o644); err != nil {
		return err
	}
	schema, err := keydoc.Schema(format)
	if err != nil {
		return err
	}
	return os.WriteFile("../configs/stack.schema.json", schema, 0o644)
}
