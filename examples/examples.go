// Package examples holds runnable stacks, one folder each.
package examples

import (
	"embed"
	"path/filepath"
)

//go:embed mol10-*/stack.toml mol10-*/*.flp mol10-*/*.ptrace tsv-array/resolved.toml
var files embed.FS

// Open reads a file of the stacks that the binary carries for benchmarks, named as in "mol10-ev6/stack.toml": three of
// memory on logic, and the array of resolved TSVs.
func Open(path string) ([]byte, error) { return files.ReadFile(filepath.ToSlash(path)) }
