package main

import (
	"bufio"
	"fmt"
	"math"
	"runtime"
	"slices"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/stack"
	"thermsim/study/electrothermal"
)

// description is what check prints of a stack on its mesh.
type description struct {
	*terminal.Console
	w *bufio.Writer
	m *mesh.Mesh

	powerGrid *electrothermal.Grid // nil without one
}

func (d *description) line(format string, args ...any) { fmt.Fprintf(d.w, format+"\n", args...) }

func (d *description) heading(title, note string) {
	if note != "" {
		note = "  " + d.Dim(note)
	}
	d.line("\n%s%s", d.Bold(title), note)
}

func (d *description) headline(warnings int) {
	s := d.m.Stack
	if s.Title != "" {
		d.line("%s", d.Bold(quantity.Shorten(s.Title, d.Style.Width)))
	}
	state := ""
	if warnings > 0 {
		state = ", with " + plural(warnings, "warning")
	}
	d.line("%s%s", d.Dim(fmt.Sprintf("%s is valid", s.File)), d.Red(state))
	d.line("%s x %s, %s high; %d x %d x %d = %s cells of %s x %s", terminal.Length(s.Size[0]),
		terminal.Length(s.Size[1]), terminal.Length(s.Height()),
		d.m.NX(), d.m.NY(), d.m.NZ(), quantity.Count(d.m.Cells()), lengths(d.m.X), lengths(d.m.Y))
}

func (d *description) warnings(found []plausibility.Warning) {
	if len(found) == 0 {
		return
	}
	d.heading(fmt.Sprintf("Warnings (%d)", len(found)), "valid, but probably not intended; --strict makes them errors")
	_ = plausibility.Write(d.w, found, d.Style.Width) // errors stay in the writer until Flush
}

// grid explains the chosen grid.
func (d *description) grid(e *gridExplanation) {
	if e == nil {
		return
	}
	d.heading("Grid", e.Note)
	for _, line := range e.Reasons {
		for i, part := range plausibility.Fold(line, d.Style.Width-4) {
			lead := "  - "
			if i > 0 {
				lead = "    "
			}
			d.line("%s%s", lead, part)
		}
	}
	if e.Doubt != "" {
		d.line("  %s", d.Red(e.Doubt))
	}
}

func (d *description) layers() {
	s := d.m.Stack
	t := terminal.Table{Header: []string{"layer", "material", ">k W/(m K)", ">thickness", ">z cells"}, Cut: "-v"}
	brief := len(s.Layers) > tables.BriefRows && !d.Style.Details
	for l, layer := range slices.Backward(s.Layers) {
		planes := d.m.LayerPlanes[l]
		parts := layerParts(s, &layer)
		name := parts[0].material
		if brief {
			name = tables.LayerMaterials(s, l)
		}
		t.Add(layer.Name, name, parts[0].k, terminal.Length(layer.Thickness), fmt.Sprint(planes[1]-planes[0]))
		for _, p := range parts[1:] {
			if !brief {
				t.Add("  "+p.what, p.material, p.k, "", "")
			}
		}
	}
	if !brief {
		t.Cut = ""
	}
	d.heading("Layers", "top to bottom")
	t.Write(d.Console, d.w)
	for _, warning := range s.OutOfRange() {
		d.line("  %s", d.Red(warning))
	}
}

// layerPart is a material of a layer, and what consists of it.
type layerPart struct{ what, material, k string }

// layerParts are the materials and fills of the regions of a layer, the last and uppermost one first, and of the rest.
func layerParts(s *stack.Stack, l *stack.Layer) (parts []layerPart) {
	counts := map[layerPart]int{}
	for i := range l.Regions {
		r := &l.Regions[len(l.Regions)-1-i]
		of := layerPart{"", tables.RegionMaterial(s, r), materialConductivity(&s.Materials[r.Material])}
		if r.Fill != nil {
			of.k = conductivity(tables.RegionConductivity(s, r))
		}
		if counts[of] == 0 {
			parts = append(parts, of)
		}
		counts[of]++
	}
	for i, p := range parts {
		parts[i].what = plural(counts[p], "region")
	}
	material := &s.Materials[l.Material]
	return append(parts, layerPart{"rest", material.Name, materialConductivity(material)})
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (d *description) power() {
	p := d.m.Power
	t := terminal.Table{Header: []string{"layer", ">requested W", ">mapped W", ">area mm2", ">no power mm2",
		">overlap mm2", ">outside W"}, Cut: "-v"}
	if len(p.Layers) > 1 {
		t.Add("total", watts(p.Requested), watts(p.Mapped), "", "", "", "")
	}
	for _, c := range slices.Backward(p.Coverage()) {
		t.Add(c.Name, watts(c.Requested), watts(c.Mapped), area(c.Area), area(c.Unpowered), area(c.Overlapping),
			watts(c.Outside))
	}
	note := "steady"
	if p.Transient() {
		note = "steady states use the means of traces and block schedules, not the factors of a source"
	}
	d.heading("Power", note)
	if len(p.Layers) == 0 {
		d.line("  none")
	} else {
		t.Write(d.Console, d.w)
	}
	if s := d.m.Stack; s.Leaks() {
		d.line("  and leakage by the temperature, %s W at the ambient of %.2f degC", watts(s.LeakageAt(s.Ambient)),
			terminal.Celsius(s.Ambient))
	}
	if d.powerGrid != nil {
		for _, line := range plausibility.Fold(d.powerGrid.String(), d.Style.Width-2) {
			d.line("  %s", line)
		}
	}
}

func (d *description) faces() {
	d.heading("Faces", "")
	adiabatic := 0
	for f := range stack.Face(stack.NumFaces) {
		b := &d.m.Stack.Boundary[f]
		if b.Adiabatic() {
			adiabatic++
		} else {
			biot := ""
			if bi := plausibility.Biot(d.m.Stack, f); bi > 0 {
				biot = fmt.Sprintf(", Biot number %.2g", bi)
			}
			d.line("  %-7s %s%s", f, b.Text(notation), biot)
			for n := range b.Patches {
				d.line("  %-7s   %s", "", patch(&b.Patches[n], f))
				if b.Patches[n].Name == "heat_sink" && b.Kind == stack.Adiabatic && b.Pos == (stack.Pos{}) {
					d.line("  note: the top outside the heat sink is adiabatic, as boundary.top is not given")
				}
			}
		}
	}
	if d.m.Grounded() {
		switch adiabatic {
		case 0:
		case stack.NumFaces:
			d.line("  all are adiabatic; coolant removes the heat")
		default:
			d.line("  the other faces are adiabatic")
		}
		return
	}
	d.line("  %s", d.Red("no heat-flow path to ambient: only a transient makes sense"))
}

// patch describes a patch: its name, location and condition.
func patch(p *stack.Patch, f stack.Face) string {
	axes, r, what := stack.FaceAxes(f), stack.Rect{}, ""
	switch {
	case p.Shape != nil:
		r, what = stack.Around(p.Shape), "shape in "
	case len(p.Rects) == 1:
		r = p.Rects[0]
	default:
		return fmt.Sprintf("%s, beside %d groups of layers: %s", p.Name, len(p.Rects), p.Text(notation))
	}
	return fmt.Sprintf("%s, %s%.4g x %.4g mm at %s = %.4g mm, %s = %.4g mm: %s", p.Name, what, r.Width*1e3,
		r.Height*1e3, axes[0], r.X*1e3, axes[1], r.Y*1e3, p.Text(notation))
}

// notation of boundary conditions.
var notation = stack.Notation{Number: func(v float64) string { return fmt.Sprintf("%.4g", v) },
	Celsius: func(kelvin float64) string { return fmt.Sprintf("%.2f degC", terminal.Celsius(kelvin)) }}

// pace is the processor time in s per cell of one core, for a steady run and for a step. Iterations make the difference
// between stacks of a kind, and are not known before: eight to eleven of a steady solve, two to eight of a step.
type pace struct {
	steady, step float64
	direct       bool
}

// Paces from runs of the examples on one server: each comes out within a factor of two, of the processor time over the
// cores. Other machines differ.
var (
	directPace  = pace{0.12e-6, 0.045e-6, true}
	layeredPace = pace{0.4e-6, 0.2e-6, false}  // iterations on layers without regions
	regionsPace = pace{1.0e-6, 0.43e-6, false} // a smoother of the second degree
)

// adaptive is the time per cell of an adaptive step. Direct solves of a step take the same time whatever its length.
func (p pace) adaptive() float64 {
	if p.direct {
		return 1.2 * p.step
	}
	return p.steady * steadySolvesPerStep
}

// besideSeconds is the time on one core before and after the solve, for the pictures and the page.
const besideSeconds = 0.06

// paceOf is the pace of the method that the stack is solved with, or of the default one.
func paceOf(m *mesh.Mesh) pace {
	s := m.Stack
	if name, why := methods.Choice(m, s.Solver.Preconditioner); name == "fourier" && why == "" {
		p := directPace
		_, graded := methods.GradedAxes(m)
		p.steady += graded / float64(m.Cells())
		return p
	}
	for l := range s.Layers {
		if len(s.Layers[l].Regions) > 0 {
			return regionsPace
		}
	}
	return layeredPace
}

func (d *description) estimate(on capacity.Resources) {
	cores := runtime.GOMAXPROCS(0)
	perCore := float64(d.m.Cells()) / float64(cores)
	times := ""
	p := paceOf(d.m)
	if name, _ := methods.Choice(d.m, d.m.Stack.Solver.Preconditioner); name != "multigrid" && !p.direct {
		times = "; the times are those of multigrid"
	}
	d.heading("Estimate", fmt.Sprintf("%d cores%s", cores, times))
	d.line("  method     %s", methodText(d.m))
	free := ""
	if on.Memory > 0 {
		free = fmt.Sprintf(" (%s free)", terminal.Bytes(on.Memory))
	}
	need := func(inTime, gpu bool) float64 {
		return float64(memory.OfSystem(d.m, d.m.Stack.Solver.Preconditioner, inTime, gpu).Peak())
	}
	steady, transient := need(false, false), need(true, false)
	d.line("  steady     about %s, %s of memory%s", terminal.Seconds(twoDigits(besideSeconds+p.steady*perCore)),
		terminal.Bytes(steady), free)
	d.line("  transient  %s, %s", d.timeOfSteps(p, perCore), terminal.Bytes(transient))
	if d.m.Power.Period() > 0 && !d.m.Stack.Transient.Periodic {
		d.line("  --periodic %s", d.timeOfPeriods(p, perCore))
	}
	d.line("  on a GPU   %s steady, %s transient%s", terminal.Bytes(need(false, true)), terminal.Bytes(need(true,
		true)), on.GPUMemory())
}

// timeOfSteps estimates the transient run that the stack asks for, for a number of cells per core.
func (d *description) timeOfSteps(p pace, perCore float64) string {
	planned := *d.m.Stack
	followTraces(&planned, false, false)
	t := &planned.Transient
	about := func(pace float64, steps int) string { return about(pace, perCore, steps) }
	if t.Dt > 0 || !t.Adaptive() && t.Until == 0 {
		steps := defaultSteps
		if t.Steps > 0 {
			steps = t.Steps
		} else if t.Until > 0 {
			steps = stepsUntil(t.Until, t.Dt)
		}
		return fmt.Sprintf("%s for %d steps", about(p.step, steps), steps)
	}
	if t.Periodic {
		return d.timeOfPeriods(p, perCore)
	}
	adaptive := p.adaptive()
	steps := adaptiveSteps(d.m, t)
	if steps == 0 {
		return about(adaptive, 100) + " for each 100 adaptive steps, of unknown number"
	}
	return fmt.Sprintf("%s for about %d adaptive steps until %s", about(adaptive, steps), steps,
		terminal.Seconds(t.Until))
}

// about is the time of a number of steps.
func about(pace, perCore float64, steps int) string {
	return "about " + terminal.Seconds(twoDigits(besideSeconds+pace*perCore*float64(steps)))
}

// timeOfPeriods estimates a run to the periodic state.
func (d *description) timeOfPeriods(p pace, perCore float64) string {
	t := d.m.Stack.Transient
	t.Until, t.ToSteady = d.m.Power.Period(), 0
	steps := adaptiveSteps(d.m, &t) * periodsStepped
	return fmt.Sprintf("%s for about %d adaptive steps in %d periods of %s",
		about(p.adaptive(), perCore, steps), steps, periodsStepped, terminal.Seconds(t.Until))
}

// methodText is the method of solution, and why it is not direct.
func methodText(m *mesh.Mesh) string {
	method, why := methods.Choice(m, m.Stack.Solver.Preconditioner)
	switch {
	case method == "fourier" && why == "":
		if text, _ := methods.GradedAxes(m); text != "" {
			return "fourier with " + text + ", which needs no iteration"
		}
		return "fourier, which needs no iteration"
	case m.Stack.Cooled():
		return fmt.Sprintf("%s with BiCGSTAB; not fourier alone: %s", method, why)
	case why != "":
		return fmt.Sprintf("%s with conjugate gradients; not fourier alone: %s", method, why)
	}
	return method
}

// twoDigits are more than an estimate has, but one would add half of itself in rounding.
func twoDigits(s float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(s))-1)
	return math.Round(s/unit) * unit
}

func (d *description) pictures(files []string) {
	if len(files) == 0 {
		return
	}
	d.heading("Pictures", "")
	for _, f := range files {
		d.line("  %s", f)
	}
}

func watts(w float64) string { return fmt.Sprintf("%.4g", w) }

// area in mm2 from m2.
func area(a float64) string { return fmt.Sprintf("%.4g", a*1e6) }

// lengths is the cell size of an axis, or its range where the cells differ.
func lengths(faces []float64) string {
	smallest, largest := math.Inf(1), 0.0
	for i := range faces[1:] {
		d := faces[i+1] - faces[i]
		smallest, largest = math.Min(smallest, d), math.Max(largest, d)
	}
	if largest-smallest < 1e-6*largest {
		return terminal.Length(largest)
	}
	return terminal.Length(smallest) + " to " + terminal.Length(largest)
}

// coolant describes the flow through cavities before a solve.
func (d *description) coolant() {
	s := d.m.Stack
	if !s.Cooled() {
		return
	}
	t := terminal.Table{Header: []string{"layer", "flow", ">ml/min", ">m/s", ">Re", ">kPa", ">pumping mW", ">entry mm",
		">h floor W/(m2 K)", ">K per W"}}
	for n := len(d.m.Cavities) - 1; n >= 0; n-- {
		c := d.m.Cavities[n]
		y := &s.Layers[c.Layer]
		h := s.Hydraulics(y)
		known := quantity.Known
		t.Add(y.Name, string(c.Of.Direction), known(c.Of.Flow, 6e7), known(h.Velocity, 1), known(h.Reynolds, 1),
			known(h.Drop, 1e-3), known(h.Pumping, 1e3), known(h.Entry, 1e3), floors(c.FloorRange()),
			known(1/(c.Of.Fluid.C*c.Of.Flow), 1))
	}
	d.heading("Coolant", "top to bottom; K per W: how far the coolant warms up by each watt")
	t.Write(d.Console, d.w)
}

// floors is the range of coefficients.
func floors(low, high float64) string {
	if high-low <= 1e-3*high {
		return fmt.Sprintf("%.4g", low)
	}
	return fmt.Sprintf("%.3g to %.3g", low, high)
}
