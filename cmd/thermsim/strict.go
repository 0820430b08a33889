package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"thermsim/mesh/plausibility"
	"thermsim/report"
)

// strictness is --strict.
type strictness bool

func (s *strictness) addFlag(f *pflag.FlagSet) {
	f.BoolVar((*bool)(s), "strict", false, "exit with status 2 on warnings, before a solve where they are of the stack")
}

// refuse is an error where there are warnings that --strict does not let pass.
func (s strictness) refuse(found []plausibility.Warning, then string) error {
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
	return usagef("%s", text)
}

// strictVerdict is verdict, and where that has nothing to say, what --strict makes of warnings about the result.
func strictVerdict(r *report.Run, s *report.Summary, o *simulateOptions) error {
	if err := verdict(r, s, o.tmax.value > 0, o.out); err != nil {
		return err
	}
	return o.strict.refuse(s.Warnings, " about the result; the files are in "+o.out)
}
