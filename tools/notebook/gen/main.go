// Command gen writes docs/python.ipynb.
package main

import (
	"log"
	"os"

	"thermsim/tools/notebook"
)

func main() {
	text, err := notebook.OfPython("../../docs")
	if err == nil {
		err = os.WriteFile("../../docs/python.ipynb", text, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
