//go:build !unix

package exit

// noCore has nothing to do: systems other than Unix leave no cores.
func noCore() {}
