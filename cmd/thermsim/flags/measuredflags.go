package flags

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Measured are the flags about measured temperatures.
type Measured struct {
	file   string
	limits limits
}

// Add offers the flags.
func (m *Measured) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.file, "measured", "", "compare with the measured temperatures in `FILE`, a CSV table")
	f.Var(&m.limits, "limit", "exit with status 5 above it: measured.rms=2K, measured.bias, measured.worst")
}

// Apply puts the values and limits in the place of those of the stack, and returns the files that it read.
func (m *Measured) Apply(open stackfile.Opener, s *stack.Stack) (files []string, err error) {
	if m.file != "" {
		if err := stackfile.LoadMeasured(open, s, m.file); err != nil {
			return nil, err
		}
		files = append(files, m.file)
	}
	if len(m.limits) > 0 && len(s.Measured.Values) == 0 {
		return nil, exit.Usagef("--limit %s: the run has no measured temperatures. Fix: add --measured FILE", &m.limits)
	}
	for _, l := range m.limits {
		*limitOf(&s.Measured, l.name) = l.kelvin
	}
	return files, nil
}

// limits is --limit, which may be given several times.
type limits []struct {
	name, text string
	kelvin     float64
}

// limitOf is the limit of that name, nil if there is none.
func limitOf(m *stack.Measured, name string) *float64 {
	switch name {
	case "measured.bias":
		return &m.Bias
	case "measured.rms":
		return &m.RMS
	case "measured.worst":
		return &m.Worst
	}
	return nil
}

func (l *limits) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	if limitOf(&stack.Measured{}, name) == nil {
		return errors.New("write measured.bias, measured.rms or measured.worst, = and a difference in K")
	}
	kelvin, err := Rise.Parse(value)
	*l = append(*l, struct {
		name, text string
		kelvin     float64
	}{name, text, kelvin})
	return err
}

func (l *limits) String() string {
	var texts []string
	for _, one := range *l {
		texts = append(texts, one.text)
	}
	return strings.Join(texts, " ")
}

// Type is the placeholder in the help.
func (l *limits) Type() string { return "NAME=K" }
