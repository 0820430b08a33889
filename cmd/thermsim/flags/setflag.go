package flags

import (
	"strings"

	"github.com/spf13/pflag"

	"thermsim/stack/stackfile"
)

// Set is --set, which may be given several times.
type Set []stackfile.Override

var _ pflag.Value = (*Set)(nil)

func (o *Set) Set(text string) error {
	one, err := stackfile.ParseOverride(text)
	if err == nil {
		*o = append(*o, one)
	}
	return err
}

func (o *Set) String() string {
	var texts []string
	for _, one := range *o {
		texts = append(texts, one.Text)
	}
	return strings.Join(texts, " ")
}

// Type is the placeholder in the help.
func (o *Set) Type() string { return "KEY=VALUE" }

func (o *Set) Add(f *pflag.FlagSet) {
	f.Var(o, "set", `override a stack-file value, e.g. boundary.top.h=5000; repeatable`)
}
