//go:build unix

package staging

import "syscall"

func umask(mask int) int { return syscall.Umask(mask) }
