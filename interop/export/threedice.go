package export

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
)

// threeDICE writes the files that a 3D-ICE project asks for: Tmap, Pmap, Tflp, Tflpel and T, with the axis files beside
// the maps.
type threeDICE struct {
	outputs  *threedice.Outputs
	mesh     *mesh.Mesh
	files    *files
	options  Options
	decimals int
	cells    *cellMap
	step     int
	last     float64   // s, end of the step before
	plane    []float64 // K, of the layer being written
	layer    int       // whose plane that is
	digits   []byte
	drawn    []powermap.Drawing // powers that were set from outside; nil for those of the stack
}

// threeDICEDecimals are those of 3D-ICE's maps and tables.
const threeDICEDecimals = 3

func newThreeDICE(o *threedice.Outputs, m *mesh.Mesh, options Options) (Writer, error) {
	w := &threeDICE{outputs: o, mesh: m, files: newFiles(options.Files), options: options, decimals: options.Decimals,
		cells: newCellMap(o, m), plane: make([]float64, m.NX()*m.NY())}
	if w.decimals < 0 {
		w.decimals = threeDICEDecimals
	}
	if err := w.start(); err != nil {
		return nil, err
	}
	return w, nil
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
		name := "xyaxis_" + ins.Element + ".txt"
		if w.files.has(name) {
			return nil
		}
		f, err := w.files.open(name)
		if err != nil {
			return err
		}
		for _, c := range w.cells.of(ins.Element) {
			fmt.Fprintf(f, "%5.2f\t%5.2f\t%5.2f\t%5.2f\n", c.X, c.Y, c.Width, c.Height)
		}
		return nil
	}
	for _, axis := range []struct {
		name  string
		edges []float64
	}{{"xaxis.txt", w.cells.x}, {"yaxis.txt", w.cells.y}} {
		if w.files.has(axis.name) {
			continue // written for another map
		}
		f, err := w.files.open(axis.name)
		if err != nil {
			return err
		}
		for i := range axis.edges[1:] {
			fmt.Fprintf(f, "%5.2f\n", (axis.edges[i]+axis.edges[i+1])/2)
		}
	}
	return nil
}

// Step writes what is due after this step.
func (w *threeDICE) Step(time float64, f solution.Field) error {
	w.step++
	w.layer = -1
	for i := range w.outputs.Instructions {
		ins := &w.outputs.Instructions[i]
		if !w.due(ins.When) {
			continue
		}
		if ins.Kind == "T3d" {
			if err := w.volume(ins, f); err != nil {
				return err
			}
			continue
		}
		out, err := w.files.open(inside(ins.File))
		if err == nil {
			err = w.write(out, ins, time, f)
		}
		if err != nil {
			return err
		}
	}
	w.last = time
	return nil
}

// show reads the plane of a layer.
func (w *threeDICE) show(layer int, f solution.Field) error {
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

func (w *threeDICE) due(when string) bool {
	switch {
	case w.options.Steps == 0:
		return when == "final" // 3D-ICE's steady state writes nothing else
	case when == "step":
		return true
	case when == "slot":
		return w.outputs.StepsPerSlot == 0 || w.step%w.outputs.StepsPerSlot == 0
	}
	return w.step == w.options.Steps
}

func (w *threeDICE) write(out *file, ins *threedice.Output, time float64, f solution.Field) error {
	layer := w.outputs.Layer(ins.Element)
	if ins.Kind == "Pmap" {
		return w.powerMap(out, ins.Element, layer, time)
	}
	if err := w.show(layer, f); err != nil {
		return err
	}
	switch ins.Kind {
	case "Tmap":
		w.printMap(out, ins.Element, w.plane, w.cells.mean)
	case "T":
		fmt.Fprintf(out, "%f \t %16.12f\n", time, w.cells.at(ins, w.plane))
	case "Tcoolant":
		fmt.Fprintf(out, "%5.3f \t %*.*f\n", time, w.decimals+4, w.decimals, w.outlet(ins, layer))
	case "Tflp":
		fmt.Fprintf(out, "%5.3f \t ", time)
		for i := range w.outputs.Floorplans[ins.Element] {
			fmt.Fprintf(out, "%*.*f \t ", w.decimals+2, w.decimals, w.cells.element(ins, i, w.plane))
		}
		fmt.Fprintln(out)
	case "Tflpel":
		for i, e := range w.outputs.Floorplans[ins.Element] {
			if e.Name == ins.Block { // the first of that name, as there
				fmt.Fprintf(out, "%5.3f \t %*.*f\n", time, w.decimals+4, w.decimals, w.cells.element(ins, i, w.plane))
				break
			}
		}
	}
	return nil
}

// printMap writes one instant: the southern row first, and an empty line behind. In non-uniform mode all cells stand in
// one line.
func (w *threeDICE) printMap(out *file, element string, plane []float64, value func(plane []float64, c cell) float64) {
	if w.outputs.NonUniform {
		for _, c := range w.cells.of(element) {
			w.number(out, value(plane, c))
		}
		fmt.Fprint(out, "\n\n")
		return
	}
	nx := w.mesh.NX()
	for j := range w.mesh.NY() {
		for _, v := range plane[j*nx : (j+1)*nx] {
			w.number(out, v)
		}
		out.WriteByte('\n') // the file keeps its first error until Commit
	}
	out.WriteByte('\n')
}

// number writes one value of a map: right-aligned as %7.3f is, and two spaces. Maps are most of what is written, so it
// does without fmt.
func (w *threeDICE) number(out *file, v float64) {
	w.digits = strconv.AppendFloat(w.digits[:0], v, 'f', w.decimals, 64)
	for range w.decimals + 4 - len(w.digits) {
		out.WriteByte(' ')
	}
	out.Write(append(w.digits, "  "...))
}

// powerMap writes what 3D-ICE has on its right-hand side for a layer: the sources, and on a layer with a sink the
// conductance to it times its temperature.
func (w *threeDICE) powerMap(out *file, element string, layer int, time float64) error {
	plane, err := w.powerPlane(layer, time)
	if err == nil {
		w.printMap(out, element, plane, w.cells.sum)
	}
	return err
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
