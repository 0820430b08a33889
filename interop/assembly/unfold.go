package assembly

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/eda"
	"thermsim/stack/stackfile"
)

// unfold places the instances of a design in the assembly, and connects them. prefix is the path of the design.
func (r *dblox) unfold(g *design, prefix string, at placement) {
	if r.unfolded++; r.unfolded > maxParts {
		r.Faults.Add(g.pos, "simplify the assembly", "more than %d designs", maxParts)
	}
	for _, i := range g.instances {
		if r.Faults.Len() > 0 {
			return
		}
		name, where := prefix+i.name, at.within(i.turned.moved(i.size(), i.corner))
		if i.of != nil {
			r.unfold(i.of, name+"/", where)
			continue
		}
		if q := r.place(name, i.kind, where, i.pos); q != nil {
			if i.def.path != "" {
				q.def = i.def
			}
			r.placed[name] = q
		}
	}
	for i := range g.file.Connections {
		if r.Faults.Len() == 0 {
			r.connect(&g.file.Connections[i], &g.file.source, prefix)
		}
	}
}

// face is a region of a part in the assembly.
type face struct {
	*part
	*region
	area box
	side string // top, bottom, or that of the region
}

// faceOf finds the region of a path such as a/b.regions.r.
func (r *dblox) faceOf(path, prefix string) (f face, fault string) {
	instance, name, _ := strings.Cut(path, ".regions.")
	f.part = r.placed[prefix+strings.Trim(instance, "/")]
	if f.part == nil {
		return f, "no instance has the region " + quoted(path)
	}
	if f.region = f.kind.regions[name]; f.region == nil {
		return f, describe(f.part) + " has no region " + quoted(name)
	}
	f.area = f.placement.box(f.region.box)
	f.side = f.region.side
	if f.side == "front" || f.side == "back" {
		f.side = "bottom"
		if (f.region.side == "front") != f.mirrorZ {
			f.side = "top"
		}
	}
	return f, ""
}

// connect makes a bond of a connection, by the rules of OpenROAD's checker: the faces see each other, and their
// distance is the thickness.
func (r *dblox) connect(e *entry[connection], f *source, prefix string) {
	top, bottom := e.value.Top.text, strings.Trim(e.value.Bot.text, "~")
	upper, fault := r.faceOf(cmp.Or(top, bottom), prefix)
	lower, other := r.faceOf(cmp.Or(bottom, top), prefix)
	if fault = cmp.Or(fault, other); fault != "" {
		f.fail(e.key, "", "connection %.40q: %s", e.key.text, fault)
		return
	}
	if top == "" || bottom == "" {
		hold(upper.part, &r.outside)
		return
	}
	hold(upper.part, lower.part)
	if upper.side == "top" {
		upper, lower = lower, upper
	}
	common, thickness := upper.area.common(&lower.area), e.value.Thickness.value
	common.lo[2], common.hi[2] = lower.part.hi[2], upper.part.lo[2]
	external := upper.side == "internal_ext" || lower.side == "internal_ext"
	switch gap := common.extent(2); {
	case !common.wide():
		fault = "their regions have no common area"
	case external:
	case upper.side != "bottom" || lower.side != "top":
		fault = "their regions do not face each other"
	case math.Abs(gap-thickness) > gapTolerance:
		fault = fmt.Sprintf("the gap is %.6g um; expected the thickness, %.6g um", gap, thickness)
	case len(r.bonds) == maxParts:
		fault = fmt.Sprintf("more than %d bonds", maxParts)
	}
	if fault != "" {
		f.fail(e.key, "correct the locations or the connection", "connection %.40q from %s to %s: %s", e.key.text,
			describe(lower.part), describe(upper.part), fault)
	}
	if fault != "" || external || thickness <= near {
		return
	}
	b := &bond{box: common, name: prefix + e.key.text, pos: f.pos(e.key), layers: []plane{{name: "bumps"}}}
	for _, side := range []face{upper, lower} {
		if b.bumps == nil && side.bumpMap.path != "" {
			b.bumps = r.bumpsOf(side, b)
		}
	}
	r.bonds = append(r.bonds, b)
}

// gapTolerance is a database unit of the coarsest usual precision, in um.
const gapTolerance = 1e-3

// bumpsOf are the bumps of a face, in the assembly. Without a diameter their sizes are those of the part's LEF files.
func (r *dblox) bumpsOf(f face, b *bond) []eda.Box {
	path := f.bumpMap.near()
	data, ok := r.OpenNear(path, f.bumpMap.pos)
	if !ok {
		return nil
	}
	diameter := 1e6 * r.given.Bond(b.name, "all").Diameter
	var sizes map[string][2]float64
	if diameter == 0 {
		sizes = r.cellSizes(f.kind)
	}
	var list []eda.Box
	for words := range stackfile.Words(path, data, &r.Faults.FaultList) {
		var at [3]float64
		valid := len(words) == 6
		for axis := 0; axis < 2 && valid; axis++ {
			v, err := inputfile.Number(words[2+axis].Text)
			at[axis], valid = v, err == nil && math.Abs(v) <= maxLength
		}
		if r.bumps++; !valid || r.bumps > maxBumps {
			r.Faults.Add(words[0].Pos, "", "bump %d: expected instance, cell, x, y, port, net, and at most %d bumps "+
				"of all bonds", r.bumps, maxBumps)
			return nil
		}
		size, known := sizes[words[1].Text]
		if diameter > 0 {
			size, known = [2]float64{diameter, diameter}, true
		}
		if !known {
			r.Faults.Add(words[1].Pos, "set diameter in [bond."+b.name+"] of the parts file", "bump cell %.40q is in "+
				"no LEF of %s", words[1].Text, describe(f.part))
			return nil
		}
		at = f.placement.point(at)
		w, h := size[0]/2, size[1]/2
		list = append(list, eda.Box{X0: at[0] - w, Y0: at[1] - h, X1: at[0] + w, Y1: at[1] + h})
	}
	return list
}

// cellSizes are those of the LEF files of a kind; nil if it has none, and after a fault.
func (r *dblox) cellSizes(k *kind) map[string][2]float64 {
	paths := r.paths(k.lef...)
	key := strings.Join(paths, "\x00")
	if key == "" || r.sizes[key] != nil {
		return r.sizes[key]
	}
	sizes, err := eda.Sizes(paths, r.opener)
	if err != nil {
		r.Faults.AddError(err)
	}
	r.sizes[key] = sizes
	return sizes
}
