package machine

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// hierarchy is a mounted tree of control groups that limits memory.
type hierarchy struct {
	mount string // where it is mounted
	root  string // the group that the mount shows
	own   string // the process's group
	names
}

// names of a hierarchy's files: the limit, what is used, and in memory.stat the page cache that the kernel takes back
// before it kills.
type names struct {
	limit, usage string
	reclaimable  []string
}

var (
	version1 = names{"memory.limit_in_bytes", "memory.usage_in_bytes",
		[]string{"total_inactive_file", "total_active_file"}}
	version2 = names{"memory.max", "memory.current", []string{"inactive_file", "active_file"}}
)

// controlGroups is the least that the process's group and those above it leave; unlimited where no group has a limit.
func controlGroups(root fs.FS) float64 {
	least := math.Inf(1)
	for _, h := range hierarchies(root) {
		for _, folder := range parents(h.folder()) {
			least = math.Min(least, h.leaves(root, folder))
			if folder == h.mount {
				break
			}
		}
	}
	return least
}

// hierarchies finds where the process's groups are: their paths in /proc/self/cgroup, the mounts in
// /proc/self/mountinfo.
func hierarchies(root fs.FS) []hierarchy {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	mounts, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var all []hierarchy
	for line := range strings.Lines(string(groups)) {
		// 4:memory:/path in version 1, 0::/path in version 2
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		kind, files := "", version2
		switch {
		case parts[0] == "0" && parts[1] == "":
			kind = "cgroup2"
		case hasWord(parts[1], "memory"):
			kind, files = "cgroup", version1
		default:
			continue
		}
		for mount := range strings.Lines(string(mounts)) {
			if shown, at, ok := mountOf(mount, kind); ok {
				all = append(all, hierarchy{mount: at, root: shown, own: parts[2], names: files})
			}
		}
	}
	return all
}

// mountOf reads a line of mountinfo: what of a hierarchy of a kind is mounted, and where, relative to the root.
// 36 35 98:0 /shown /at rw,noatime shared:1 - cgroup cgroup rw,memory
func mountOf(line, kind string) (shown, at string, ok bool) {
	left, right, found := strings.Cut(line, " - ")
	before, after := strings.Fields(left), strings.Fields(right)
	if !found || len(before) < 5 || len(after) < 3 || after[0] != kind || kind == "cgroup" &&
		!hasWord(after[2], "memory") {
		return "", "", false
	}
	at = strings.TrimPrefix(path.Clean(before[4]), "/")
	if !fs.ValidPath(at) || at == "" {
		return "", "", false
	}
	return before[3], at, true
}

// folder of the process's group. If the mount does not show it, as in a container with the host's mounts or outside a
// namespace, it is the mount's own group.
func (h *hierarchy) folder() string {
	below := h.own
	if h.root != "/" {
		rest, inside := strings.CutPrefix(h.own, h.root)
		if !inside || rest != "" && rest[0] != '/' {
			return h.mount
		}
		below = rest
	}
	folder := path.Join(h.mount, below)
	if folder != h.mount && !strings.HasPrefix(folder, h.mount+"/") { // /../ of another namespace
		return h.mount
	}
	return folder
}

// leaves is the memory that a group's limit leaves beyond the usage that cannot be reclaimed; unlimited without a
// limit.
func (h *hierarchy) leaves(root fs.FS, folder string) float64 {
	limit, ok := number(root, path.Join(folder, h.limit))
	// Version 1 writes "no limit" as the largest number of pages.
	if !ok || limit >= 1<<62 {
		return math.Inf(1)
	}
	used, _ := number(root, path.Join(folder, h.usage))
	if stat, err := fs.ReadFile(root, path.Join(folder, "memory.stat")); err == nil {
		used -= h.cache(string(stat))
	}
	return math.Max(0, limit-math.Max(0, used))
}

// cache is the page cache in a memory.stat.
func (h *hierarchy) cache(stat string) float64 {
	sum := 0.0
	for line := range strings.Lines(stat) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, wanted := range h.reclaimable {
			if v, err := strconv.ParseFloat(value, 64); name == wanted && err == nil {
				sum += v
			}
		}
	}
	return sum
}

// number is the content of a file; false if it is not a number, as "max" without a limit.
func number(root fs.FS, name string) (float64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return v, err == nil && v >= 0
}

// hasWord looks for a word in a list with commas.
func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}
