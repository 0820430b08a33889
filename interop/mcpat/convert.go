package mcpat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// converter turns a report into a stack.
type converter struct {
	*importer.Collector
	report  []section
	details map[string][]*section // by name
	kelvin  float64               // of the leakage, 0 if unknown
	library []stack.Material
	blocks  int
	noted   [quantities]bool // parts of this quantity are scaled
}

// The package that is assumed, as in 'thermsim init hotspot-like'. Lengths are in m.
const (
	dieThickness = 150e-6
	timThickness = 20e-6
	spreaderEdge = 30e-3 // at least; larger dies have a spreader of 1.5 times their edge
	resistance   = 0.3   // K/W, from the sink to the air
	ambient      = 318.15
)

func (c *converter) convert() {
	if c.Compat {
		c.Faults.Add(c.report[0].pos, "omit --compat", "McPAT calculates no temperatures to reproduce")
		return
	}
	chip := c.chip()
	if c.Faults.Len() > 0 {
		return
	}
	var err error
	if c.library, err = stackfile.Library(); err != nil {
		c.Faults.AddError(err)
		return
	}
	edge := math.Sqrt(chip.amounts[area])
	spreader := math.Max(spreaderEdge, 1.5*edge)
	sink := 2 * spreader
	centred := func(side float64) stack.Rect {
		return stack.Rect{X: (sink - side) / 2, Y: (sink - side) / 2, Width: side, Height: side}
	}
	die, pos := centred(edge), chip.pos
	s := c.Stack
	s.Ambient, s.Size, s.Grid.Auto = ambient, [2]float64{sink, sink}, stack.DefaultAutoGrid()
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1 / (resistance * sink * sink),
		Temperature: ambient, Pos: pos}
	c.Comments.Boundary[stack.Top] = fmt.Sprintf("assumed: %g K/W, spread over the sink", resistance)
	region := func(name, material string, area stack.Rect) []stack.Region {
		return []stack.Region{{Name: name, Material: c.material(material), Rect: area, Pos: pos}}
	}
	s.Layers = []stack.Layer{
		{Name: "die", Material: c.material("air"), Thickness: dieThickness, Cells: 2, PowerAt: stack.HeatedBottom,
			PowerDepth: stack.DefaultPowerDepth, Regions: region("die", "silicon_85c", die), Pos: pos},
		{Name: "tim", Material: c.material("air"), Thickness: timThickness, Cells: 1,
			Regions: region("tim", "tim_grease", die), Pos: pos},
		{Name: "spreader", Material: c.material("air"), Thickness: 1e-3, Cells: 3,
			Regions: region("spreader", "copper", centred(spreader)), Pos: pos},
		{Name: "sink", Material: c.material("copper"), Thickness: 6.9e-3, Cells: 4, Pos: pos},
	}
	s.Layers[0].Powers = []stack.Power{c.power(&chip, die)}
	c.Comments.Layers[0] = []string{fmt.Sprintf("die of %.6g mm^2, a square; its thickness, the layers above and "+
		"their sizes are assumed", chip.amounts[area]*1e6)}
	c.assumptions(&chip)
}

// material is the index of a material of the library, added if necessary.
func (c *converter) material(name string) int {
	named := func(m stack.Material) bool { return m.Name == name }
	if i := slices.IndexFunc(c.Stack.Materials, named); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(c.library, named); i >= 0 {
		c.Stack.Materials = append(c.Stack.Materials, c.library[i])
	}
	return len(c.Stack.Materials) - 1
}

// power is the floorplan with its power.
func (c *converter) power(chip *component, die stack.Rect) stack.Power {
	p := stack.Power{Area: die, Pos: chip.pos}
	slice(die, chip.parts, func(k *component, r stack.Rect) {
		b := stack.Block{Name: k.name, Rects: []stack.Rect{r}, Watts: k.amounts[dynamic] + k.amounts[gate], Pos: k.pos}
		if c.kelvin == 0 {
			b.Watts += k.amounts[subthreshold]
		} else if k.amounts[subthreshold] > 0 {
			b.Leakage = stack.Leakage{Watts: k.amounts[subthreshold], Factor: c.law(k.device)}
		}
		p.Blocks = append(p.Blocks, b)
	})
	return p
}

// slopes are relative changes of the subthreshold current per K, of McPAT's tables: of 45 nm for high performance,
// 90 nm for low operating power and 65 nm for low standby power. The current of gates is constant there.
var slopes = []struct {
	device string
	beta   float64
}{{"low operating power", 0.021}, {"low standby power", 0.039}, {"", 0.0126}}

func (c *converter) law(device string) *stack.Curve {
	for _, s := range slopes {
		if strings.Contains(device, s.device) {
			return &stack.Curve{Law: stack.ExponentialLaw, Value: 1, At: c.kelvin, Exponent: s.beta,
				Range: [2]float64{coldest, hottest}}
		}
	}
	return nil
}

// assumptions notes what the report does not say.
func (c *converter) assumptions(chip *component) {
	a := chip.amounts
	c.Note(importer.Warning, chip.pos, "McPAT has no positions and no package: the floorplan is cut by area, and the "+
		"die of %.6g mm^2 has a copper spreader and sink of %g K/W to air of 45 degC; edit these in a stack file",
		a[area]*1e6, resistance)
	if c.kelvin == 0 {
		c.Note(importer.Warning, chip.pos, "subthreshold leakage of %.6g W is constant, because the report has no "+
			"temperature; give McPAT's input (.xml) as well for a law", a[subthreshold])
	} else {
		c.Note(importer.Adapted, chip.pos, "subthreshold leakage of %.6g W at %g K grows by 1.26 %% per K (2.1 %% in "+
			"low operating power devices, 3.9 %% in low standby power ones), as in McPAT from 300 to 400 K; gate "+
			"leakage of %.6g W is constant", a[subthreshold], c.kelvin, a[gate])
	}
	if gated := c.report[0].gated; gated.Line > 0 {
		c.Note(importer.NotCarried, gated, "leakage with power gating: leakage without it is used")
	}
}
