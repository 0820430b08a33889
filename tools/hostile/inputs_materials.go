//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"
)

// chain writes materials that mix each other: the first is made of the second and so on; the last of silicon, or of the
// first again.
func chain(n int, cyclic bool) func(string) ([]string, error) {
	return stackOf("check", func(w io.Writer) {
		io.WriteString(w, strings.Replace(sheet("mixtures", heated, ""), `"silicon"`, `"m0"`, 1))
		for i := range n {
			next := fmt.Sprintf("m%d", i+1)
			switch {
			case i < n-1:
			case cyclic:
				next = "m0"
			default:
				next = "silicon"
			}
			fmt.Fprintf(w, "[materials.m%d]\nmix = { inclusion = \"copper\", matrix = %q, fraction = 0.1 }\n", i, next)
		}
	})
}

// unusedCycle has a cycle that no layer uses.
func unusedCycle() string {
	return sheet("", heated, `
[materials.a]
mix = { inclusion = "copper", matrix = "b", fraction = 0.1 }
[materials.b]
mix = { inclusion = "copper", matrix = "a", fraction = 0.1 }
`)
}

func materialInputs() []input {
	return []input{
		{"mix-cycle", "materials that are mixtures of each other, unused", stackText(unusedCycle()), true},
		{"mix-cycle-used", "the same, used", stackText(strings.Replace(unusedCycle(), `"silicon"`, `"a"`, 1)), true},
		{"mix-20000", "chain of 20,000 mixtures", chain(20_000, false), true},
		{"mix-20000-cycle", "cycle of 20,000 mixtures", chain(20_000, true), true},
		{"mix-100000", "chain of 100,000 mixtures", chain(100_000, false), true},
	}
}
