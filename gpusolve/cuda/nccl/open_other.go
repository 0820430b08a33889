//go:build !(linux && (amd64 || arm64))

package nccl

import (
	"fmt"
	"runtime"
)

func open(string) (*Library, error) {
	return nil, fmt.Errorf("%w on this platform (%s/%s)", ErrAbsent, runtime.GOOS, runtime.GOARCH)
}

// entry represents a function that no library has here.
type entry struct{ name string }

func (entry) call(...uintptr) uintptr { return 3 } // ncclInternalError

func (entry) text(uintptr) string { return "" }
