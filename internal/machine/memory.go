// Package machine finds the resources that this process may use: memory and cores, and the identity of the machine.
package machine

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// FreeMemory is the memory that this process may still allocate, in bytes; 0 on systems that do not report it.
func FreeMemory() float64 { return freeMemory(os.DirFS("/")) }

// freeMemory is the minimum of MemAvailable, the memory that the process's control groups leave, and the remaining
// address space. root is the root of the file system.
func freeMemory(root fs.FS) float64 {
	free := math.Inf(1)
	for _, b := range []float64{meminfo(root), controlGroups(root), addressSpace(root)} {
		free = math.Min(free, b)
	}
	if math.IsInf(free, 1) {
		return 0
	}
	// 0 would mean unknown.
	return math.Max(free, 1)
}

// meminfo is MemAvailable of /proc/meminfo; unlimited where there is none.
func meminfo(root fs.FS) float64 {
	if b := kilobytes(root, "proc/meminfo", "MemAvailable:"); b > 0 {
		return b
	}
	return math.Inf(1)
}

// addressSpace is what RLIMIT_AS leaves beyond the address space that is taken; unlimited where no limit is set.
func addressSpace(root fs.FS) float64 {
	soft, _, _ := strings.Cut(field(root, "proc/self/limits", "Max address space"), " ")
	limit, err := strconv.ParseFloat(soft, 64)
	if err != nil { // unlimited
		return math.Inf(1)
	}
	return math.Max(0, limit-kilobytes(root, "proc/self/status", "VmSize:"))
}

// kilobytes reads a field such as "MemAvailable:  123 kB" and returns bytes, 0 without it.
func kilobytes(root fs.FS, file, label string) float64 {
	number, _, _ := strings.Cut(field(root, file, label), " ")
	v, _ := strconv.ParseFloat(number, 64) // 0 with an error of syntax
	return v * 1024
}

// field is what a line of a file has behind a label; "" where there is none.
func field(root fs.FS, file, label string) string {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, label); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
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

// Cores identifies the cores that this process may use: the machine, by its last boot, and their numbers there. It is
// empty where the system does not report them. read reads a file.
func Cores(read func(string) ([]byte, error)) string {
	machine, err := read("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	status, err := read("/proc/self/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(status)) {
		if list, found := strings.CutPrefix(line, "Cpus_allowed_list:"); found {
			return strings.TrimSpace(string(machine)) + " " + strings.TrimSpace(list)
		}
	}
	return ""
}

// Name identifies this machine: by its last boot, which containers share, or else by its host name. read reads a file.
func Name(read func(string) ([]byte, error)) string {
	if boot, err := read("/proc/sys/kernel/random/boot_id"); err == nil {
		return strings.TrimSpace(string(boot))
	}
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
