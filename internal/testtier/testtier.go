// Package testtier divides the tests into two tiers. The quick tier is what `go test ./...` runs before every commit.
// The extended tier (`make test-extended`) runs the same tests with the same checks on more and larger samples.
package testtier

import (
	"flag"
	"os"
	"runtime/debug"
)

// Variable is the environment variable that selects the tier: "extended", or anything else for the quick one.
const Variable = "THERMSIM_TESTS"

// Pick returns quick in the quick tier and extended in the extended one: the number of random stacks, a list of grids,
// a range of seeds. A test keeps a small sample in the quick tier, so that no behavior goes untested there.
func Pick[T any](quick, extended T) T {
	if os.Getenv(Variable) == "extended" {
		return extended
	}
	return quick
}

// init fixes the seed of rapid's drawn tests in the quick tier, so that a failure there comes from the current change.
// The extended tier uses a new seed each time; rapid prints the seed of a failure. The command-line flag overrides
// both. Tests hold little memory for a short time, so collecting garbage less often saves time.
func init() {
	debug.SetGCPercent(400)
	if seed := flag.Lookup("rapid.seed"); seed != nil {
		seed.DefValue = Pick("20", seed.DefValue)
		_ = seed.Value.Set(seed.DefValue)
	}
}
