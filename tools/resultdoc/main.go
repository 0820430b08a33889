// Command resultdoc describes summary.json from the Go types that write it: fields by reflection, meanings from
// comments. It generates configs/summary.schema.json and the tables of docs/reference/summary.md. It runs in the folder
// of package report/summary, by go generate.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "resultdoc:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	tables, err := Tables(root)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(root + "/docs/reference/summary.md")
	if err != nil {
		return err
	}
	filled, err := Fill(string(page), tables)
	if err != nil {
		return err
	}
	if err := os.WriteFile(root+"/docs/reference/summary.md", []byte(filled), 0o644); err != nil {
		return err
	}
	schema, err := Schema(tables)
	if err != nil {
		return err
	}
	return os.WriteFile(root+"/configs/summary.schema.json", schema, 0o644)
}
