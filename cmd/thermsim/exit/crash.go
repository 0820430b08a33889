package exit

import (
	"os"
	"runtime/debug"
)

// Crash is the status after a fault of thermsim itself. It is what shells show of SIGABRT (128 + 6), with which the
// runtime ends after errors that cannot be recovered here: out of memory, a panic in another goroutine, a data race.
// Go's status for those is 2, which here means invalid input. On Windows they end with the code of an
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
