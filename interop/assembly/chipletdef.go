package assembly

import (
	"slices"

	"thermsim/interop/importer"
)

// chipletDef is a ChipletDef of a .3dbv.
type chipletDef struct {
	Type      scalar
	Area      list[number] `yaml:"design_area"`
	Seal      list[number] `yaml:"seal_ring_width"` // left, bottom, right, top
	Scribe    list[number] `yaml:"scribe_line_remaining_width"`
	Thickness number
	Shrink    number
	TSV       scalar
	Regions   named[struct {
		Side   scalar
		BMap   scalar
		Coords list[list[number]]
	}]
	External struct {
		DEF  list[scalar] `yaml:"DEF_file"`
		Tech list[scalar] `yaml:"APR_tech_file"`
		LEF  list[scalar] `yaml:"LEF_file"`
	}
}

// region is an area of a ChipletDef for bonds.
type region struct {
	box     // in the coordinates of the part
	side    string
	bumpMap file
}

// chipletDef makes a kind of part of a ChipletDef. The seal ring and the scribe line are around the design area.
func (r *dblox) chipletDef(f *dbloxFile, e *entry[chipletDef]) {
	name, v := e.key.text, &e.value
	switch {
	case !slices.Contains([]string{"die", "rdl", "ip", "substrate", "hier"}, v.Type.text):
		f.fail(e.key, "", "type of ChipletDef %.40q: got %.40q; expected die, rdl, ip, substrate or hier", name,
			v.Type.text)
		return
	case v.Type.text == "hier": // its design is in a .3dbx
		return
	case r.kinds[name] != nil:
		f.fail(e.key, "rename one of them", "two ChipletDefs are called %.40q", name)
		return
	}
	k := &kind{class: v.Type.text, names: []string{name, v.Type.text}, tsv: v.TSV.text == "true", pos: f.pos(e.key),
		regions: map[string]*region{}}
	r.kinds[name] = k
	var area [2]float64
	var seal, scribe [4]float64
	f.values(v.Area, area[:], e.key, "design_area")
	f.values(v.Seal, seal[:], e.key, "seal_ring_width")
	f.values(v.Scribe, scribe[:], e.key, "scribe_line_remaining_width")
	for axis := range 2 {
		k.design.lo[axis] = seal[axis] + scribe[axis]
		k.design.hi[axis] = k.design.lo[axis] + area[axis]
		k.size[axis] = k.design.hi[axis] + seal[axis+2] + scribe[axis+2]
		if k.design.lo[axis] < 0 || k.design.hi[axis] > k.size[axis] {
			f.fail(e.key, "", "seal_ring_width and scribe_line_remaining_width: expected 0 or more")
		}
	}
	k.size[2] = r.thickness(v.Thickness.value, k.names...)
	if s := v.Shrink; s.text != "" && s.value != 1 {
		r.Note(importer.Warning, f.pos(s.scalar), "shrink is %.40s: lengths are taken as they are written", s.text)
	}
	for _, g := range v.Regions {
		if len(g.value.Coords) != 4 || !slices.Contains([]string{"front", "back", "internal", "internal_ext"},
			g.value.Side.text) {
			f.fail(g.key, "", "region %.40q: got side %.40q and %d coords; expected front, back, internal or "+
				"internal_ext, and the 4 corners of a rectangle", g.key.text, g.value.Side.text, len(g.value.Coords))
			return
		}
		n := &region{side: g.value.Side.text, bumpMap: file{g.value.BMap.text, f.pos(g.value.BMap)}}
		n.box = nowhere()
		for _, c := range g.value.Coords {
			var corner [3]float64
			f.values(c, corner[:2], g.key, "coords")
			n.include(box{corner, corner})
		}
		n.box = n.common(&box{hi: k.size})
		n.lo[2], n.hi[2] = 0, k.size[2]
		k.regions[g.key.text] = n
	}
	for _, def := range v.External.DEF {
		k.def = file{def.text, f.pos(def)}
	}
	for _, lef := range slices.Concat(v.External.Tech, v.External.LEF) {
		k.lef = append(k.lef, file{lef.text, f.pos(lef)})
	}
}
