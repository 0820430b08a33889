package campaign

import (
	"os"
	"syscall"
)

// PeakMemory is the maximum resident size of a program that has ended, in bytes.
func PeakMemory(p *os.ProcessState) int64 {
	if use, ok := p.SysUsage().(*syscall.Rusage); ok {
		return use.Maxrss << 10
	}
	return 0
}
