// Command gen writes docs/guides/python.ipynb.
package main

import (
	"log"
	"os"

	"thermsim/tools/notebook"
)

func main() {
	text, err := notebook.OfPython("../../docs/guides")
	if err == nil {
		err = os.WriteFile("../../docs/guides/python.ipynb", text, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
