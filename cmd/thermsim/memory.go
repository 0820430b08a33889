package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// availableMemory is what this process may still take, in bytes: what Linux calls available, or less in a container with a limit. It is 0 on
// systems that do not tell.
func availableMemory() float64 {
	available := 0.0
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		available = parseMeminfo(text)
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		// "max" where there is no limit, which does not parse.
		if limit, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64); err == nil && (available == 0 || limit < available) {
			available = limit
		}
	}
	return available
}

// parseMeminfo finds the line "MemAvailable:  123 kB" and returns bytes, 0 without it.
func parseMeminfo(text []byte) float64 {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
			number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			if kilobytes, err := strconv.ParseFloat(string(number), 64); err == nil {
				return kilobytes * 1024
			}
		}
	}
	return 0
}

// byteCount writes bytes for people.
func byteCount(b float64) string {
	switch {
	case b >= 1e12:
		return fmt.Sprintf("%.3g TB", b/1e12)
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	}
	return fmt.Sprintf("%.3g MB", b/1e6)
}
