//go:build !(linux && (amd64 || arm64))

package cudriver

import (
	"fmt"
	"runtime"
)

// Open reports ErrNoDriver: GPUs are used on Linux, amd64 and arm64.
func Open() (Driver, error) {
	return nil, fmt.Errorf("%w on this platform (%s/%s): GPUs are supported on linux/amd64 and linux/arm64; run with "+
		"--device cpu", ErrNoDriver, runtime.GOOS, runtime.GOARCH)
}

// IsMachine is false: there is no driver here.
func IsMachine(Driver) bool { return false }
