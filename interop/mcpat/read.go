package mcpat

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Quantities of a section.
const (
	area         = iota // m2
	dynamic             // W, at run time
	subthreshold        // W
	gate                // W
	quantities
)

// labels are the names of the quantities in the report.
var labels = [quantities]string{"Area", "Runtime Dynamic", "Subthreshold Leakage", "Gate Leakage"}

// amounts has a number for each quantity.
type amounts [quantities]float64

// section is a heading of the report with the numbers below it.
type section struct {
	name   string // up to a colon or parenthesis
	count  int    // of instances, 0 if the heading has none
	pos    stack.Pos
	body   int // column of its numbers
	part   int // of the report, which lines of asterisks divide
	device string
	amounts
	has   [quantities]bool
	units []*section // of a core
	gated stack.Pos  // the line about leakage with power gating, Line 0 for none
}

// maxSections bounds the memory for a file; a core has about fifty.
const maxSections = 100_000

// reader reads the report line by line.
type reader struct {
	*importer.Collector
	sections []section
	part     int
}

// readReport reads the sections from "Processor:" on.
func readReport(c *importer.Collector, file string, data []byte) []section {
	r := &reader{Collector: c}
	for words := range stackfile.Words(file, data, &c.Faults.FaultList) {
		r.line(words)
		if c.Faults.Len() > 0 {
			return nil
		}
	}
	if len(r.sections) == 0 && c.Faults.Len() == 0 {
		c.Faults.Add(stack.Pos{File: file, Line: 1}, "give the text that McPAT prints", "no line \"Processor:\"")
	}
	return r.sections
}

func (r *reader) line(words []stackfile.Word) {
	first := words[0]
	if strings.Trim(first.Text, "*") == "" {
		r.part++
		return
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	text := strings.Join(texts, " ")
	name, value, isNumber := strings.Cut(text, "=")
	switch name = strings.TrimSpace(name); {
	case !isNumber:
		r.heading(text, first.Pos)
	case len(r.sections) == 0: // a banner
	case name == "Device Type":
		r.sections[len(r.sections)-1].device = strings.TrimSpace(value)
	default:
		r.number(name, words)
	}
}

// heading begins a section. Lines before "Processor:" are a banner.
func (r *reader) heading(text string, pos stack.Pos) {
	name, after, _ := strings.Cut(text, ":")
	name, _, _ = strings.Cut(name, "(")
	s := section{name: strings.TrimSpace(name), pos: pos, part: r.part}
	switch processor := s.name == "Processor"; {
	case len(r.sections) == 0 && !processor:
		return
	case len(r.sections) > 0 && processor:
		r.Faults.Add(pos, "give one report per file", "a second report begins here")
		return
	case len(r.sections) == maxSections:
		r.Faults.Add(pos, "give the text that McPAT prints", "more than %d headings", maxSections)
		return
	}
	if count := strings.Fields(after); len(count) > 0 {
		s.count, _ = strconv.Atoi(count[0]) // 0 for other words
	}
	r.sections = append(r.sections, s)
}

// number reads a line such as "Area = 5.4 mm^2". Lines about other quantities are skipped.
func (r *reader) number(name string, words []stackfile.Word) {
	s := &r.sections[len(r.sections)-1]
	if name == "Subthreshold Leakage with power gating" {
		s.gated = words[0].Pos
	}
	for q, label := range labels {
		if name != label {
			continue
		}
		unit, scale := "W", 1.0
		if q == area {
			unit, scale = "mm^2", 1e-6
		}
		if n := len(words); n < 3 || words[n-1].Text != unit {
			r.Faults.Add(words[0].Pos, "", "%s: got %q; expected a number and %q", label,
				stack.Shorten(words[n-1].Text), unit)
			return
		}
		w := words[len(words)-2]
		v, err := inputfile.Number(w.Text)
		if err != nil || v < 0 || v > 1e9 {
			r.Faults.Add(w.Pos, "check the run time and the counts in McPAT's input", "%s: got %q; expected a number "+
				"from 0 to 1e9", label, stack.Shorten(w.Text))
			return
		}
		s.amounts[q], s.has[q] = v*scale, true
		s.body = words[0].Pos.Col
	}
}

// complete reports whether a section has all quantities, which is a fault otherwise.
func (s *section) complete(faults *importer.Faults) bool {
	for q, has := range s.has {
		if !has {
			faults.Add(s.pos, "is the file complete?", "section %q has no line %q", stack.Shorten(s.name), labels[q])
			return false
		}
	}
	return true
}

// temperatureParam matches comments of McPAT's input, and the parameter with the temperature outside them.
var temperatureParam = regexp.MustCompile(`(?s)<!--.*?-->|<param\s+name\s*=\s*"temperature"\s+value\s*=\s*"([^"]*)"`)

// McPAT's tables of leakage have this range in K.
const coldest, hottest = 300, 400

// temperature finds the temperature in K in McPAT's input. The input need not be well-formed XML for McPAT.
func temperature(c *importer.Collector, file string, data []byte) float64 {
	for _, m := range temperatureParam.FindAllSubmatchIndex(data, -1) {
		if m[2] < 0 {
			continue
		}
		before := data[:m[2]]
		pos := stack.Pos{File: file, Line: 1 + bytes.Count(before, []byte("\n")),
			Col: m[2] - bytes.LastIndexByte(before, '\n')}
		text := string(data[m[2]:m[3]])
		v, err := inputfile.Number(strings.TrimSpace(text))
		if err != nil || v < coldest || v > hottest {
			c.Faults.Add(pos, "", "temperature: got %q; expected a number from %d to %d (K)", stack.Shorten(text),
				coldest, hottest)
		}
		return v
	}
	c.Faults.Add(stack.Pos{File: file, Line: 1}, "give the file that McPAT read with -infile",
		"no <param name=\"temperature\" value=\"...\">")
	return 0
}
