package threedice

import (
	"thermsim/interop/importer"
	"thermsim/stack"
)

// layout is a .mlt file: its own materials, then rectangles by material.
type layout struct {
	materials []material
	patches   []layoutPatch
}

// parseMlt reads the text of a layout.
func parseMlt(c *importer.Collector, file string, data []byte) *layout {
	p := newParser(c, file, data, "capacity conductivity dimension heat material position rectangle thermal volumetric")
	l := &layout{}
	for p.is("material") {
		declare(p, &l.materials, "material", stack.MaxLayers, parseMaterial(p))
	}
	for !p.failed {
		patch := layoutPatch{named: p.identifier("a material")}
		p.expect(":")
		patch.rects = p.rectangles()
		declare(p, &l.patches, "the patch of material", stack.MaxLayers, patch)
		if p.tok.kind == endOfFile {
			break
		}
	}
	return l
}
