// Command gen brings configs/summary.schema.json and docs/reference/summary.md up to date with the types of package
// report/summary. It runs in the folder of that package, by go generate.
package main

import (
	"fmt"
	"os"

	"thermsim/tools/resultdoc"
)

func main() {
	if err := run("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "resultdoc:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	tables, err := resultdoc.Tables(root)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(root + "/docs/reference/summary.md")
	if err != nil {
		return err
	}
	filled, err := resultdoc.Fill(string(page), tables)
	if err != nil {
		return err
	}
	if err := os.WriteFile(root+"/docs/reference/summary.md", []byte(filled), 0o644); err != nil {
		return err
	}
	schema, err := resultdoc.Schema(tables)
	if err != nil {
		return err
	}
	return os.WriteFile(root+"/configs/summary.schema.json", schema, 0o644)
}
