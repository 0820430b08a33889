package findings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/internal/printable"
	"thermsim/report/jsonfile"
)

// Formats are those of Write: text has a line for each finding, as compilers print them.
func Formats() []string { return []string{"text", "json", "sarif"} }

// Write writes findings of a version of thermsim.
func Write(w io.Writer, format, version string, found []Finding) error {
	switch format {
	case "json":
		return jsonfile.Write(w, struct {
			Schema   int       `json:"schema"`
			Command  string    `json:"command"`
			Version  string    `json:"version"`
			Findings []Finding `json:"findings"`
		}{1, "check", version, append([]Finding{}, found...)})
	case "sarif":
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(sarif(version, found))
	}
	for i := range found {
		if _, err := fmt.Fprintln(w, found[i].line()); err != nil {
			return err
		}
	}
	return nil
}

// line is file:line:column: severity: text [code].
func (f *Finding) line() string {
	text := strings.ReplaceAll(f.text(), "\n", " ")
	return printable.Lines(fmt.Sprintf("%s:%d:%d: %s: %s [%s]", f.File, max(1, f.Line), max(1, f.Column), f.Severity,
		text, f.Code))
}

func (f *Finding) text() string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + "; " + f.Fix
}

type object = map[string]any

// sarif is a log in version 2.1.0.
func sarif(version string, found []Finding) object {
	rules, results := []object{}, []object{}
	var codes []string
	for i := range found {
		f := &found[i]
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
			rules = append(rules, object{"id": f.Code})
		}
		file := object{"artifactLocation": object{"uri": uri(f.File)}}
		if f.Line > 0 {
			region := object{"startLine": f.Line}
			if f.Column > 0 {
				region["startColumn"], region["endColumn"] = f.Column, f.EndColumn
			}
			file["region"] = region
		}
		results = append(results, object{"ruleId": f.Code, "level": f.Severity, "message": object{"text": f.text()},
			"locations": []object{{"physicalLocation": file}}})
	}
	driver := object{"name": "thermsim", "version": cmp.Or(version, "unknown"), "rules": rules}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool": object{"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}}}
}

// uri names a file relative to the working directory, or by its absolute path.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}
