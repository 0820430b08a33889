//go:build !unix

package cputime

import "time"

// Used is how long this process has run, where processors are not asked.
func Used() time.Duration { return time.Since(start) }
