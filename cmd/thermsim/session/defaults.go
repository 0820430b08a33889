package session

import (
	"fmt"

	"thermsim/stack"
)

// Defaults are the values of the user's defaults file that a command uses; empty ones are not given.
type Defaults struct {
	File   string `toml:"-"` // "" if there is none
	Device string `toml:"device"`
	Units  string `toml:"units"` // of temperatures in tables and reports
	Author string `toml:"author"`
}

// Apply completes a stack, and records the values used among those of --set.
func (d *Defaults) Apply(s *stack.Stack) {
	use := func(name, value string) {
		s.Set = append(s.Set, fmt.Sprintf("%s=%q (defaults file)", name, value))
	}
	if d.Device != "" && s.Solver.Device == "" {
		s.Solver.Device = d.Device
		use("device", d.Device)
	}
	if d.Author != "" && s.Author == "" {
		s.Author = d.Author
		use("author", d.Author)
	}
	if d.Units != "" {
		use("units", d.Units)
	}
}
