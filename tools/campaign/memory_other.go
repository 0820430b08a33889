//go:build !linux

package campaign

import "os"

// PeakMemory is unknown here.
func PeakMemory(*os.ProcessState) int64 { return 0 }
