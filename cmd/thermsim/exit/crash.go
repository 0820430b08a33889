package exit

import (
	"os"
	"runtime/debug"
)

// Crash is the status after a fault of thermsim itself. It is what shells show of SIGABRT (128 + 6), with which the
// runtime ends what cannot be recovered here: memory that ran out, a panic on a goroutine of its own, a data race that
// it found. Go's own status for those is 2, which stands for invalid input. On Windows they end with the code of an
// exception, 0xC0000000 or above.
const Crash = 134

// AbortOnCrash makes the runtime end with SIGABRT where it gives up. A core is left only to those who ask for one with
// GOTRACEBACK=crash.
func AbortOnCrash() {
	if os.Getenv("GOTRACEBACK") != "crash" {
		noCore()
	}
	debug.SetTraceback("crash")
}
