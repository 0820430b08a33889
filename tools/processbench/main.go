// Command processbench measures whole runs of thermsim, from the start of the process to its end, and says where the
// time goes: docs/process.md is made of what it writes.
//
//	processbench -thermsim bin/thermsim -json docs/measurements/process-NAME.json -gpu "NVIDIA H200" -commit 0123abc
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// document is what is written.
type document struct {
	GPU      string `json:"gpu"`
	Cores    int    `json:"cores"`
	Commit   string `json:"commit"`
	Settings string `json:"settings"`
	Rows     []row  `json:"rows"`
}

func main() {
	program := flag.String("thermsim", "bin/thermsim", "the program to measure")
	out := flag.String("json", "process.json", "file to write")
	gpu := flag.String("gpu", "", "name of the GPU")
	commit := flag.String("commit", "", "commit of the program")
	stack := flag.String("stack", "examples/mol10-ev6", "the stack")
	runs := flag.Int("runs", 5, "runs of each case; one more comes before and does not count")
	sweep := flag.String("sweep", "", "a sweep file to measure too")
	flag.Parse()
	d := document{GPU: *gpu, Cores: runtime.NumCPU(), Commit: *commit,
		Settings: fmt.Sprintf("the run of the median wall time of %d, after one that does not count; maps of the two "+
			"powered layers", *runs)}
	for _, c := range cases(*stack, *sweep) {
		var all []row
		for n := range *runs + 1 {
			r, err := c.run(*program)
			if err != nil {
				fmt.Fprintln(os.Stderr, "processbench:", c.row.Case, err)
				os.Exit(1)
			}
			if n > 0 {
				all = append(all, *r)
			}
		}
		slices.SortFunc(all, func(a, b row) int {
			if a.Wall < b.Wall {
				return -1
			}
			return 1
		})
		d.Rows = append(d.Rows, all[len(all)/2])
		fmt.Printf("%s on %s: %.3f s\n", c.row.Case, c.row.Device, all[len(all)/2].Wall)
	}
	text, err := json.MarshalIndent(d, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Clean(*out), append(text, '\n'), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "processbench:", err)
		os.Exit(1)
	}
}
