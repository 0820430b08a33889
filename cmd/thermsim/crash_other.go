//go:build !unix

package main

// noCore has nothing to do: systems other than Unix leave no cores.
func noCore() {}
