// Command gen writes docs/guides/python.ipynb.
package main

import (
	"log"
	"os"

	"thermsim/tools/notebook"
)

func main() {
	page, err := os.ReadFile("../../docs/guides/python.md")
	if err != nil {
		log.Fatal(err)
	}
	text, err := notebook.Make(string(page))
	if err == nil {
		err = os.WriteFile("../../docs/guides/python.ipynb", text, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
