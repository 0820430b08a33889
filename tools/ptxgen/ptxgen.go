// Package ptxgen generates PTX modules and typed Go launchers from the CUDA sources of a folder. A launcher's types
// come from the kernel's declaration, and the PTX of the compiler must agree, so that a launch with wrong arguments
// does not compile.
package ptxgen

import (
	"strconv"
	"strings"
)

// Build is one compilation of a source: one PTX file.
type Build struct {
	PTX     string   // file name: krylov.ptx, lines_16.ptx
	Defines []string // preprocessor definitions: NZ=16
}

// Builds lists the compilations of a source: one, or one for each class if the source uses NZ.
func (s *Source) Builds() []Build {
	if len(s.Classes) == 0 {
		return []Build{{PTX: s.Name + ".ptx"}}
	}
	var builds []Build
	for _, class := range s.Classes {
		n := strconv.Itoa(class)
		builds = append(builds, Build{PTX: s.Name + "_" + n + ".ptx", Defines: []string{"NZ=" + n}})
	}
	return builds
}

// exported is a kernel's or module's name in Go.
func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
