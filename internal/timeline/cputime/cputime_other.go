//go:build !unix

package cputime

import "time"

// Used is the wall-clock time since the start, on systems without process times.
func Used() time.Duration { return time.Since(start) }
