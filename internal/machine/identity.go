package machine

import (
	"os"
	"strings"
)

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
