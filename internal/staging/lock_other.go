//go:build !unix || aix || solaris

package staging

import (
	"errors"
	"os"
)

var errLocked = errors.New("locked")

// lockFile has no lock to take here.
func lockFile(*os.File) error { return errors.ErrUnsupported }
