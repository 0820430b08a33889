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

// unit is what the templates of an FMU are executed with.
type unit struct {
	*reducedmodel.Model
	Version                 int
	Name, Identifier, Token string
	Stop, Step              float64 // s
	Variables               []variable
	Temperatures            []int // indices of Variables
	Parameters              int   // number of parameters: the last variables.
}

// variable is a variable; its value reference is its index.
type variable struct {
	Name, Unit, Causality, Description string
	Start                              string // none for outputs and time.
}

// Write writes a model for FMI 2.0 or 3.0. Equal models result in equal files.
func Write(w io.Writer, m *reducedmodel.Model, version int) error {
	if version != 2 && version != 3 {
		return fmt.Errorf("got FMI %d; expected 2 or 3", version)
	}
	if err := m.Check(); err != nil {
		return err
	}
	t, err := template.New("").Funcs(template.FuncMap{"text": text, "inc": func(n int) int { return n + 1 }}).
		ParseFS(sources, "c/*.txt")
	if err != nil {
		return err
	}
	u := describe(m, version)
	files, err := u.files(t)
	if err != nil {
		return err
	}
	sum := sha256.New()
	for _, f := range files {
		sum.Write(f.Bytes())
	}
	hash := sum.Sum(nil)
	u.Token = fmt.Sprintf("{%x-%x-%x-%x-%x}", hash[:4], hash[4:6], hash[6:8], hash[8:10], hash[10:16])
	u.Identifier = fmt.Sprintf("thermal_%x", hash[:4])
	if files, err = u.files(t); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for n, name := range []string{"modelDescription.xml", "sources/model.c", "sources/buildDescription.xml"} {
		part, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return err
		}
		if _, err := part.Write(files[n].Bytes()); err != nil {
			return err
		}
	}
	return z.Close()
}

// files are modelDescription.xml, model.c and buildDescription.xml, which FMI 2.0 ignores.
func (u *unit) files(t *template.Template) ([3]bytes.Buffer, error) {
	var files [3]bytes.Buffer
	for n, name := range []string{"modelDescription.xml.txt", "data.c.txt", "buildDescription.xml.txt"} {
		if err := t.ExecuteTemplate(&files[n], name, u); err != nil {
			return files, err
		}
	}
	for _, name := range []string{"thermal.c", "fmi%d.h", "shared.c", "fmi%d.c"} {
		code, err := sources.ReadFile("c/" + strings.Replace(name, "%d", strconv.Itoa(u.Version), 1))
		if err != nil {
			return files, err
		}
		files[1].Write(code)
	}
	return files, nil
}

// describe lists the variables in the order of the value references in thermal.c.
func describe(m *reducedmodel.Model, version int) *unit {
	u := &unit{Model: m, Version: version, Name: cmp.Or(m.Title, "thermal model"), Stop: 5 * m.Tau[0],
		Step: m.Tau[0] / 50}
	seen := map[string]bool{}
	add := func(name, unit, causality, description, start string) {
		unique := printable.Distinct(name, func(s string) bool { return seen[s] })
		seen[unique] = true
		u.Variables = append(u.Variables, variable{unique, unit, causality, description, start})
	}
	add("time", "s", "independent", "time", "")
	for _, in := range m.Inputs {
		add(in.Name+"_W", "W", "input", "power of "+in.Name, fmt.Sprint(in.Watts))
	}
	for i := range m.Outputs {
		o := &m.Outputs[i]
		u.Temperatures = append(u.Temperatures, len(u.Variables))
		add(o.Column(), "K", "output", o.Kind+" temperature of "+o.Name, "")
	}
	if m.Uniform() {
		add("ambient_K", "K", "parameter", "ambient temperature", fmt.Sprint(m.Ambient))
		u.Parameters++
		if m.Start != nil && m.Initial != m.Ambient {
			add("initial_K", "K", "parameter", "uniform initial temperature", fmt.Sprint(m.Initial))
			u.Parameters++
		}
	}
	return u
}

// text is a text as a value of an XML attribute.
func text(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(printable.Text(s))) // a buffer has no errors
	return b.String()
}
