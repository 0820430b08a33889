//go:build !linux || !amd64

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "faults: needs Linux on an x86-64 processor, whose system calls it intercepts")
	os.Exit(1)
}
