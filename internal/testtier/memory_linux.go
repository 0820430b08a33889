package testtier

import (
	"os"

	"golang.org/x/sys/unix"
)

// init puts the temporary files of tests into memory if the system has room there. The commands sync their outputs to
// disk, for which their tests otherwise wait half of their time.
func init() {
	const shared, room = "/dev/shm", 2 << 30
	var s unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(shared, &s) != nil || s.Flags&unix.ST_NOEXEC != 0 {
		return
	}
	if s.Bavail*uint64(s.Bsize) >= room && unix.Access(shared, unix.W_OK) == nil {
		_ = os.Setenv("TMPDIR", shared)
	}
}
