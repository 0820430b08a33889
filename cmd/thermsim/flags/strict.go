package flags

import (
	"fmt"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/mesh/plausibility"
)

// Strictness is --strict.
type Strictness bool

func (s *Strictness) Add(f *pflag.FlagSet) {
	f.BoolVar((*bool)(s), "strict", false, "treat warnings as errors (status 2); those about the stack prevent a solve")
}

// Refuse is an error where there are warnings that --strict does not let pass.
func (s Strictness) Refuse(found []plausibility.Warning, then string) error {
	if !s || len(found) == 0 {
		return nil
	}
	text := fmt.Sprintf("--strict: %d warnings%s:", len(found), then)
	if len(found) == 1 {
		text = fmt.Sprintf("--strict: a warning%s:", then)
	}
	for _, w := range found {
		text += "\n  " + w.String()
	}
	return exit.Usagef("%s", text)
}
