package main

import (
	"os"
	"syscall"
)

// hostGB is the most memory that a process had at a time.
func hostGB(p *os.ProcessState) float64 {
	if use, ok := p.SysUsage().(*syscall.Rusage); ok {
		return float64(use.Maxrss) / 1e6 // kB
	}
	return 0
}
