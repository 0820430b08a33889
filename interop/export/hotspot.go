package export

import (
	"fmt"
	"strconv"

	"thermsim/gpusolve/lumped"
	"thermsim/gpusolve/solution"
	"thermsim/interop/hotspot"
	"thermsim/mesh"
)

// hotSpot writes the files that HotSpot writes: .steady and .grid.steady of a steady state, .ttrace and .grid.ttrace of
// a transient.
type hotSpot struct {
	outputs  *hotspot.Outputs
	mesh     *mesh.Mesh
	files    *files
	blocks   *file
	grid     *file
	decimals int
	steps    int
	step     int
	planes   [][]float64 // the die's part of a layer's plane, by layer
	whole    []float64
	digits   []byte
}

// hotSpotDecimals are those of HotSpot's files.
const hotSpotDecimals = 2

func newHotSpot(o *hotspot.Outputs, m *mesh.Mesh, options Options) (*hotSpot, error) {
	if m.NX() < o.DieX+o.Cols || m.NY() < o.DieY+o.Rows {
		return nil, fmt.Errorf("HotSpot's files: got a mesh of %d x %d cells; expected HotSpot's grid of %d x %d "+
			"cells over the die. Fix: omit --grid", m.NX(), m.NY(), o.Cols, o.Rows)
	}
	w := &hotSpot{outputs: o, mesh: m, files: newFiles(options.Files), decimals: options.Decimals, steps: options.Steps,
		whole: make([]float64, m.NX()*m.NY())}
	if w.decimals < 0 {
		w.decimals = hotSpotDecimals
	}
	for range o.Layers {
		w.planes = append(w.planes, make([]float64, o.Rows*o.Cols))
	}
	// Both files are opened before the solve, because their names may be refused here.
	suffix := ".ttrace"
	if w.steps == 0 {
		suffix = ".steady"
	}
	var err error
	if w.blocks, err = w.files.open(o.Name + suffix); err != nil {
		return nil, err
	}
	if w.grid, err = w.files.open(o.Name + ".grid" + suffix); err != nil {
		return nil, err
	}
	if w.steps > 0 {
		w.row(func(at *hotspot.OutputColumn) { w.blocks.WriteString(at.Name) })
	}
	return w, nil
}

// row writes a line of .ttrace.
func (w *hotSpot) row(write func(at *hotspot.OutputColumn)) {
	for i := range w.outputs.Columns {
		if i > 0 {
			w.blocks.WriteByte('\t')
		}
		write(&w.outputs.Columns[i])
	}
	w.blocks.WriteByte('\n')
}

// Step writes a field. In a transient these are the blocks with power, and all cells, at the time when the step began.
func (w *hotSpot) Step(_ float64, f solution.Field) error {
	if err := w.read(f); err != nil {
		return err
	}
	w.step++
	if w.steps == 0 {
		w.steady(f)
	} else {
		w.row(func(at *hotspot.OutputColumn) {
			w.kelvin(w.block(at.Layer, &w.outputs.Layers[at.Layer].Blocks[at.Block]))
		})
		fmt.Fprintf(w.grid, "t = %.6f\n", float64(w.step-1)*w.outputs.Interval)
	}
	w.cells()
	return nil
}

// read reads the die's part of the planes: of a layer with several planes the mean over its height.
func (w *hotSpot) read(f solution.Field) error {
	o := w.outputs
	for l := range o.Layers {
		clear(w.planes[l])
		k0, k1 := w.mesh.LayerPlanes[l][0], w.mesh.LayerPlanes[l][1]
		height := w.mesh.Z[k1] - w.mesh.Z[k0]
		for k := k0; k < k1; k++ {
			if err := f.Plane(k, w.whole); err != nil {
				return err
			}
			part := (w.mesh.Z[k+1] - w.mesh.Z[k]) / height
			for row := range o.Rows {
				from := w.whole[(o.DieY+row)*w.mesh.NX()+o.DieX:][:o.Cols]
				for col, v := range from {
					w.planes[l][row*o.Cols+col] += part * v
				}
			}
		}
	}
	return nil
}

func (w *hotSpot) kelvin(v float64) {
	w.digits = strconv.AppendFloat(w.digits[:0], v, 'f', w.decimals, 64)
	w.blocks.Write(w.digits)
}

// steady writes the temperatures of blocks, and of the nodes outside the die if there are any.
func (w *hotSpot) steady(field solution.Field) {
	line := func(name string, kelvin float64) {
		w.blocks.WriteString(name + "\t")
		w.kelvin(kelvin)
		w.blocks.WriteByte('\n')
	}
	for l := range w.outputs.Layers {
		y := &w.outputs.Layers[l]
		for i := range y.Blocks {
			line(y.Prefix+y.Blocks[i].Name, w.block(l, &y.Blocks[i]))
		}
	}
	if known, ok := field.(lumped.Nodes); ok && w.outputs.Rim >= 0 {
		for n := 0; ; n++ {
			v, ok := known.Node(w.outputs.Rim + n)
			if !ok {
				break
			}
			line(fmt.Sprintf("inode_%d", n), v)
		}
	}
}

// cells writes all layers, the northern row first.
func (w *hotSpot) cells() {
	o := w.outputs
	for l, plane := range w.planes {
		fmt.Fprintf(w.grid, "Layer %d:\n", l)
		for row := range o.Rows {
			for col := range o.Cols {
				w.digits = strconv.AppendInt(w.digits[:0], int64(row*o.Cols+col), 10)
				w.digits = append(w.digits, '\t')
				w.digits = strconv.AppendFloat(w.digits, plane[(o.Rows-1-row)*o.Cols+col], 'f', w.decimals, 64)
				w.digits = append(w.digits, '\n')
				w.grid.Write(w.digits)
			}
		}
	}
}

// block is the temperature of a block.
func (w *hotSpot) block(layer int, b *hotspot.OutputBlock) float64 {
	return w.outputs.BlockTemperature(b, func(cell int) float64 { return w.planes[layer][cell] })
}

// Finish completes the files.
func (w *hotSpot) Finish() error { return w.files.finish() }
