package main

import (
	"strings"

	"github.com/spf13/pflag"

	"thermsim/stack"
)

// overrides is --set, which may be given several times.
type overrides []stack.Override

var _ pflag.Value = (*overrides)(nil)

func (o *overrides) Set(text string) error {
	one, err := stack.ParseOverride(text)
	if err == nil {
		*o = append(*o, one)
	}
	return err
}

func (o *overrides) String() string {
	var texts []string
	for _, one := range *o {
		texts = append(texts, one.Text)
	}
	return strings.Join(texts, " ")
}

// Type is the placeholder in the help.
func (o *overrides) Type() string { return "KEY=VALUE" }

func (o *overrides) addFlag(f *pflag.FlagSet) {
	f.Var(o, "set", `a value in place of the file's, such as boundary.top.h=5000; repeatable`)
}
