package threedice

import (
	"strings"

	"thermsim/interop/importer"
)

// parseMlt reads the text of a layout (.mlt): materials of its own, then rectangles by material.
func parseMlt(file string, data []byte, faults *importer.Faults, notes *[]importer.Note) (materials []material,
	patches []layoutPatch) {
	keywords := strings.Fields("capacity conductivity dimension heat material position rectangle thermal volumetric")
	p := newParser(file, data, keywords, faults, notes)
	for !p.failed && p.is("material") {
		m := parseMaterial(p)
		for _, other := range materials {
			if other.name == m.name {
				p.faults.Add(m.pos, "rename one of them", "material %q is there twice, first at line %d", m.name,
					other.pos.Line)
			}
		}
		materials = append(materials, m)
	}
	for !p.failed {
		patch := layoutPatch{pos: p.tok.pos}
		patch.material, _ = p.identifier("a material")
		p.expect(":")
		patch.rects = p.rectangles()
		for _, other := range patches {
			if other.material == patch.material && !p.failed {
				p.faults.Add(patch.pos, "put all its rectangles behind the first", "material %q is laid out twice, "+
					"first at line %d; 3D-ICE refuses that", patch.material, other.pos.Line)
			}
		}
		patches = append(patches, patch)
		if p.tok.kind == endOfFile {
			break
		}
	}
	return materials, patches
}
