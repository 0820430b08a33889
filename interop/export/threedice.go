package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
)

// threeDICE writes the files that a 3D-ICE project requests: Tmap, Pmap, Tflp, Tflpel and T, and the axis files of the
// maps.
type threeDICE struct {
	outputs  *threedice.Outputs
	mesh     *mesh.Mesh
	files    *files
	options  Options
	decimals int
	cells    *cellMap
	step     int
	last     float64   // s, end of the previous step
	plane    []float64 // K, of the layer being written
	layer    int       // whose plane that is, -1 for none
	digits   []byte
	drawn    []powermap.Drawing // powers that a client has set; nil for those of the stack
}

// threeDICEDecimals are those of 3D-ICE's maps and tables.
const threeDICEDecimals = 3

func newThreeDICE(o *threedice.Outputs, m *mesh.Mesh, options Options) *threeDICE {
	w := &threeDICE{outputs: o, mesh: m, options: options, decimals: options.Decimals, cells: newCellMap(o, m),
		plane: make([]float64, m.NX()*m.NY()), layer: -1}
	if w.decimals < 0 {
		w.decimals = threeDICEDecimals
	}
	return w
}

// start opens every file and writes its heading and the axes.
func (w *threeDICE) start() error {
	for i := range w.outputs.Instructions {
		ins := &w.outputs.Instructions[i]
		if ins.Kind == "T3d" {
			if err := w.files.foresee(inside(ins.File), numbered(inside(ins.File), "[0-9]*")); err != nil {
				return err
			}
			continue // a file per instant
		}
		f, err := w.files.open(inside(ins.File))
		if err != nil {
			return err
		}
		w.heading(f, ins)
		if ins.Kind == "Tmap" || ins.Kind == "Pmap" {
			if err := w.axes(ins); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *threeDICE) heading(f io.Writer, ins *threedice.Output) {
	axes := `"xaxis.txt" and "yaxis.txt"`
	if w.outputs.NonUniform {
		axes = `"xyaxis_[stack id].txt"`
	}
	quantity := map[string]string{"maximum": "Maximum", "minimum": "Minimum", "average": "Average",
		"gradient": "Gradient"}[ins.Quantity]
	switch ins.Kind {
	case "Tmap":
		fmt.Fprintf(f, "%% Thermal map for layer %s (please find axis information in %s)\n", ins.Element, axes)
	case "Pmap":
		fmt.Fprintf(f, "%% Power map for layer %s (please find axis information in %s)\n", ins.Element, axes)
	case "Tflp":
		fmt.Fprintf(f, "%% %s temperatures for the floorplan of the die %s\n%% Time(s) \t ", quantity, ins.Element)
		for _, e := range w.outputs.Floorplans[ins.Element] {
			fmt.Fprintf(f, "%s(K) \t ", e.Name)
		}
		fmt.Fprintln(f)
	case "Tflpel":
		fmt.Fprintf(f, "%% %s temperatures for the floorplan element %s of the die %s\n%% Time(s) \t %[3]s.%[2]s(K)\n",
			quantity, ins.Block, ins.Element)
	case "Tcoolant":
		fmt.Fprintf(f, "%% %s temperatures for the outlet of the channel %s\n%% Time(s) \t Temperature(K)\n", quantity,
			ins.Element)
	case "T":
		column, x := w.cells.location(0, ins.X)
		row, y := w.cells.location(1, ins.Y)
		fmt.Fprintf(f, "%% Cell temperature for the location [%s, x=%5.3f,y=%5.3f]\n", ins.Element, ins.X, ins.Y)
		fmt.Fprintf(f, "%% Nearest [column, row] indices found= [%d,%d] (locations [x=%5.3f,y=%5.3f])\n",
			column, row, x, y)
		fmt.Fprintf(f, "%% Time(s) \t Temperature(K)\n")
	}
}

// axes writes the centres of columns and rows, or in non-uniform mode every cell's corner and size.
func (w *threeDICE) axes(ins *threedice.Output) error {
	if w.outputs.NonUniform {
		return w.once("xyaxis_"+ins.Element+".txt", func(f *file) {
			for _, c := range w.cells.of(ins.Element) {
				fmt.Fprintf(f, "%5.2f\t%5.2f\t%5.2f\t%5.2f\n", c.X, c.Y, c.Width, c.Height)
			}
		})
	}
	centres := func(edges []float64) func(*file) {
		return func(f *file) {
			for i := range edges[1:] {
				fmt.Fprintf(f, "%5.2f\n", (edges[i]+edges[i+1])/2)
			}
		}
	}
	if err := w.once("xaxis.txt", centres(w.cells.x)); err != nil {
		return err
	}
	return w.once("yaxis.txt", centres(w.cells.y))
}

// once writes a file that several maps share.
func (w *threeDICE) once(name string, write func(*file)) error {
	if w.files.byName[name] != nil {
		return nil
	}
	f, err := w.files.open(name)
	if err == nil {
		write(f)
	}
	return err
}

// Step writes what is due after this step.
func (w *threeDICE) Step(time float64, f solution.Field) error {
	err := w.print(w.due, time, f)
	w.last = time
	return err
}

// print writes the results of the instructions that are due.
func (w *threeDICE) print(due func(when string) bool, time float64, f solution.Field) error {
	w.step++
	w.layer = -1
	for i := range w.outputs.Instructions {
		ins := &w.outputs.Instructions[i]
		if !due(ins.When) {
			continue
		}
		write := w.write
		if ins.Kind == "T3d" {
			write = w.volume
		}
		if err := write(ins, time, f); err != nil {
			return err
		}
	}
	return nil
}

func (w *threeDICE) due(when string) bool {
	switch {
	case w.options.Steps == 0:
		return when == "final" // 3D-ICE writes nothing else in a steady state
	case when == "step":
		return true
	case when == "slot":
		return w.outputs.StepsPerSlot == 0 || w.step%w.outputs.StepsPerSlot == 0
	}
	return w.step == w.options.Steps
}

// load reads the plane of a layer.
func (w *threeDICE) load(layer int, f solution.Field) error {
	if layer == w.layer {
		return nil
	}
	k := w.mesh.LayerPlanes[layer][0]
	if c := w.mesh.Planes[k].Cavity; c != nil {
		k = c.Fluid
	}
	if err := f.Plane(k, w.plane); err != nil {
		return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
	}
	w.layer = layer
	return nil
}

// Values are the results of an instruction for a field in K: of Tmap all cells, the southern row first, in rows of
// columns; of Tflp every element of the floorplan, of the others one.
func (w *threeDICE) Values(ins *threedice.Output, f solution.Field) (values []float64, columns int, err error) {
	layer := w.outputs.Layers[ins.Element]
	if err := w.load(layer, f); err != nil {
		return nil, 0, err
	}
	switch ins.Kind {
	case "Tmap":
		values, columns = w.mapOf(ins.Element, w.plane, w.cells.mean)
		return values, columns, nil
	case "T":
		return []float64{w.cells.at(ins, w.plane)}, 1, nil
	case "Tcoolant":
		return []float64{w.outlet(ins, layer)}, 1, nil
	}
	for i, e := range w.outputs.Floorplans[ins.Element] {
		if ins.Kind == "Tflp" || e.Name == ins.Block {
			values = append(values, w.cells.element(ins, i, w.plane))
		}
		if ins.Kind == "Tflpel" && len(values) > 0 { // the first of that name, as in 3D-ICE
			break
		}
	}
	return values, len(values), nil
}

// powers are the cells of 3D-ICE's right-hand side for a layer in W: the sources, and on a layer with a sink the
// conductance to it times its temperature.
func (w *threeDICE) powers(ins *threedice.Output, time float64) (values []float64, columns int, err error) {
	plane, err := w.powerPlane(w.outputs.Layers[ins.Element], time)
	if err != nil {
		return nil, 0, err
	}
	values, columns = w.mapOf(ins.Element, plane, w.cells.sum)
	return values, columns, nil
}

// mapOf is a plane on 3D-ICE's cells: all of them, or in non-uniform mode those of the element in one row.
func (w *threeDICE) mapOf(element string, plane []float64, value func(plane []float64, c cell) float64) (
	values []float64, columns int) {
	if !w.outputs.NonUniform {
		return slices.Clone(plane), w.mesh.NX()
	}
	for _, c := range w.cells.of(element) {
		values = append(values, value(plane, c))
	}
	return values, len(values)
}

// outlet is the quantity that Tcoolant requests of the cells at which the coolant of a layer leaves. 3D-ICE writes the
// maximum for a gradient. It includes the first column, even if that is a wall, and adds it once more to the average.
// It divides the average by the number of channels, which is not that of cells in a porous cavity and 0 for pin fins.
// All of this is reproduced with --compat only.
func (w *threeDICE) outlet(ins *threedice.Output, layer int) float64 {
	c := w.mesh.Planes[w.mesh.LayerPlanes[layer][0]].Cavity
	if c == nil {
		return math.NaN()
	}
	lo, hi, sum, cells := math.Inf(1), math.Inf(-1), 0.0, 0
	c.Outlets(w.mesh.NX(), w.mesh.NY(), func(cell, _ int) {
		v := w.plane[cell]
		lo, hi = math.Min(lo, v), math.Max(hi, v)
		sum += v
		cells++
	})
	first := w.plane[(w.mesh.NY()-1)*w.mesh.NX()]
	if c.Of.Central {
		lo, hi = math.Min(lo, first), math.Max(hi, first)
	}
	switch ins.Quantity {
	case "minimum":
		return lo
	case "average":
		if !c.Of.Central {
			return sum / float64(cells)
		}
		return (first + sum) / float64(w.outputs.Channels)
	}
	return hi
}

func (w *threeDICE) write(ins *threedice.Output, time float64, f solution.Field) error {
	out, err := w.files.open(inside(ins.File))
	if err != nil {
		return err
	}
	var values []float64
	var columns int
	if ins.Kind == "Pmap" {
		values, columns, err = w.powers(ins, time)
	} else {
		values, columns, err = w.Values(ins, f)
	}
	if err != nil {
		return err
	}
	switch ins.Kind {
	case "Tmap", "Pmap":
		w.printMap(out, values, columns)
	case "T":
		fmt.Fprintf(out, "%f \t %16.12f\n", time, values[0])
	case "Tcoolant", "Tflpel":
		fmt.Fprintf(out, "%5.3f \t %*.*f\n", time, w.decimals+4, w.decimals, values[0])
	case "Tflp":
		fmt.Fprintf(out, "%5.3f \t ", time)
		for _, v := range values {
			fmt.Fprintf(out, "%*.*f \t ", w.decimals+2, w.decimals, v)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// printMap writes one instant: the southern row first, and an empty line at the end. Values are right-aligned as with
// %7.3f and followed by two spaces. Maps are most of the output, so they are written without fmt.
func (w *threeDICE) printMap(out *file, values []float64, columns int) {
	for row := range slices.Chunk(values, columns) {
		for _, v := range row {
			w.digits = strconv.AppendFloat(w.digits[:0], v, 'f', w.decimals, 64)
			for range w.decimals + 4 - len(w.digits) {
				out.WriteByte(' ')
			}
			out.Write(append(w.digits, "  "...))
		}
		out.WriteByte('\n') // the file keeps its first error until Commit
	}
	out.WriteByte('\n')
}

// powerPlane is the right-hand side of a layer in W.
func (w *threeDICE) powerPlane(layer int, time float64) ([]float64, error) {
	plane := make([]float64, len(w.plane))
	power := w.mesh.Power
	planes := make([][]float64, len(power.Layers))
	for i := range planes {
		planes[i] = make([]float64, len(plane))
	}
	switch {
	case w.drawn != nil:
		for i := range w.drawn {
			w.drawn[i].Draw(w.mesh.NX(), 0, w.mesh.NY(), planes[i])
		}
	case w.options.Steps == 0:
		for i := range planes {
			power.Layers[i].Rows(0, w.mesh.NY(), planes[i])
		}
	default:
		if _, err := power.Average(w.last, math.Max(time, math.Nextafter(w.last, math.Inf(1))), planes); err != nil {
			return nil, err
		}
	}
	for i, l := range power.Layers {
		if l.Layer == layer {
			copy(plane, planes[i])
		}
	}
	w.cells.addSinks(layer, plane)
	return plane, nil
}

// Finish completes the files.
func (w *threeDICE) Finish() error { return w.files.finish() }
