// Package examples holds runnable stacks, one folder each.
package examples

import (
	"embed"
	"path/filepath"
)

//go:embed mol10-*/stack.toml mol10-*/*.flp mol10-*/*.ptrace
var files embed.FS

// Open reads a file of the three memory-on-logic stacks, named as in "mol10-ev6/stack.toml", which the binary carries
// for benchmarks.
func Open(path string) ([]byte, error) { return files.ReadFile(filepath.ToSlash(path)) }
