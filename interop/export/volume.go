package export

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
)

// volume writes all cells as a VTK file of hexahedra with a temperature each, and a label that is 1 for underfill and
// air. Every instant is a separate file, which has a number unless it is the final one.
func (w *threeDICE) volume(ins *threedice.Output, _ float64, f solution.Field) error {
	out, err := w.files.open(w.volumeName(ins))
	if err != nil {
		return err
	}
	var solids []solid
	for i := range w.outputs.Slabs {
		if solids, err = w.appendSlab(solids, &w.outputs.Slabs[i], f); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "# vtk DataFile Version 3.0\n3D Temperature Map\nASCII\nDATASET "+
		"UNSTRUCTURED_GRID\nPOINTS %d float\n", 8*len(solids))
	for _, s := range solids {
		for _, z := range [2]float64{s.bottom, s.bottom + s.height} {
			for _, corner := range [4][2]float64{{s.X, s.Y}, {s.X + s.Width, s.Y}, {s.X + s.Width, s.Y + s.Height},
				{s.X, s.Y + s.Height}} {
				fmt.Fprintf(out, "%f %f %f\n", corner[0], corner[1], z)
			}
		}
	}
	fmt.Fprintf(out, "CELLS %d %d\n", len(solids), 9*len(solids))
	for i := range solids {
		fmt.Fprintf(out, "8 %d %d %d %d %d %d %d %d\n", 8*i, 8*i+1, 8*i+2, 8*i+3, 8*i+4, 8*i+5, 8*i+6, 8*i+7)
	}
	fmt.Fprintf(out, "CELL_TYPES %d\n%sCELL_DATA %[1]d\nSCALARS Temperature float 1\nLOOKUP_TABLE default\n",
		len(solids), strings.Repeat("12\n", len(solids)))
	for _, s := range solids {
		fmt.Fprintf(out, "%*.*f\n", w.decimals+4, w.decimals, s.kelvin)
	}
	fmt.Fprint(out, "SCALARS Labels int 1\nLOOKUP_TABLE default\n")
	for _, s := range solids {
		fmt.Fprintf(out, "%d\n", s.label)
	}
	fmt.Fprintln(out)
	return nil
}

// volumeName is the name of the file at this instant.
func (w *threeDICE) volumeName(ins *threedice.Output) string {
	name := inside(ins.File)
	number := w.step
	switch {
	case ins.When == "final":
		return name
	case ins.When == "slot" && w.outputs.StepsPerSlot > 0:
		number /= w.outputs.StepsPerSlot
	}
	return numbered(name, strconv.Itoa(number))
}

// solid is a cell of non-uniform mode with its height, in um.
type solid struct {
	cell
	bottom, height float64
	kelvin         float64
	label          int
}

func (w *threeDICE) appendSlab(solids []solid, s *threedice.Slab, f solution.Field) ([]solid, error) {
	k := w.mesh.LayerPlanes[s.Layer][0]
	if err := f.Plane(k, w.plane); err != nil {
		return nil, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
	}
	w.layer = s.Layer
	for i, c := range w.cells.of(s.Element) {
		v := solid{cell: c, bottom: s.Bottom, height: s.Height, kelvin: w.cells.mean(w.plane, c)}
		if m := s.Materials[w.cells.block(s.Element, i)]; m == "UNDERFILL" || m == "AIR" {
			v.label = 1
		}
		solids = append(solids, v)
	}
	return solids, nil
}

func numbered(name, number string) string {
	return strings.TrimSuffix(name, filepath.Ext(name)) + number + ".vtk"
}
