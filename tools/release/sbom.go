package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// bill is a software bill of materials in CycloneDX 1.5 (cyclonedx.org), without a serial number, which would differ
// between builds.
type bill struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
	Dependencies []relation  `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string       `json:"type"`
	Ref      string       `json:"bom-ref"`
	Name     string       `json:"name"`
	Version  string       `json:"version"`
	PURL     string       `json:"purl,omitempty"`
	Licenses []expressed  `json:"licenses"`
	Hashes   []hashOfFile `json:"hashes,omitempty"`
}

type expressed struct {
	Expression string `json:"expression"`
}

type hashOfFile struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type relation struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeSBOM writes the bill of a program from its build information, with the licenses of its modules.
func (r *release) writeSBOM(w io.Writer, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	modules, err := modulesOf(targets)
	if err != nil {
		return err
	}
	known := map[string]*module{}
	for _, m := range modules {
		known[m.Path+"@"+m.Version] = m
	}
	main := component{
		Type: "application", Ref: "thermsim", Name: "thermsim", Version: r.version,
		Licenses: []expressed{{"Apache-2.0"}},
		Hashes:   []hashOfFile{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(data))}},
	}
	b := bill{Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{r.time.Format(time.RFC3339), main}}
	add := func(c component) {
		c.Ref = c.PURL
		b.Components = append(b.Components, c)
	}
	for _, d := range info.Deps {
		m := known[d.Path+"@"+d.Version]
		if m == nil || d.Replace != nil {
			return fmt.Errorf("%s was built with %s %s, which this source does not require", program, d.Path, d.Version)
		}
		licenses, err := licensesOf(m)
		if err != nil {
			return err
		}
		add(component{Type: "library", Name: d.Path, Version: d.Version, PURL: "pkg:golang/" + d.Path + "@" + d.Version,
			Licenses: []expressed{{expression(licenses)}}})
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	add(component{Type: "library", Name: "std", Version: version, PURL: "pkg:golang/std@" + version,
		Licenses: []expressed{{"BSD-3-Clause"}}})
	web := twgl("")
	add(component{Type: "library", Name: web.Path, Version: web.Version,
		PURL: "pkg:npm/" + web.Path + "@" + web.Version, Licenses: []expressed{{"MIT"}}})
	all := relation{Ref: main.Ref}
	for _, c := range b.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	b.Dependencies = []relation{all}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(b)
}
