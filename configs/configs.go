// Package configs carries the files that ship inside the thermsim binary.
package configs

import _ "embed"

//go:embed materials.toml
var materialsTOML string

// MaterialsTOML is the library of materials, in the format of the [materials] tables of a stack file.
func MaterialsTOML() []byte { return []byte(materialsTOML) }

//go:embed stack.schema.json
var stackSchema []byte

// StackSchema is the JSON Schema of stack files (draft 2020-12).
func StackSchema() []byte { return stackSchema }
