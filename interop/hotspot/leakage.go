package hotspot

import (
	"thermsim/interop/importer"
	"thermsim/interop/network"
	"thermsim/stack"
)

// leakageDensity in W/m2 is the leakage of every block with power where the law is 1.
const leakageDensity = 1.5e4

// leakageLaw is compiled into HotSpot 7 (calc_leakage in temperature.c). HotSpot does not limit its range.
var leakageLaw = &stack.Curve{Law: stack.ExponentialLaw, Value: 1, At: 383.15, Exponent: 0.036,
	Range: [2]float64{200, 1000}}

// readLeakage reads the switches of the leakage, and reports the law.
func (c *converter) readLeakage() {
	k := c.config
	pos := k.pos("leakage_used")
	switch mode := k.text("leakage_mode"); {
	case !k.on("leakage_used"):
		if k.given("leakage_mode") {
			c.Note(importer.NotCarried, k.pos("leakage_mode"), "leakage_mode belongs to a model that is off")
		}
	case mode != "0":
		c.Faults.Add(k.pos("leakage_mode"), "set it to 0 for the law that is compiled into HotSpot",
			"leakage_mode %s: got a model that HotSpot names, but does not contain; expected 0", stack.Shorten(mode))
	default:
		c.Note(importer.Adapted, pos, "leakage of every block with power: %g W/m2 exp(%g/K (T - %g K)), which is "+
			"compiled into HotSpot 7; a copy of HotSpot with another law (CoMeT's has) differs", leakageDensity,
			leakageLaw.Exponent, leakageLaw.At)
	}
}

// leakage of a block.
func (c *converter) leakage(u *unit) stack.Leakage {
	if !c.config.on("leakage_used") {
		return stack.Leakage{}
	}
	return stack.Leakage{Watts: leakageDensity * u.width * u.height, Factor: leakageLaw}
}

// The iteration of HotSpot over the leakage (temperature.h): K, K and number.
const (
	leakageWithin  = 0.01
	leakageMost    = 500
	leakageSystems = 101
)

// emulateLeakage decides whether the network iterates over the leakage of blocks as HotSpot does.
func (c *converter) emulateLeakage() bool {
	if !c.config.on("leakage_used") {
		return false
	}
	with := []string{"half-convection"}
	if !c.theirsDetailed() {
		with = []string{"face-node"}
	}
	if c.overhangs() {
		with = append(with, "rim-nodes")
	}
	return c.Emulates(importer.Deviation{
		Name: "block-leakage", Pos: c.config.pos("leakage_used"), Field: true, With: with,
		What: "HotSpot evaluates leakage at one temperature per block, in steady states only, and stops when no " +
			"block rises by 0.01 K",
		Instead: "every cell leaks at its own temperature, in transients as well",
	})
}

// blockLeakage is the rule of HotSpot for the network.
func blockLeakage(o *Outputs, n *network.Network) *network.Leakage {
	return &network.Leakage{Within: leakageWithin, Most: leakageMost, MostSystems: leakageSystems,
		Kelvin: func(s *network.Source, node func(n int32) float64) float64 {
			at := n.At[s.Layer]
			return o.BlockTemperature(&o.Layers[s.Layer].Blocks[s.Block],
				func(cell int) float64 { return node(at[cell]) })
		}}
}
