//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used is how long processors have worked for this process, and the system on its behalf.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return time.Since(start)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
