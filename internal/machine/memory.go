// Package machine finds out what this process may use of the machine that it runs on: memory, cores, and which machine
// it is.
package machine

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// FreeMemory is what this process may still take, in bytes; 0 on systems that do not report it.
func FreeMemory() float64 { return freeMemory(os.DirFS("/")) }

// freeMemory is the least of what Linux calls available, what the process's control groups leave and what its address
// space may still grow by. root is the root of the file system.
func freeMemory(root fs.FS) float64 {
	free := math.Inf(1)
	for _, b := range []float64{meminfo(root), controlGroups(root), addressSpace(root)} {
		free = math.Min(free, b)
	}
	if math.IsInf(free, 1) {
		return 0
	}
	// Nothing left must not read as nothing known.
	return math.Max(free, 1)
}

// meminfo is MemAvailable of /proc/meminfo; unlimited where there is none.
func meminfo(root fs.FS) float64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return math.Inf(1)
	}
	if b := parseMeminfo(text); b > 0 {
		return b
	}
	return math.Inf(1)
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

// addressSpace is what RLIMIT_AS leaves beyond the address space that is taken; unlimited where no limit is set.
func addressSpace(root fs.FS) float64 {
	text, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return math.Inf(1)
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "Max address space")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			break
		}
		limit, err := strconv.ParseFloat(fields[0], 64)
		if err != nil { // unlimited
			break
		}
		return math.Max(0, limit-addressesTaken(root))
	}
	return math.Inf(1)
}

// addressesTaken is the size of the process's address space: VmSize of /proc/self/status.
func addressesTaken(root fs.FS) float64 {
	text, err := fs.ReadFile(root, "proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmSize:"); ok {
			number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			kilobytes, _ := strconv.ParseFloat(number, 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// CollectWithin makes the garbage collector work harder before the process grows by more than the free memory, so that
// memory released by a setup is available for what follows. It does nothing where free is 0, which means unknown, or
// where the environment sets GOMEMLIMIT.
func CollectWithin(free float64) {
	if free > 0 && free < math.MaxInt64/2 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(free))
	}
}

// parents lists a folder and those above it, up to the root.
func parents(folder string) []string {
	all := []string{folder}
	for folder != "." && folder != "/" {
		folder = path.Dir(folder)
		all = append(all, folder)
	}
	return all
}
