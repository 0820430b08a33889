package hotspot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// The cells of a microchannel layer.
const (
	tsvCell    = -1
	solidCell  = 0
	fluidCell  = 1
	inletCell  = 2
	outletCell = 3
)

// channelCell is one of a microchannel layer, with its place.
type channelCell struct {
	kind int
	pos  stack.Pos
}

// parseChannels reads a microchannel layer: a line for each row of cells from the north, with numbers separated by
// commas or spaces.
func parseChannels(c *importer.Collector, file string, data []byte) [][]channelCell {
	var rows [][]channelCell
	for line := range lines(c, file, data) {
		var row []channelCell
		for _, w := range line {
			at := w.Pos
			for field := range strings.SplitSeq(w.Text, ",") {
				kind, err := strconv.Atoi(field)
				switch {
				case field == "":
				case err != nil || kind < tsvCell || kind > outletCell:
					c.Faults.Add(at, "write 0 for solid, 1 for fluid, 2 for an inlet, 3 for an outlet, -1 for a TSV",
						"%q is not a cell of a microchannel layer", stack.Shorten(field))
					return nil
				default:
					row = append(row, channelCell{kind, at})
				}
				at.Col += len(field) + 1
			}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// channelLayer makes a slab a cavity: its cells must be straight channels from side to side, one cell wide, all in one
// direction, with even walls between.
func (c *converter) channelLayer(s *slab) {
	path, data, ok := c.Open(s.flow.floorplan, s.flow.flpPos)
	if !ok {
		return
	}
	cells := parseChannels(c.Collector, path, data)
	if c.Faults.Len() > 0 {
		return
	}
	if len(cells) != c.rows {
		c.Faults.Add(stack.Pos{File: path, Line: 1, Col: 1}, "give a line for each of grid_rows",
			"%d rows of cells, and grid_rows is %d", len(cells), c.rows)
		return
	}
	for _, row := range cells {
		if len(row) != c.cols {
			c.Faults.Add(row[0].pos, "give a cell for each of grid_cols", "%d cells in a row, and grid_cols is %d",
				len(row), c.cols)
			return
		}
	}
	s.channels = c.straight(path, cells)
}

// channelPlan is a cavity of straight channels. Lines are the rows from the south, or the columns from the west.
type channelPlan struct {
	direction   stack.Direction
	first, step int // of the lines with channels
	count       int
	pos         stack.Pos
}

func (x channelCell) wet() bool { return x.kind >= fluidCell }

// alongX reports whether channels run along x: they run away from the side of the first inlet. found is false without
// an inlet.
func alongX(cells [][]channelCell) (along, found bool) {
	rows, cols := len(cells), len(cells[0])
	for i, row := range cells {
		for j, x := range row {
			if x.kind == inletCell {
				return (j == 0 || j == cols-1) && !(i == 0 || i == rows-1) || j == 0 && row[min(1, cols-1)].wet() ||
					j == cols-1 && row[max(0, cols-2)].wet(), true
			}
		}
	}
	return false, false
}

// channelLines are the rows of cells from the south, or the columns from the west. Rows of the file count from the
// north.
func channelLines(cells [][]channelCell, rows bool) [][]channelCell {
	cells = slices.Clone(cells)
	slices.Reverse(cells)
	if rows {
		return cells
	}
	columns := make([][]channelCell, len(cells[0]))
	for _, row := range cells {
		for j, x := range row {
			columns[j] = append(columns[j], x)
		}
	}
	return columns
}

const straightRemedy = "give straight channels from an inlet (2) at one side to an outlet (3) at the other; bends, " +
	"branches and wide channels are not supported"

// straightLine checks that a line is a channel, from its inlet at the end or with backward at the start, or dry.
func (c *converter) straightLine(line []channelCell) (wet, backward, ok bool) {
	wet, backward = line[0].wet(), line[0].kind == outletCell
	for n, x := range line {
		want := fluidCell
		switch {
		case n == 0 && !backward || n == len(line)-1 && backward:
			want = inletCell
		case n == 0 || n == len(line)-1:
			want = outletCell
		}
		switch {
		case !wet && x.wet():
			c.Faults.Add(x.pos, straightRemedy, "coolant in a cell that no straight channel reaches")
			return false, false, false
		case wet && x.kind != want:
			c.Faults.Add(x.pos, straightRemedy, "a cell of kind %d, where a straight channel has %d", x.kind, want)
			return false, false, false
		}
	}
	return wet, backward, true
}

// straight finds the channels.
func (c *converter) straight(path string, cells [][]channelCell) *channelPlan {
	alongX, found := alongX(cells)
	if !found {
		c.Faults.Add(stack.Pos{File: path, Line: 1, Col: 1}, "write 2 for the cells where coolant enters",
			"the microchannel layer has no inlet")
		return nil
	}
	lines := channelLines(cells, alongX)
	p := &channelPlan{step: 2} // of a single channel, whose step does not matter
	last := -1
	for n, line := range lines {
		wet, backward, ok := c.straightLine(line)
		if !ok {
			return nil
		}
		if !wet {
			continue
		}
		pos := line[0].pos
		direction := map[[2]bool]stack.Direction{{true, false}: stack.TowardsEast, {true, true}: stack.TowardsWest,
			{false, false}: stack.TowardsNorth, {false, true}: stack.TowardsSouth}[[2]bool{alongX, backward}]
		switch {
		case p.count == 0:
			p.first, p.direction, p.pos = n, direction, pos
		case direction != p.direction:
			c.Faults.Add(pos, "give all channels of a layer one direction", "this channel flows %s, the first %s",
				direction, p.direction)
			return nil
		case n-last == 1:
			c.Faults.Add(pos, straightRemedy, "two adjacent channels")
			return nil
		case p.count == 1:
			p.step = n - last
		case n-last != p.step:
			c.Faults.Add(pos, "space channels evenly", "%d cells from the previous channel, the others %d", n-last,
				p.step)
			return nil
		}
		last = n
		p.count++
	}
	if p.first == 0 || last == len(lines)-1 {
		c.Faults.Add(p.pos, "leave a row of solid at both sides", "the outermost channels have no outer walls")
		return nil
	}
	return p
}

// coolant is the cavity of a slab. The flow is HotSpot's: the pumping pressure over the resistances of the cells from
// the middle of the inlet's to the middle of the outlet's, and of the pump, which HotSpot adds for every inlet.
func (c *converter) coolant(sl *slab) *stack.Coolant {
	k, p := c.config, sl.channels
	cw, ch := c.cell()
	across, along, links := ch, cw, c.cols-1
	if p.direction.Axis() == 1 {
		across, along, links = cw, ch, c.rows-1
	}
	fluid := c.fluid()
	conductance := hydraulic(sl.thickness, cw, ch, fluid.Viscosity)
	each := k.number("pumping_pressure") / (k.number("pump_internal_res") + float64(links)/conductance)
	if math.Abs(cw-ch) > 1e-9*cw {
		right := hydraulic(sl.thickness, across, along, fluid.Viscosity)
		c.Note(importer.Warning, p.pos, "HotSpot treats every channel as one along y, which is wrong for cells of "+
			"%.4g x %.4g um; thermsim uses its width", cw*1e6, ch*1e6)
		each = k.number("pumping_pressure") / (k.number("pump_internal_res") + float64(links)/right)
	}
	h := k.number("htc")
	return &stack.Coolant{
		Fluid: fluid, Inlet: k.number("inlet_temperature"), Direction: p.direction, Flow: each * float64(p.count),
		Model: stack.ResolvedChannels,
		Channels: &stack.Channels{Width: across, Wall: float64(p.step-1) * across, FirstWall: float64(p.first) * across,
			Count: p.count},
		HSide: h, HBottom: h, HTop: h, Pos: p.pos,
	}
}

// hydraulic is the conductance in m3/(s Pa) of a cell of a channel in HotSpot: that of a square, or of a rectangle with
// the first term of its series.
func hydraulic(height, width, length, viscosity float64) float64 {
	if height == width {
		return 0.42229 * math.Pow(height, 4) / (12 * viscosity * length)
	}
	short, long := math.Min(height, width), math.Max(height, width)
	return (1 - 0.63*short/long) * short * short * short * long / (12 * viscosity * length)
}

// fluid is the coolant: that of the file of materials if one is named.
func (c *converter) fluid() stack.Fluid {
	k := c.config
	if name := k.text("coolant_material"); name != "" {
		for _, f := range c.fluids {
			if f.name == name {
				return stack.Fluid{K: f.k, C: f.capacity, Viscosity: f.viscosity}
			}
		}
		c.Faults.Add(k.pos("coolant_material"), "give the file of materials that has it with --materials_file",
			"fluid %q is unknown", stack.Shorten(name))
	}
	return stack.Fluid{K: 1 / k.number("coolant_res"), C: k.number("coolant_capac"),
		Viscosity: k.number("coolant_visc")}
}

// walls gives a slab of channels the material of their walls, which HotSpot uses with detailed_3D only.
func (c *converter) walls(s *slab) {
	switch k := c.config; {
	case !c.detailed:
	case k.text("wall_material") != "":
		m := c.solid("wall_material")
		s.k, s.c = m.k, m.capacity
	default:
		s.k, s.c = 1/k.number("wall_res"), k.number("wall_capac")
	}
}

// channelUnits are the blocks that HotSpot makes of the cells of a microchannel layer, row 0 at the north.
func (c *converter) channelUnits(width, height float64, pos stack.Pos) []unit {
	cw, ch := width/float64(c.cols), height/float64(c.rows)
	var units []unit
	for i := range c.rows {
		for j := range c.cols {
			units = append(units, unit{name: fmt.Sprintf("Cell_%d_%d", i, j), x: float64(j) * cw,
				y: float64(c.rows-1-i) * ch, width: cw, height: ch, pos: pos})
		}
	}
	return units
}

// cooled reports whether a layer of the project has channels.
func (c *converter) cooled() bool {
	return slices.ContainsFunc(c.slabs, func(s slab) bool { return s.flow != nil })
}

// dieFootprint is the stack of a project with channels: it ends with the die, as do the channels.
func (c *converter) dieFootprint() {
	c.onDie()
	c.addLayers(func(s int, l *stack.Layer) {
		if c.slabs[s].channels != nil {
			l.Coolant = c.coolant(&c.slabs[s])
		}
		c.addUnitRegions(s, l)
	})
	if c.overhangs() && math.Max(c.spreader().k, c.sink().k) > stillAir {
		c.Note(importer.Warning, c.config.pos("s_sink"), "spreader and sink end with the die, as the channels do: "+
			"spreading outside the die is omitted")
	}
	c.startLayers()
}

// stillAir is the conductivity in W/(m K) up to which a plate does not spread heat.
const stillAir = 0.03
