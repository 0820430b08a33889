// Package fmu writes reduced models as functional mock-up units (FMU) for co-simulation. A unit holds the model as C
// source code. The Functional Mock-up Interface (FMI) is a standard of the Modelica Association.
package fmu

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"time"

	"thermsim/internal/printable"
	"thermsim/study/reducedmodel"
)

//go:embed c
var sources embed.FS

// buildDescription is the list of the source files in FMI 3.0.
const buildDescription = xml.Header + `<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="%s">
    <SourceFileSet language="C99"><SourceFile name="model.c"/></SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
`

// unit is the content of modelDescription.xml.
type unit struct {
	Version                               int
	Title, Description, Identifier, Token string
	Stop, Step                            float64 // s
	Variables                             []variable
	Outputs                               []int // indices of Variables
}

// variable is a variable; its value reference is its index.
type variable struct {
	Name, Unit, Causality, Description string
	Start                              string // optional
}

// Write writes a model for FMI 2.0 or 3.0. Equal models result in equal files.
func Write(w io.Writer, m *reducedmodel.Model, version int) error {
	if err := m.Check(); err != nil {
		return err
	}
	u := describe(m, version)
	xmlText, cText, err := u.render(m)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(xmlText + cText))
	u.Token = fmt.Sprintf("{%x-%x-%x-%x-%x}", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	u.Identifier += fmt.Sprintf("_%x", sum[:4])
	if xmlText, cText, err = u.render(m); err != nil {
		return err
	}
	files := [][2]string{{"modelDescription.xml", xmlText}, {"sources/model.c", cText}}
	if version == 3 {
		files = append(files, [2]string{"sources/buildDescription.xml", fmt.Sprintf(buildDescription, u.Identifier)})
	}
	z := zip.NewWriter(w)
	for _, f := range files {
		part, err := z.CreateHeader(&zip.FileHeader{Name: f[0], Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(part, f[1]); err != nil {
			return err
		}
	}
	return z.Close()
}

// describe lists the variables in the order of the value references in thermal.c.
func describe(m *reducedmodel.Model, version int) *unit {
	u := &unit{Version: version, Title: cmp.Or(m.Title, "thermal model"), Identifier: identifier(m.Title),
		Stop: 5 * m.Tau[0], Step: m.Tau[0] / 50,
		Description: fmt.Sprintf("reduced thermal model of %d states, estimated error %.2g K", m.States(),
			m.Error.EstimateK)}
	seen := map[string]bool{}
	add := func(v variable) {
		name := v.Name
		for k := 2; seen[v.Name]; k++ {
			v.Name = fmt.Sprintf("%s_%d", name, k)
		}
		seen[v.Name] = true
		u.Variables = append(u.Variables, v)
	}
	add(variable{Name: "time", Unit: "s", Causality: "independent"})
	for _, in := range m.Inputs {
		add(variable{in.Name + "_W", "W", "input", "power of " + in.Name, digits(in.Watts)})
	}
	for i := range m.Outputs {
		o := &m.Outputs[i]
		u.Outputs = append(u.Outputs, len(u.Variables))
		add(variable{o.Column(), "K", "output", o.Kind + " temperature of " + o.Name, ""})
	}
	start := []variable{
		{"ambient_K", "K", "parameter", "ambient temperature", digits(m.Ambient)},
		{"initial_K", "K", "parameter", "uniform initial temperature", digits(m.Initial)}}
	for _, v := range start[:parameters(m)] {
		add(v)
	}
	return u
}

// parameters is the number of parameters of a model: its ambient temperature if all outputs equal it without power, and
// its initial temperature if that is different.
func parameters(m *reducedmodel.Model) int {
	switch {
	case !m.Uniform():
		return 0
	case m.Start == nil || m.Initial == m.Ambient:
		return 1
	}
	return 2
}

// render returns modelDescription.xml and model.c.
func (u *unit) render(m *reducedmodel.Model) (description, source string, err error) {
	t := template.New("modelDescription.xml.txt").Funcs(template.FuncMap{"text": text,
		"inc": func(n int) int { return n + 1 }})
	if t, err = t.ParseFS(sources, "c/modelDescription.xml.txt"); err != nil {
		return "", "", err
	}
	var x, c strings.Builder
	if err := t.Execute(&x, u); err != nil {
		return "", "", err
	}
	u.data(&c, m)
	for _, name := range []string{"c/thermal.c", fmt.Sprintf("c/fmi%d.c", u.Version)} {
		part, err := sources.ReadFile(name)
		if err != nil {
			return "", "", fmt.Errorf("FMI %d is not supported", u.Version)
		}
		c.Write(part)
	}
	return x.String(), c.String(), nil
}

// data writes the numbers of a model as C.
func (u *unit) data(w io.Writer, m *reducedmodel.Model) {
	fmt.Fprintf(w, "/* Shared library: cc -O2 -shared -fPIC -o %s.so model.c -lm */\n", u.Identifier)
	fmt.Fprintf(w, "#define PREFIX %s_\n#define TOKEN %q\n", u.Identifier, u.Token)
	fmt.Fprintf(w, "#define AMBIENT %s\n#define INITIAL %s\n", digits(m.Ambient), digits(m.Initial))
	fmt.Fprintf(w, "enum { STATES = %d, INPUTS = %d, OUTPUTS = %d, PARAMETERS = %d };\n", m.States(), len(m.Inputs),
		len(m.Outputs), parameters(m))
	var watts, rest []float64
	for _, in := range m.Inputs {
		watts = append(watts, in.Watts)
	}
	for _, o := range m.Outputs {
		rest = append(rest, o.Rest)
	}
	start := m.Start
	if start == nil {
		start = make([]float64, m.States())
	}
	array(w, "TAU[STATES]", m.Tau)
	array(w, "START[STATES]", start)
	array(w, "WATTS[INPUTS]", watts)
	array(w, "REST[OUTPUTS]", rest)
	matrix(w, "B[STATES][INPUTS]", m.B)
	matrix(w, "L[OUTPUTS][STATES]", m.L)
	fmt.Fprintln(w)
}

func array(w io.Writer, name string, values []float64) {
	fmt.Fprintf(w, "static const double %s = ", name)
	row(w, values)
	fmt.Fprintln(w, ";")
}

func matrix(w io.Writer, name string, m reducedmodel.Matrix) {
	fmt.Fprintf(w, "static const double %s = {", name)
	for i := range m.Rows {
		row(w, m.Row(i))
		fmt.Fprintln(w, ",")
	}
	fmt.Fprintln(w, "};")
}

// row writes values in braces, five on each line.
func row(w io.Writer, values []float64) {
	before := "{"
	for i, v := range values {
		io.WriteString(w, before+digits(v))
		before = ", "
		if i%5 == 4 {
			before = ",\n"
		}
	}
	io.WriteString(w, "}")
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// text is a text as a value of an XML attribute.
func text(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(printable.Text(s))) // a buffer has no errors
	return b.String()
}

// identifier is a title as an identifier of C.
func identifier(title string) string {
	name := []byte("thermal_")
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			name = append(name, byte(r))
		case name[len(name)-1] != '_':
			name = append(name, '_')
		}
		if len(name) > 30 {
			break
		}
	}
	return strings.TrimRight(string(name), "_")
}
