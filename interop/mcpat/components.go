package mcpat

import (
	"fmt"
	"math"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// component is a part of the chip: one block of the floorplan, or more inside it.
type component struct {
	name string
	amounts
	device string
	parts  []component
	pos    stack.Pos
}

// shortNames are names of blocks, those of cores as in HotSniper's power traces. Others are headings with underscores.
var shortNames = map[string]string{
	"Total Cores": "Core", "Total First Level Directory": "L1Dir", "Total Second Level Directory": "L2Dir",
	"Total L2s": "L2", "Total L3s": "L3", "Total NoCs": "NoC", "Total MCs": "MC", "Total NIUs": "NIU",
	"Total PCIes":            "PCIe",
	"Instruction Fetch Unit": "IFU", "Renaming Unit": "RU", "Load Store Unit": "LSU", "Memory Management Unit": "MMU",
	"Execution Unit": "EU",
}

func shortName(heading string) string {
	if short := shortNames[heading]; short != "" {
		return short
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(heading, "Total ")), "_")
}

// maxBlocks bounds the floorplan.
const maxBlocks = 20_000

// chip is the tree of components: the processor, its kinds of components, their instances, and units of cores.
func (c *converter) chip() (whole component) {
	processor := &c.report[0]
	if !processor.complete(&c.Faults) {
		return component{}
	}
	if processor.amounts[area] == 0 {
		c.Faults.Add(processor.pos, "", "the area is 0; expected a positive one")
		return component{}
	}
	c.findDetails()
	whole = component{name: "Processor", amounts: processor.amounts, pos: processor.pos}
	for i := range c.report {
		s := &c.report[i]
		if s.part != processor.part || !strings.HasPrefix(s.name, "Total ") || !s.complete(&c.Faults) {
			continue
		}
		whole.parts = append(whole.parts, c.kind(s))
	}
	if len(whole.parts) == 0 && c.Faults.Len() == 0 {
		c.Faults.Add(processor.pos, "is the file complete?", "no section such as \"Total Cores\"")
	}
	if c.Faults.Len() == 0 {
		c.fit(&whole, "other")
	}
	return whole
}

// kind is a kind of component with its instances. A report of more detail has a part for each of them, or one for all
// if they are equal.
func (c *converter) kind(s *section) component {
	k := component{name: shortName(s.name), amounts: s.amounts, device: s.device, pos: s.pos}
	details := c.details[strings.TrimSuffix(strings.TrimPrefix(s.name, "Total "), "s")]
	n := max(s.count, 1)
	if len(details) > 1 {
		if s.count > 0 && s.count != len(details) {
			c.Faults.Add(s.pos, "is the file complete?", "section %q: got %d instances, but the details of %d",
				stack.Shorten(s.name), s.count, len(details))
			return k
		}
		n = len(details)
	}
	if n == 1 && k.name != "Core" {
		c.grow(1, s.pos)
		return k
	}
	if !c.grow(n, s.pos) {
		return k
	}
	for i := range n {
		one := component{name: instanceName(k.name, i), device: k.device,
			pos: s.pos}
		for q, v := range k.amounts {
			one.amounts[q] = v / float64(n)
		}
		if len(details) > 0 {
			d := details[i%len(details)]
			if !d.complete(&c.Faults) {
				return k
			}
			if len(details) > 1 {
				one.amounts, one.pos = d.amounts, d.pos
			}
			for _, u := range d.units {
				if !u.complete(&c.Faults) || !c.grow(1, u.pos) {
					return k
				}
				one.parts = append(one.parts, component{name: one.name + "-" + shortName(u.name), amounts: u.amounts,
					device: k.device, pos: u.pos})
			}
		}
		k.parts = append(k.parts, one)
	}
	return k
}

// instanceName has an underscore where the kind may end in a digit.
func instanceName(kind string, i int) string {
	if kind == "Core" {
		return fmt.Sprintf("Core%d", i)
	}
	return fmt.Sprintf("%s_%d", kind, i)
}

// grow counts blocks, and reports whether there are few enough.
func (c *converter) grow(n int, pos stack.Pos) bool {
	if n > maxBlocks-c.blocks {
		c.Faults.Add(pos, "", "more than %d blocks", maxBlocks)
		return false
	}
	c.blocks += n
	return true
}

// findDetails collects the first sections of the parts that follow the totals, and the units of cores, which are
// headings no deeper than the numbers of their core.
func (c *converter) findDetails() {
	c.details = map[string][]*section{}
	var core *section
	for i := range c.report {
		switch s := &c.report[i]; {
		case s.part == c.report[0].part:
		case c.report[i-1].part != s.part:
			core = nil
			c.details[s.name] = append(c.details[s.name], s)
			if s.name == "Core" {
				core = s
			}
		case core != nil && s.pos.Col <= core.body && s.has != [quantities]bool{}:
			core.units = append(core.units, s)
		}
	}
}

// rounding is the part of an amount by which the sum of parts may differ: numbers have six digits.
const rounding = 1e-4

// fit makes the parts of a component add up to it, at all levels. Area that no part has becomes a separate part with
// the rest of the power; otherwise parts are scaled. Parts without area have no block.
func (c *converter) fit(whole *component, rest string) {
	var parts []component
	var sum amounts
	for _, p := range whole.parts {
		if p.amounts[area] <= 1e-9*whole.amounts[area] {
			continue
		}
		parts = append(parts, p)
		for q, v := range p.amounts {
			sum[q] += v
		}
	}
	if len(parts) == 0 {
		whole.parts = nil
		return
	}
	if whole.amounts[area]-sum[area] > rounding*whole.amounts[area] {
		other := component{name: rest, device: whole.device, pos: whole.pos}
		for q, v := range whole.amounts {
			other.amounts[q] = math.Max(0, v-sum[q])
			sum[q] += other.amounts[q]
		}
		parts = append(parts, other)
	}
	for q, v := range whole.amounts {
		if math.Abs(v-sum[q]) > rounding*v {
			c.scaled(whole, q, sum[q])
		}
		for i := range parts {
			p := &parts[i]
			if sum[q] > 0 {
				p.amounts[q] *= v / sum[q]
			} else {
				p.amounts[q] = v * p.amounts[area] / whole.amounts[area]
			}
		}
	}
	whole.parts = parts
	for i := range parts {
		c.fit(&parts[i], parts[i].name+"-other")
	}
}

// scaled notes the first component of each kind of section whose parts do not add up.
func (c *converter) scaled(whole *component, q int, sum float64) {
	v, unit := whole.amounts[q], "W"
	if q == area {
		v, sum, unit = v*1e6, sum*1e6, "mm^2"
	}
	if !c.noted[q] {
		c.Note(importer.Adapted, whole.pos, "%s of %s is %.6g %s, but that of its parts adds up to %.6g %[4]s; parts "+
			"are scaled, here and in any further components like this", labels[q], whole.name, v, unit, sum)
		c.noted[q] = true
	}
}
