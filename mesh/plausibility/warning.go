// Package plausibility finds what a stack may say but seldom means: slips of units, blocks too small for the grid, heat
// without a way out; and temperatures at which the figures of materials do not hold. It judges, and changes nothing.
package plausibility

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"thermsim/mesh"
	"thermsim/stack"
)

// Warning is a doubt about an input or a result. Code is short and stable, for programs.
type Warning struct {
	Code   string `json:"code"`   // short and stable, for programs
	Place  string `json:"place"`  // file, line and column, as far as they are known
	Text   string `json:"text"`   // what is doubted
	Remedy string `json:"remedy"` // what to do; may be ""
}

// The codes of warnings.
const (
	Size         = "size"          // a domain, or a layer, of odd extent
	Density      = "power-density" // more W/cm2 than chips carry
	NoPower      = "no-power"      // nothing heats
	ThickSource  = "thick-source"  // power is spread over the height of a thick layer
	CoarseGrid   = "coarse-grid"   // powered blocks of few cells
	NoWayOut     = "no-way-out"    // no face leads heat to a temperature
	Temperatures = "temperature"   // an ambient, a limit or a beginning of odd value
	Coolant      = "coolant"       // a flow beyond laminar, or a coolant that boils
	Cooling      = "cooling"       // a heat transfer coefficient or a resistance of odd value
	Properties   = "material"      // a conductivity or a heat capacity of odd value
	Validity     = "validity"      // temperatures far from where the figures of a material hold
	Cooler       = "small-cooler"  // faces that cannot carry the power away
	Film         = "film"          // a heat transfer coefficient far beyond what the layers conduct
	NoPath       = "heat-path"     // a source between air and air
	Order        = "order"         // a lid or a sink below the dies under a cooled top
	CrowdedCells = "crowded-cells" // more regions cross in a cell than are told apart
	CoarseLayer  = "coarse-layer"  // one cell through a layer across which the temperature falls much
)

// String is the warning as a line, the place first.
func (w Warning) String() string {
	text := w.Text
	if w.Remedy != "" {
		text += "; " + w.Remedy
	}
	if w.Place == "" {
		return text
	}
	return w.Place + ": " + text
}

// Of judges a stack on its grid, before anything is solved.
func Of(m *mesh.Mesh) []Warning {
	j := &judge{m: m, s: m.Stack}
	if j.domain() {
		return j.found // what follows measures against the domain
	}
	j.thicknesses()
	j.properties()
	j.sources()
	j.blocks()
	j.crowds()
	j.faces()
	j.cooler()
	j.films()
	j.order()
	j.path()
	j.coolants()
	j.beginning()
	return j.found
}

// judge collects warnings.
type judge struct {
	m     *mesh.Mesh
	s     *stack.Stack
	found []Warning
}

// warn notes a doubt about what stands at pos; without one, about the stack file.
func (j *judge) warn(code string, pos stack.Pos, remedy, format string, args ...any) {
	if pos.File == "" {
		pos.File = j.s.File
	}
	j.found = append(j.found, Warning{code, pos.String(), fmt.Sprintf(format, args...), remedy})
}

// warnOf notes a doubt about a group of things, if it has any.
func (j *judge) warnOf(code string, g *group, remedy, format string, args ...any) {
	if len(g.names) > 0 {
		j.warn(code, g.pos, remedy, format, args...)
	}
}

// group gathers doubts of one kind about several things, which make one warning.
type group struct {
	pos   stack.Pos
	names []string
	known map[string]bool
}

func (g *group) add(name string, pos stack.Pos) {
	if len(g.names) == 0 {
		g.pos, g.known = pos, map[string]bool{}
	}
	if !g.known[name] {
		g.known[name] = true
		g.names = append(g.names, name)
	}
}

// list names the first few, after the word for one or several of them.
func (g *group) list(one, several string) string {
	const most = 3
	quoted := make([]string, 0, most)
	for _, n := range g.names[:min(most, len(g.names))] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	switch n := len(g.names); {
	case n == 0:
		return ""
	case n == 1:
		return one + " " + quoted[0]
	case n > most:
		return fmt.Sprintf("%s %s and %d more", several, strings.Join(quoted, ", "), n-most)
	}
	last := len(quoted) - 1
	return several + " " + strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// either is the word for one thing or for several.
func (g *group) either(one, several string) string {
	if len(g.names) == 1 {
		return one
	}
	return several
}

// length writes metres in the unit that people use for them.
func length(m float64) string {
	switch {
	case m >= 1:
		return fmt.Sprintf("%.4g m", m)
	case m >= 1e-3:
		return fmt.Sprintf("%.4g mm", m*1e3)
	case m >= 1e-6:
		return fmt.Sprintf("%.4g um", m*1e6)
	}
	return fmt.Sprintf("%.4g nm", m*1e9)
}

func celsius(kelvin float64) string { return fmt.Sprintf("%.4g degC", kelvin-273.15) }

// Write lists warnings in lines of at most width characters, as far as words allow, each with a hyphen before it.
func Write(w io.Writer, warnings []Warning, width int) error {
	for _, warning := range warnings {
		for i, line := range Fold(warning.String(), width-4) {
			lead := "    "
			if i == 0 {
				lead = "  - "
			}
			if _, err := fmt.Fprintln(w, lead+line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fold breaks a text between words, and words that are longer than a line.
func Fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for width > 0 && utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
