package hotspot

import (
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// config is a configuration: parameters by name.
type config struct {
	*importer.Collector
	file   string
	values map[string]word
}

// kind is the type of a parameter's value, and what thermsim does with it.
type kind int

const (
	amount   kind = iota // positive number, in m for a length
	anything             // number
	text
	count    // whole number from 1
	skipped  // read and ignored: it changes no temperature here
	refused  // not supported if it is on
	option   // a model that is on unless it is 0
	part     // of a refused parameter: used only if that is on
	board    // of the secondary heat path: used only if that is on
	channels // of microchannels: used only if a layer has them
)

// parameter is one of HotSpot's. Defaults are those compiled into HotSpot 7.
type parameter struct {
	name     string
	kind     kind
	fallback string
	why      string // the model that a refused one switches on
}

// parameters are all that HotSpot has.
var parameters = []parameter{
	{"t_chip", amount, "1.5e-4", ""}, {"k_chip", amount, "100", ""}, {"p_chip", amount, "1.75e6", ""},
	{"t_interface", amount, "2e-5", ""}, {"k_interface", amount, "4", ""}, {"p_interface", amount, "4e6", ""},
	{"s_spreader", amount, "0.03", ""}, {"t_spreader", amount, "1e-3", ""}, {"k_spreader", amount, "400", ""},
	{"p_spreader", amount, "3.55e6", ""},
	{"s_sink", amount, "0.06", ""}, {"t_sink", amount, "6.9e-3", ""}, {"k_sink", amount, "400", ""},
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

	{"package_model_used", refused, "0", "a model of the air flow in the package"},
	{"model_secondary", option, "0", ""}, {"leakage_used", option, "0", ""}, {"leakage_mode", text, "0", ""},
	{"use_microchannels", text, "0", ""},
	{"dtm_used", refused, "0", "dynamic thermal management"},

	{"thermal_threshold", skipped, "", ""}, {"base_proc_freq", skipped, "", ""},
	{"block_omit_lateral", skipped, "", ""},
	{"package_config_file", part, "", ""},
	{"use_microfluidic_cooling", skipped, "", ""},
	{"r_convec_sec", board, "1", ""}, {"c_convec_sec", board, "140.4", ""}, {"n_metal", board, "8", ""},
	{"t_metal", board, "1e-5", ""}, {"t_c4", board, "1e-4", ""}, {"s_c4", board, "2e-5", ""},
	{"n_c4", board, "400", ""}, {"s_sub", board, "0.021", ""}, {"t_sub", board, "1e-3", ""},
	{"s_solder", board, "0.021", ""}, {"t_solder", board, "9.4e-4", ""}, {"s_pcb", board, "0.1", ""},
	{"t_pcb", board, "2e-3", ""},
	{"pumping_pressure", channels, "5000", ""}, {"pump_internal_res", channels, "0", ""},
	{"inlet_temperature", channels, "300", ""}, {"coolant_capac", channels, "4172638", ""},
	{"coolant_res", channels, "1.647717911", ""}, {"coolant_visc", channels, "0.000889", ""},
	{"wall_capac", channels, "1635660", ""}, {"wall_res", channels, "0.0076923077", ""},
	{"htc", channels, "27132", ""}, {"coolant_material", text, "", ""}, {"wall_material", text, "", ""},
}

// namesOf lists the parameters of a kind.
func namesOf(k kind) string {
	var names []string
	for _, p := range parameters {
		if p.kind == k {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

// findParameter is nil for a name that HotSpot does not have. The case of letters does not matter.
func findParameter(name string) *parameter {
	for i := range parameters {
		if strings.EqualFold(parameters[i].name, name) {
			return &parameters[i]
		}
	}
	return nil
}

// parseConfig reads lines of "-name value".
func parseConfig(c *importer.Collector, file string, data []byte) *config {
	k := &config{Collector: c, file: file, values: map[string]word{}}
	for w := range lines(c, file, data) {
		name, dashed := strings.CutPrefix(w[0].Text, "-")
		switch {
		case !dashed || name == "":
			c.Faults.Add(w[0].Pos, "write -name value", "%q is not a parameter", stack.Shorten(w[0].Text))
			continue
		case len(w) < 2:
			c.Faults.Add(w[0].Pos, "write -name value", "parameter %s has no value", stack.Shorten(name))
			continue
		case len(w) > 2:
			c.Faults.Add(w[2].Pos, "write one parameter per line; comments begin with #", "%q follows the value of %s",
				stack.Shorten(w[2].Text), stack.Shorten(name))
			continue
		}
		if k.set(name, w[0].Pos, w[1]); len(c.Notes) > mostNotes {
			c.Faults.Add(w[0].Pos, "write each of HotSpot's parameters once, one per line",
				"%d parameters are unknown "+
					"or given twice: this is not a configuration", len(c.Notes))
			break
		}
	}
	return k
}

// mostNotes is the maximum number of ignored parameters: HotSpot has some seventy.
const mostNotes = 1000

// maxSide bounds rows and columns: larger numbers are mistakes.
const maxSide = 65536

// set checks a parameter by its kind and keeps it. The first value applies and the case of letters does not matter, as
// in HotSpot.
func (k *config) set(name string, pos stack.Pos, value word) {
	p := findParameter(name)
	if p == nil {
		var names []string
		for _, p := range parameters {
			names = append(names, p.name)
		}
		hint := stack.DidYouMean(name, names)
		if hint != "" {
			hint = "; " + hint
		}
		k.Note(importer.Warning, pos, "parameter %q is unknown; HotSpot ignores it silently%s", stack.Shorten(name),
			hint)
		return
	}
	name = p.name
	if _, twice := k.values[name]; twice {
		k.Note(importer.Warning, pos, "parameter %s is given twice; the first value applies, as in HotSpot", name)
		return
	}
	v, ok := 0.0, true
	if p.kind != text && p.kind != skipped && p.kind != part {
		v, ok = number(value, name, &k.Faults)
	}
	got := stack.Shorten(value.Text)
	switch {
	case !ok:
		return
	case v < 0 && (p.kind == anything || name == "pump_internal_res"):
		k.Faults.Add(value.Pos, "", "%s must not be negative, got %s", name, got)
	case v <= 0 && (p.kind == amount || p.kind == board || p.kind == channels && name != "pump_internal_res"):
		k.Faults.Add(value.Pos, "", "%s must be positive, got %s", name, got)
		return
	case p.kind == count && (v < 1 || v != float64(int(v)) || v > maxSide):
		k.Faults.Add(value.Pos, "", "%s must be a whole number from 1 to %d, got %s", name, maxSide, got)
		return
	case p.kind == refused && v != 0:
		k.Faults.Add(value.Pos, "set it to 0 to calculate without it", "thermsim does not support %s", p.why)
	case p.kind == skipped:
		k.Note(importer.NotCarried, pos, "%s changes no temperature of the grid model", name)
	case p.kind == part:
		k.Note(importer.NotCarried, pos, "%s belongs to a model that is off", name)
	}
	k.values[name] = value
}

// given reports whether the project sets a parameter.
func (k *config) given(name string) bool {
	_, ok := k.values[name]
	return ok
}

// on reports whether a model is switched on.
func (k *config) on(name string) bool { return k.number(name) != 0 }

// text of a parameter, by default that of HotSpot.
func (k *config) text(name string) string {
	if w, ok := k.values[name]; ok {
		return w.Text
	}
	return findParameter(name).fallback
}

// number of a parameter that was checked.
func (k *config) number(name string) float64 {
	v, _ := number(word{Text: k.text(name)}, name, &importer.Faults{})
	return v
}

// pos is the position of a parameter, or the file if it has its default.
func (k *config) pos(name string) stack.Pos {
	if w, ok := k.values[name]; ok {
		return w.Pos
	}
	return stack.Pos{File: k.file}
}

// path of a file, "" for none.
func (k *config) path(name string) string {
	if v := k.text(name); v != "(null)" {
		return v
	}
	return ""
}
