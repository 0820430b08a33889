//go:build !unix || aix || solaris

package staging

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// lockFile is not supported on these systems.
func lockFile(*os.File) error { return errors.ErrUnsupported }
