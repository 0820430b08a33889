package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const materialsHelp = `List the material library.

Each material has the thermal conductivity k, the volumetric heat capacity c, the
temperature at which they are valid, and their source. With names, those
materials are shown in full. A stack file uses a library material by its name;
[materials.NAME] in the file defines another or replaces it.
`

const materialsExample = `  thermsim materials
  thermsim materials silicon tim_grease
  thermsim materials --json | jq '.[] | select(.k_W_per_mK[2] > 300) | .name'`

type materialsOptions struct {
	names []string
	json  bool
}

func newMaterialsCommand(g *session.Session) *cobra.Command {
	var o materialsOptions
	cmd := &cobra.Command{
		Use:               "materials [NAME...]",
		Short:             "List the material library",
		Long:              materialsHelp,
		Example:           materialsExample,
		Annotations:       exit.Statuses("0", "2 no such material"),
		ValidArgsFunction: completeMaterials,
		RunE: func(_ *cobra.Command, args []string) error {
			o.names = args
			return runMaterials(g, o)
		},
	}
	flags.AddJSON(cmd, &o.json)
	return cmd
}

func runMaterials(g *session.Session, o materialsOptions) error {
	library, err := stackfile.Library()
	if err != nil {
		// The library ships inside the program: a fault in it is not the user's.
		return exit.With(exit.Internal, err)
	}
	list, err := selectMaterials(library, o.names)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(g.Stdout)
	switch {
	case o.json:
		err = writeMaterialsJSON(w, list)
	case len(o.names) > 0:
		writeMaterialsInFull(g.Console, w, list)
	default:
		writeMaterialsTable(g.Console, w, list)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

func selectMaterials(library []stack.Material, names []string) ([]stack.Material, error) {
	if len(names) == 0 {
		return library, nil
	}
	var list []stack.Material
	for _, name := range names {
		i := slices.IndexFunc(library, func(m stack.Material) bool { return m.Name == name })
		if i < 0 {
			return nil, exit.Usagef("no material %q in the library%s; 'thermsim materials' lists them", name,
				similarNames(library, name))
		}
		list = append(list, library[i])
	}
	return list, nil
}

// similarNames lists the library's materials that share a part with name.
func similarNames(library []stack.Material, name string) string {
	var near []string
	for _, m := range library {
		part := min(4, len(name))
		if strings.Contains(m.Name, strings.ToLower(name)) || strings.HasPrefix(m.Name, strings.ToLower(name[:part])) {
			near = append(near, m.Name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	return " (there are " + strings.Join(near, ", ") + ")"
}

func writeMaterialsTable(c *terminal.Console, w *bufio.Writer, list []stack.Material) {
	t := terminal.Table{Header: []string{"material", ">k W/(m K)", ">c MJ/(m3 K)", ">at K", "source"}}
	for _, m := range list {
		t.Add(m.Name, materialConductivity(&m), fmt.Sprintf("%.3f", m.C/1e6), referenceTemperature(m), m.Source)
	}
	t.Write(c, w)
}

func writeMaterialsInFull(c *terminal.Console, w *bufio.Writer, list []stack.Material) {
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		title := ""
		if m.Title != "" {
			title = ", " + m.Title
		}
		fmt.Fprintln(w, c.Bold(m.Name)+title)
		fmt.Fprintf(w, "  k       %s W/(m K)\n", conductivity(m.K))
		fmt.Fprintf(w, "  c       %.4g J/(m3 K)\n", m.C)
		writeCurves(w, &m)
		for _, line := range [][2]string{{"at", referenceTemperature(m) + " K"}, {"source", m.Source},
			{"notes", m.Notes}} {
			if line[1] != "" {
				fmt.Fprintf(w, "  %-7s %s\n", line[0], line[1])
			}
		}
	}
}

// conductivity is one number, or three for x, y and z.
func conductivity(k [3]float64) string {
	if k[0] == k[1] && k[1] == k[2] {
		return fmt.Sprintf("%.4g", k[0])
	}
	return fmt.Sprintf("%.3g, %.3g, %.3g", k[0], k[1], k[2])
}

// materialConductivity is the conductivity, marked if it depends on temperature.
func materialConductivity(m *stack.Material) string {
	text := conductivity(m.K)
	if m.KCurve != [3]*stack.Curve{} {
		text += " (T)"
	}
	return text
}

// writeCurves prints temperature-dependent properties at some temperatures of their range.
func writeCurves(w *bufio.Writer, m *stack.Material) {
	from, to, any := m.Range()
	if !any {
		return
	}
	fmt.Fprintf(w, "  range   %.4g to %.4g K\n", from, to)
	for _, kelvin := range []float64{250, 300, 350, 400, 500, 600} {
		if kelvin >= from && kelvin <= to {
			at := m.At(kelvin)
			fmt.Fprintf(w, "  %.0f K   k %s W/(m K), c %.4g J/(m3 K)\n", kelvin, conductivity(at.K), at.C)
		}
	}
}

func referenceTemperature(m stack.Material) string {
	if m.TRef == 0 {
		return "300"
	}
	return fmt.Sprintf("%.4g", m.TRef)
}

// materialJSON is one entry of materials --json.
type materialJSON struct {
	Name   string     `json:"name"`
	Title  string     `json:"title"`
	K      [3]float64 `json:"k_W_per_mK"`
	C      float64    `json:"c_J_per_m3K"`
	TRef   float64    `json:"t_ref_K"`
	Source string     `json:"source"`
	Notes  string     `json:"notes"`
	// RangeK is the valid range of temperature-dependent properties; k and c are then those at t_ref_K.
	RangeK []float64 `json:"range_K,omitempty"`
}

func writeMaterialsJSON(w *bufio.Writer, list []stack.Material) error {
	out := make([]materialJSON, len(list))
	for i, m := range list {
		if m.TRef == 0 {
			m.TRef = 300
		}
		out[i] = materialJSON{m.Name, m.Title, m.K, m.C, m.TRef, m.Source, m.Notes, nil}
		if from, to, any := m.Range(); any {
			out[i].RangeK = []float64{from, to}
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func completeMaterials(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	library, err := stackfile.Library()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]string, len(library))
	for i, m := range library {
		names[i] = m.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
