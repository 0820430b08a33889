// Package plausibility finds input that is valid but probably not intended: wrong units, blocks too small for the grid,
// missing heat-flow paths; and results outside the valid range of material properties. It only reports.
package plausibility

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"thermsim/mesh"
	"thermsim/stack"
)

// Warning concerns an input or a result.
type Warning struct {
	Code   string `json:"code"`   // short and stable, for programs.
	Place  string `json:"place"`  // file, line and column, as far as known.
	Text   string `json:"text"`   // the problem.
	Remedy string `json:"remedy"` // the fix; may be "".
}

// The codes of warnings.
const (
	Size         = "size"          // implausible size of a domain or a layer.
	Density      = "power-density" // power density above that of chips.
	NoPower      = "no-power"      // no heat source.
	ThickSource  = "thick-source"  // power is distributed over the height of a thick layer.
	CoarseGrid   = "coarse-grid"   // powered blocks with few cells.
	NoWayOut     = "no-way-out"    // no boundary removes heat.
	Temperatures = "temperature"   // implausible ambient, limit or initial temperature.
	Coolant      = "coolant"       // turbulent or transitional flow, or boiling coolant.
	Cooling      = "cooling"       // implausible heat-transfer coefficient or resistance.
	Properties   = "material"      // implausible conductivity or heat capacity.
	Validity     = "validity"      // temperatures far from the reference temperature of a material.
	Cooler       = "small-cooler"  // faces that cannot remove the power.
	Film         = "film"          // heat-transfer coefficient with a negligible resistance.
	NoPath       = "heat-path"     // source without a heat-flow path.
	Order        = "order"         // lid or heat sink below the dies under a cooled top.
	CrowdedCells = "crowded-cells" // too many regions overlap in a cell.
	Fourier      = "fourier"       // lengths or times too short for Fourier's law.
	PowerGrid    = "power-grid"    // netlist of a power grid with wrong units or resistors outside the stack.
	CoarseLayer  = "coarse-layer"  // one cell across a layer with a large temperature drop.
)

// String is the warning as one line, beginning with the location.
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

// Of checks a stack on its grid, before it is solved.
func Of(m *mesh.Mesh) []Warning {
	j := &judge{m: m, s: m.Stack}
	if j.domain() {
		return j.found // other checks depend on the domain size
	}
	j.thicknesses()
	j.fourier()
	j.properties()
	j.sources()
	j.resolution()
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

// warn adds a warning at a position; without one, for the stack file.
func (j *judge) warn(code string, pos stack.Pos, remedy, format string, args ...any) {
	if pos.File == "" {
		pos.File = j.s.File
	}
	j.found = append(j.found, Warning{code, pos.String(), fmt.Sprintf(format, args...), remedy})
}

// warnOf adds a warning about a group, unless it is empty.
func (j *judge) warnOf(code string, g *group, remedy, format string, args ...any) {
	if len(g.names) > 0 {
		j.warn(code, g.pos, remedy, format, args...)
	}
}

// group collects the names of several items for one warning.
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

// list names the first few items, after the singular or plural noun.
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

// either is the word for one item or for several.
func (g *group) either(one, several string) string {
	if len(g.names) == 1 {
		return one
	}
	return several
}

// length formats meters in a convenient unit.
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

// Write lists warnings in lines of at most width characters, as far as words allow, each with a leading hyphen.
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

// Fold wraps a text between words, and breaks words that are longer than a line.
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
