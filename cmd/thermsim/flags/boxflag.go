package flags

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/report"
	"thermsim/report/field"
	"thermsim/stack/stackfile"
)

// box is --file-box: an interval along each axis.
type box struct {
	text  string
	given bool
	axes  [3]interval
}

// interval is a range of lengths in m; an open end is infinite.
type interval struct{ from, to float64 }

func (i interval) given() bool { return !math.IsInf(i.from, -1) || !math.IsInf(i.to, 1) }

func (b *box) Set(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return errors.New(`write three parts for x, y and z, such as "1 mm:3 mm,2 mm,:"`)
	}
	for n, part := range parts {
		var err error
		if b.axes[n], err = parseInterval(part); err != nil {
			return err
		}
	}
	b.text, b.given = text, true
	return nil
}

func parseInterval(text string) (interval, error) {
	i := interval{math.Inf(-1), math.Inf(1)}
	from, to, both := strings.Cut(text, ":")
	if !both {
		to = from
	}
	for _, end := range []struct {
		text string
		to   *float64
	}{{from, &i.from}, {to, &i.to}} {
		if strings.TrimSpace(end.text) == "" {
			continue
		}
		v, err := stackfile.ParseLength(strings.TrimSpace(end.text))
		if err != nil {
			return i, err
		}
		*end.to = v
	}
	if i.from > i.to {
		return i, fmt.Errorf("%s: it ends before it begins", text)
	}
	return i, nil
}

func (b *box) String() string { return b.text }
func (b *box) Type() string   { return "BOX" }

// cut narrows cells to those that the box touches.
func (b *box) cut(x, y, z []float64, c *field.Box) error {
	for n, axis := range []struct {
		name     string
		faces    []float64
		from, to *int
	}{{"x", x, &c.I0, &c.I1}, {"y", y, &c.J0, &c.J1}, {"z", z, &c.K0, &c.K1}} {
		i := b.axes[n]
		if !i.given() {
			continue
		}
		last := axis.faces[len(axis.faces)-1]
		from, to, ok := field.Between(axis.faces, math.Max(i.from, axis.faces[0]), math.Min(i.to, last))
		if !ok || i.from > last || i.to < axis.faces[0] {
			return exit.Usagef("--file-box %s: the %s part lies outside the stack, which spans %s to %s", b.text,
				axis.name, terminal.Length(axis.faces[0]), terminal.Length(last))
		}
		*axis.from, *axis.to = from, to
	}
	return nil
}

// stepList is --file-steps.
type stepList struct {
	text  string
	All   bool
	parts [][3]int // from, to, every
}

func (s *stepList) given() bool { return s.text != "" }

func (s *stepList) Set(text string) error {
	s.parts, s.All, s.text = nil, text == "all", text
	if s.All {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Split(strings.TrimSpace(part), ":")
		if len(words) > 3 {
			return errors.New("a range is FROM:TO or FROM:TO:EVERY")
		}
		n := [3]int{0, 0, 1}
		for i, word := range words {
			v, err := strconv.Atoi(word)
			if err != nil || v < 1 {
				return errors.New("steps are numbered from 1: write 1,10,50 or 10:50 or 10:50:10 or all")
			}
			n[i] = v
		}
		if len(words) == 1 {
			n[1] = n[0]
		}
		if n[1] < n[0] {
			return fmt.Errorf("%s ends before it begins", part)
		}
		s.parts = append(s.parts, n)
	}
	return nil
}

func (s *stepList) String() string { return s.text }
func (s *stepList) Type() string   { return "LIST" }

// ranges are the steps, all within the run.
func (s *stepList) ranges(steps int) ([]report.StepRange, error) {
	if s.All {
		return []report.StepRange{{From: 1, To: steps, Every: 1}}, nil
	}
	var list []report.StepRange
	for _, p := range s.parts {
		if p[1] > steps {
			return nil, exit.Usagef("--file-steps %s: the run has %d steps", s.text, steps)
		}
		list = append(list, report.StepRange{From: p[0], To: p[1], Every: p[2]})
	}
	return list, nil
}
