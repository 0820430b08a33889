package gds

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/internal/printable"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// table is what the layers of a layout are made of. Heights are in um.
type table struct {
	background []layer // from the bottom
	layers     []layer
	materials  []material
	notes      []importer.Note
	file       string
}

// layer is a sheet of one material, everywhere or as drawn in the layout.
type layer struct {
	name, material string
	rule           stack.Rule
	z0, z1         float64
	keys           []drawn
	present        []layerKey // in the layout
}

// drawn is a layer of the layout, with one datatype or, if it is negative, those of the request.
type drawn struct{ layer, datatype int }

// material is one that the stack file defines.
type material struct {
	name, source string
	k, c         float64 // W/(m K), J/(m3 K)
}

const (
	mostRows = 1000
	mostMaps = 64 // bits of a set
)

func (t *table) note(kind importer.NoteKind, format string, args ...any) {
	t.notes = append(t.notes, note(t.file, kind, format, args...))
}

func note(file string, kind importer.NoteKind, format string, args ...any) importer.Note {
	return importer.Note{Kind: kind, Pos: stack.Pos{File: file}, Text: fmt.Sprintf(format, args...)}
}

// readTable reads a layer table: an XML stackup or CSV.
func readTable(path string) (*table, error) {
	data, err := inputfile.Read(path)
	if err != nil {
		return nil, fault(path, "", "cannot read the layer table: %s", importer.Reason(err))
	}
	t := &table{file: path}
	if len(data) > 1<<20 {
		err = errors.New("a layer table of more than 1 MiB")
	} else if bytes.HasPrefix(bytes.TrimLeft(data, "\xef\xbb\xbf \t\r\n"), []byte("<")) {
		err = t.xml(data)
	} else {
		err = t.csv(data)
	}
	var known *stack.Error
	if err == nil && len(t.background) == 0 {
		err = errors.New("no layers")
	}
	if err != nil && !errors.As(err, &known) {
		err = fault(path, "", "%v", err)
	}
	return t, err
}

// csv reads a row for each layer of the stack, from the bottom, after a heading.
func (t *table) csv(data []byte) error {
	var faults importer.Faults
	sheet := importer.ReadTable(&faults, t.file, data, "name", "thickness [um]", "material", "gds")
	for _, row := range sheet.Rows {
		err := t.row(func(name string) string { return sheet.At(row, name).Text })
		if err != nil {
			return &stack.Error{Pos: stack.Pos{File: t.file, Line: row[0].Pos.Line}, Msg: err.Error()}
		}
	}
	return faults.Err(t.file)
}

// row adds a layer on top.
func (t *table) row(field func(string) string) error {
	height, err := inputfile.Number(field("thickness [um]"))
	b := layer{name: clean(field("name")), material: field("material")}
	if n := len(t.background); n > 0 {
		b.z0 = t.background[n-1].z1
	}
	b.z1 = b.z0 + height
	if err != nil || !(height >= 1e-3 && height <= 1e5) || b.name == "" || b.material == "" ||
		len(t.background) == mostRows {
		return fmt.Errorf("expected a name, a material and a thickness of 0.001 to 1e5 um, in at most %d rows",
			mostRows)
	}
	t.background = append(t.background, b)
	if field("gds") == "" {
		return nil
	}
	b.material, b.rule = cmp.Or(field("inclusion"), "copper"), stack.Rule(cmp.Or(field("rule"), string(stack.Pattern)))
	if !slices.Contains(stack.Rules(), b.rule) {
		return fmt.Errorf("rule: got %q; expected one of %v", stack.Shorten(string(b.rule)), stack.Rules())
	}
	b.keys, err = parseKeys(field("gds"))
	t.layers = append(t.layers, b)
	return err
}

// parseKeys reads layers such as "8", "8/0" or "8/0 8/22".
func parseKeys(text string) (keys []drawn, err error) {
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' }) {
		l, d, exact := strings.Cut(f, "/")
		k := drawn{datatype: -1}
		k.layer, err = strconv.Atoi(l)
		if err == nil && exact {
			k.datatype, err = strconv.Atoi(d)
		}
		if err != nil || min(k.layer, k.datatype+1) < 0 || max(k.layer, k.datatype) > math.MaxUint16 {
			return nil, fmt.Errorf("layers: got %q; expected layers such as 8, or with datatypes 8/0 8/22",
				stack.Shorten(text))
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// sheet is a layer of the stack: a background and the drawn layers in it.
type sheet struct {
	name, material string
	thickness      float64 // um
	inclusion      string  // "" where nothing is drawn
	rule           stack.Rule
	keys           string // of the drawn layers
	mapped         string // name of the map, or ""
}

// sheets cuts the background at the heights of the drawn layers that the layout has, and gives each set of these a map.
func (t *table) sheets(l *layout, datatypes []int) (sheets []sheet, maps []string, err error) {
	var zs []float64
	for _, b := range t.background {
		zs = append(zs, b.z0, b.z1)
	}
	for i := range t.layers {
		if t.layers[i].find(l.found, datatypes); len(t.layers[i].present) == 0 {
			t.note(importer.NotCarried, "layer %q has no shapes in the layout", t.layers[i].name)
			continue
		}
		zs = append(zs, t.layers[i].z0, t.layers[i].z1)
	}
	slices.Sort(zs)
	const thinnest = 1e-4 // um; closer heights are one
	zs = slices.CompactFunc(zs, func(a, b float64) bool { return math.Abs(b-a) < thinnest })
	index := map[string]int{}
	names := map[string]bool{}
	for i := 0; i+1 < len(zs); i++ {
		s, keys := t.sheet(zs[i], zs[i+1])
		if s.name == "" {
			continue
		}
		s.name = printable.Distinct(s.name, func(name string) bool { return names[name] })
		names[s.name] = true
		if len(keys) > 0 {
			s.keys = strings.Trim(fmt.Sprint(keys), "[]")
			m, known := index[s.keys]
			if !known {
				if m = len(maps); m == mostMaps {
					return nil, nil, fmt.Errorf("more than %d sets of layers at one height", mostMaps)
				}
				index[s.keys], maps = m, append(maps, s.name)
				for _, k := range keys {
					l.maps[k] |= 1 << m
				}
			}
			s.mapped = maps[m]
		}
		sheets = append(sheets, s)
	}
	return sheets, maps, nil
}

// find lists the layers of the layout that belong to a layer.
func (d *layer) find(found map[layerKey]int64, datatypes []int) {
	d.present = nil
	for key := range found {
		number, datatype := int(key>>16), int(key&0xffff)
		if slices.ContainsFunc(d.keys, func(k drawn) bool {
			return k.layer == number &&
				(k.datatype == datatype || k.datatype < 0 && slices.Contains(datatypes, datatype))
		}) {
			d.present = append(d.present, key)
		}
	}
}

// sheet is what is between two heights: without a name where there is no background.
func (t *table) sheet(z0, z1 float64) (s sheet, keys []layerKey) {
	mid := (z0 + z1) / 2
	at := slices.IndexFunc(t.background, func(b layer) bool { return b.z0 < mid && mid < b.z1 })
	if at < 0 {
		return s, nil
	}
	b := t.background[at]
	s = sheet{name: b.name, material: b.material, thickness: math.Round((z1-z0)*1e6) / 1e6}
	for i := range t.layers {
		d := &t.layers[i]
		if len(d.present) == 0 || d.z0 >= mid || d.z1 <= mid {
			continue
		}
		if keys = append(keys, d.present...); s.inclusion == "" {
			s.inclusion, s.rule, s.name = d.material, d.rule, d.name
		} else if s.inclusion != d.material {
			t.note(importer.Adapted, "layers %q and %q share heights; there both count as %s", s.name, d.name,
				s.inclusion)
		}
	}
	slices.Sort(keys)
	return s, slices.Compact(keys)
}
