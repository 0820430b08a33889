package hotspot

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// config is a configuration: parameters by name.
type config struct {
	file   string
	values map[string]word
}

// kind is what a parameter holds, and what thermsim does with it.
type kind int

const (
	length   kind = iota // m, positive
	amount               // positive number
	anything             // number
	flag                 // 0 or 1
	text
	count    // whole number from 1
	skipped  // read and left aside: it changes no temperature here
	refused  // where it is on, thermsim cannot follow
	part     // of something refused: counts only where that is on
	channels // of microchannels: counts only where a layer has them
)

// parameter is one of HotSpot's. Defaults are those compiled into HotSpot 7.
type parameter struct {
	name     string
	kind     kind
	fallback string
	why      string // what a refused one asks for
}

func parameters() []parameter {
	return []parameter{
		{"t_chip", length, "1.5e-4", ""}, {"k_chip", amount, "100", ""}, {"p_chip", amount, "1.75e6", ""},
		{"t_interface", length, "2e-5", ""}, {"k_interface", amount, "4", ""}, {"p_interface", amount, "4e6", ""},
		{"s_spreader", length, "0.03", ""}, {"t_spreader", length, "1e-3", ""}, {"k_spreader", amount, "400", ""},
		{"p_spreader", amount, "3.55e6", ""},
		{"s_sink", length, "0.06", ""}, {"t_sink", length, "6.9e-3", ""}, {"k_sink", amount, "400", ""},
		{"p_sink", amount, "3.55e6", ""},
		{"r_convec", amount, "0.1", ""}, {"c_convec", anything, "140.4", ""},
		{"material_chip", text, "", ""}, {"material_interface", text, "", ""}, {"material_spreader", text, "", ""},
		{"material_sink", text, "", ""},
		{"ambient", amount, "318.15", ""}, {"init_temp", amount, "333.15", ""}, {"init_file", text, "(null)", ""},
		{"sampling_intvl", amount, "3.333e-6", ""},
		{"model_type", text, "block", ""}, {"grid_rows", count, "64", ""}, {"grid_cols", count, "64", ""},
		{"grid_map_mode", text, "center", ""},
		{"grid_layer_file", text, "(null)", ""}, {"materials_file", text, "(null)", ""},
		{"detailed_3D", text, "off", ""},
		{"steady_file", text, "(null)", ""}, {"grid_steady_file", text, "(null)", ""},
		{"grid_transient_file", text, "(null)", ""},
		{"f", text, "", ""}, {"p", text, "", ""}, {"o", text, "", ""}, {"c", text, "", ""}, {"d", text, "", ""},

		{"model_secondary", refused, "0", "a secondary heat path through the package and the board"},
		{"leakage_used", refused, "0", "leakage power that depends on the temperature"},
		{"package_model_used", refused, "0", "a model of the air flow in the package"},
		{"use_microchannels", text, "0", ""},
		{"dtm_used", refused, "0", "dynamic thermal management"},

		{"thermal_threshold", skipped, "", ""}, {"base_proc_freq", skipped, "", ""},
		{"block_omit_lateral", skipped, "", ""},
		{"leakage_mode", part, "", ""}, {"package_config_file", part, "", ""},
		{"use_microfluidic_cooling", skipped, "", ""},
		{"r_convec_sec", part, "", ""}, {"c_convec_sec", part, "", ""}, {"n_metal", part, "", ""},
		{"t_metal", part, "", ""}, {"t_c4", part, "", ""}, {"s_c4", part, "", ""},
		{"n_c4", part, "", ""}, {"s_sub", part, "", ""}, {"t_sub", part, "", ""}, {"s_solder", part, "", ""},
		{"t_solder", part, "", ""}, {"s_pcb", part, "", ""}, {"t_pcb", part, "", ""},
		{"pumping_pressure", channels, "5000", ""}, {"pump_internal_res", channels, "0", ""},
		{"inlet_temperature", channels, "300", ""}, {"coolant_capac", channels, "4172638", ""},
		{"coolant_res", channels, "1.647717911", ""}, {"coolant_visc", channels, "0.000889", ""},
		{"wall_capac", channels, "1635660", ""}, {"wall_res", channels, "0.0076923077", ""},
		{"htc", channels, "27132", ""}, {"coolant_material", text, "", ""}, {"wall_material", text, "", ""},
	}
}

func findParameter(name string) *parameter {
	all := parameters()
	if i := slices.IndexFunc(all, func(p parameter) bool { return strings.EqualFold(p.name, name) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// parseConfig reads lines of "-name value".
func parseConfig(file string, data []byte, faults *importer.Faults, notes *[]importer.Note) *config {
	c := &config{file: file, values: map[string]word{}}
	for _, w := range lines(file, data, faults) {
		name, dashed := strings.CutPrefix(w[0].text, "-")
		switch {
		case !dashed || name == "":
			faults.Add(w[0].pos, "write -name value", "%q is no parameter", importer.Shorten(w[0].text))
			continue
		case len(w) < 2:
			faults.Add(w[0].pos, "write -name value", "parameter %s has no value", importer.Shorten(name))
			continue
		case len(w) > 2:
			faults.Add(w[2].pos, "write one parameter a line; comments begin with #", "%q follows the value of %s",
				importer.Shorten(w[2].text), importer.Shorten(name))
			continue
		}
		if c.set(name, w[0].pos, w[1], faults, notes); len(*notes) > mostNotes {
			faults.Add(w[0].pos, "write one of HotSpot's parameters a line, once", "%d parameters are unknown or "+
				"there twice: this is no configuration", len(*notes))
			break
		}
	}
	return c
}

// mostNotes is how many parameters may be passed over: HotSpot has some seventy.
const mostNotes = 1000

// set takes a parameter over, judged by its kind. An earlier value beats a later one, and capitals do not count, as in
// HotSpot.
func (c *config) set(name string, pos stack.Pos, value word, faults *importer.Faults, notes *[]importer.Note) {
	note := func(kind importer.NoteKind, format string, args ...any) {
		*notes = append(*notes, importer.Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)})
	}
	p := findParameter(name)
	if p == nil {
		note(importer.Warning, "parameter %q is unknown; HotSpot passes over it without a word%s",
			importer.Shorten(name), nearest(name))
		return
	}
	name = p.name
	if _, twice := c.values[name]; twice {
		note(importer.Warning, "parameter %s is there twice; the first value holds, as in HotSpot", name)
		return
	}
	switch p.kind {
	case length, amount:
		if _, ok := positive(value, name, faults); !ok {
			return
		}
	case anything:
		if v, ok := number(value, name, faults); ok && v < 0 {
			faults.Add(value.pos, "", "%s must not be negative, got %s", name, importer.Shorten(value.text))
		}
	case count:
		if v, ok := number(value, name, faults); ok && (v < 1 || v != float64(int(v)) || v > maxSide) {
			faults.Add(value.pos, "", "%s must be a whole number from 1 to %d, got %s", name, maxSide,
				importer.Shorten(value.text))
			return
		}
	case refused:
		if v, ok := number(value, name, faults); ok && v != 0 {
			faults.Add(value.pos, "set it to 0 for a calculation without", "thermsim cannot model %s", p.why)
		}
	case channels:
		if v, ok := number(value, name, faults); ok && (v < 0 || v == 0 && name != "pump_internal_res") {
			faults.Add(value.pos, "", "%s must be positive, got %s", name, importer.Shorten(value.text))
		}
	case skipped:
		note(importer.NotCarried, "%s changes no temperature of the grid model", name)
	case part:
		note(importer.NotCarried, "%s belongs to a model that is off", name)
	}
	c.values[name] = value
}

// maxSide bounds rows and columns: beyond it a slip is likelier than a wish.
const maxSide = 65536

// nearest suggests a known name.
func nearest(name string) string {
	best, least := "", 4
	for _, p := range parameters() {
		if d := distance(name, p.name); d < least {
			best, least = p.name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// distance is the number of letters to change, add or drop (Levenshtein), at most that of the longer word.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// text of a parameter, its default where it was not given.
func (c *config) text(name string) string {
	if w, ok := c.values[name]; ok {
		return w.text
	}
	if p := findParameter(name); p != nil {
		return p.fallback
	}
	return ""
}

// number of a parameter that was checked.
func (c *config) number(name string) float64 {
	var none importer.Faults
	v, _ := number(word{text: c.text(name)}, name, &none)
	return v
}

// pos is where a parameter stands, or the file where it holds its default.
func (c *config) pos(name string) stack.Pos {
	if w, ok := c.values[name]; ok {
		return w.pos
	}
	return stack.Pos{File: c.file}
}

// file of a parameter, "" for none.
func (c *config) path(name string) string {
	if v := c.text(name); v != "(null)" {
		return v
	}
	return ""
}
