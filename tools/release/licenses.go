package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// license is a license file of a module.
type license struct {
	name string // of the file, inside the module
	text string
	spdx string // its identifier
}

// chosen are the license files of modules that offer a choice.
var chosen = map[string][]string{
	"github.com/golang/freetype": {"licenses/ftl.txt"}, // of the FreeType License and the GPL, the first
}

// unusedParts are licenses of parts of a module that programs do not contain: file, and the packages that it covers.
var unusedParts = map[string]string{
	"gonum.org/v1/gonum/THIRD_PARTY_LICENSES/W3C-BSD-LICENSE":       "gonum.org/v1/gonum/graph/formats/rdf",
	"gonum.org/v1/gonum/THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE": "gonum.org/v1/gonum/graph/formats/rdf",
}

// licensesOf reads the license files of a module. An unknown license or a copyleft license is an error.
func licensesOf(m *module) ([]license, error) {
	names := chosen[m.Path]
	if names == nil {
		for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*", "THIRD_PARTY_LICENSES/*"} {
			found, err := filepath.Glob(filepath.Join(m.Dir, filepath.FromSlash(pattern)))
			if err != nil {
				return nil, err
			}
			for _, path := range found {
				name, err := filepath.Rel(m.Dir, path)
				if err != nil {
					return nil, err
				}
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	var list []license
	for _, name := range names {
		info, err := os.Stat(filepath.Join(m.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		about := unusedParts[m.Path+"/"+name]
		if info.IsDir() || about != "" && !slices.ContainsFunc(m.packages, func(p string) bool {
			return strings.HasPrefix(p, about)
		}) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(m.Dir, name))
		if err != nil {
			return nil, err
		}
		spdx, err := recognize(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %s: %w", m.Path, m.Version, name, err)
		}
		list = append(list, license{name, string(data), spdx})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s %s has no license file", m.Path, m.Version)
	}
	return list, nil
}

// copyleft are words of licenses that extend to what is built with a module.
var copyleft = []string{
	"gnu general public license", "gnu lesser general public license", "gnu library general public license",
	"gnu affero general public license",
	"mozilla public license", "eclipse public license", "common development and distribution license",
	"european union public licence",
	"server side public license", "business source license", "sharealike", "share-alike", "cecill",
}

// permissive are sentences that identify licenses, the more specific ones first.
var permissive = []struct{ sentence, spdx string }{
	{"sil open font license", "OFL-1.1"},
	{"the freetype project license", "FTL"},
	{"apache license version 2.0", "Apache-2.0"},
	{"boost software license - version 1.0", "BSL-1.0"},
	{"permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated " +
		"documentation files", "MIT"},
	{"licensed under the apache license, version 2.0", "Apache-2.0"}, // a notice
	{"permission to use, copy, modify, and distribute this software is freely granted, provided that this notice " +
		"is preserved", "SunPro"},
	{"copyright (c) 2014 by ignace bogaert", "LicenseRef-Bogaert"},
}

// recognize is the SPDX identifier of a license's text.
func recognize(text string) (string, error) {
	words := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, w := range copyleft {
		if strings.Contains(words, w) {
			return "", fmt.Errorf("copyleft license: %q", w)
		}
	}
	for _, p := range permissive {
		if strings.Contains(words, p.sentence) {
			return p.spdx, nil
		}
	}
	if strings.Contains(words, "redistribution and use in source and binary forms") {
		// The third clause, about names, which differ.
		if strings.Contains(words, "neither the name") || strings.Contains(words, "may not be used to endorse") ||
			strings.Contains(words, "not be used to endorse or promote") {
			return "BSD-3-Clause", nil
		}
		return "BSD-2-Clause", nil
	}
	return "", fmt.Errorf("unknown license. Fix: read it, and add it to tools/release")
}

// expression combines the licenses of a module.
func expression(list []license) string {
	var ids []string
	for _, l := range list {
		if !slices.Contains(ids, l.spdx) {
			ids = append(ids, l.spdx)
		}
	}
	return strings.Join(ids, " AND ")
}
