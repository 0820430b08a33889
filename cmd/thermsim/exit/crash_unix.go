//go:build unix

package exit

import "syscall"

// noCore sets the size of cores to none.
func noCore() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit) // then a core file is written
	}
}
