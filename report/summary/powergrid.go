package summary

import (
	"fmt"
	"math"

	"thermsim/report/quantity"
)

// PowerGrid is the power grid of a stack at the temperatures of the run. Absent values: a stack without a power grid.
type PowerGrid struct {
	File     string  `json:"file"`      // netlist
	Segments int     `json:"segments"`  // resistors in the stack
	JouleW   float64 `json:"joule_W"`   // heat of these; leakage and power of the run include it
	Outside  int     `json:"outside"`   // other resistors
	OutsideW float64 `json:"outside_W"` // heat of these, which does not enter the stack
	SourcesW float64 `json:"sources_W"` // power of the voltage sources
	LoadsW   float64 `json:"loads_W"`   // power of the current sources, which is not added to the stack
	// solves of the currents and of the temperatures, in turn
	Iterations int     `json:"iterations"`
	ChangeK    float64 `json:"change_K"` // of the temperature of a segment in the last of them, largest
	// After a thermal runaway: factor on all given currents and drops, the square root of the factor on all powers;
	// absent otherwise.
	CurrentFactor float64 `json:"current_factor,omitempty"`
	// Segment furthest outside the range of the resistances; absent if all are inside.
	OutOfRange *OutOfRangeSegment `json:"out_of_range,omitempty"`
	Nets       []Net              `json:"nets"` // connected parts
	// the first segments of segments.csv: those of the shortest lifetimes, or else of the largest current densities
	Worst []Segment `json:"worst"`

	All  []Segment    `json:"-"` // worst first
	Maps []SegmentMap `json:"-"` // by layer
}

// Segment is a resistor of a power grid in the stack.
type Segment struct {
	From           string  `json:"from"`                     // node
	To             string  `json:"to"`                       // node
	At             Place   `json:"at"`                       // its middle
	CurrentA       float64 `json:"current_A"`                // magnitude
	CurrentDensity float64 `json:"current_density_A_per_m2"` // of its cross-section
	ResistanceOhm  float64 `json:"resistance_ohm"`           // at its temperature
	JouleW         float64 `json:"joule_W"`                  // heat
	// deviation from the voltage of the sources, at the worse of its nodes
	DropV        float64 `json:"drop_V"`
	TemperatureK float64 `json:"temperature_K"` // mean over its length
	LifetimeS    float64 `json:"lifetime_s"`    // median, by Black's equation; null without em or current
}

// OutOfRangeSegment is a segment whose temperature is outside the range in which its resistance is linear. Its heat is
// that of the end of the range.
type OutOfRangeSegment struct {
	From         string  `json:"from"`          // node
	To           string  `json:"to"`            // node
	Layer        string  `json:"layer"`         // its name
	TemperatureK float64 `json:"temperature_K"` // of its hottest or coldest part
	FromK        float64 `json:"from_K"`        // lower end of the range
	ToK          float64 `json:"to_K"`          // upper end of the range
}

// String describes the segment.
func (o *OutOfRangeSegment) String() string {
	return fmt.Sprintf("segment %s to %s in layer %s at %.4g K, valid from %.4g to %.4g K",
		quantity.Shorten(o.From, 40), quantity.Shorten(o.To, 40), o.Layer, o.TemperatureK, o.FromK, o.ToK)
}

// SegmentMap has the worst values of the segments of a layer by tile; NaN where there is none.
type SegmentMap struct {
	Layer     int
	X, Y      []float64 // edges of the tiles, m
	DropV     []float64 // largest
	LifetimeS []float64 // shortest; nil without em
}

// SecondsPerYear is the length of a Julian year.
const SecondsPerYear = 365.25 * 24 * 3600

// String describes the power grid in a line.
func (g *PowerGrid) String() string {
	text := fmt.Sprintf("power grid: %s W of Joule heat in %s segments", quantity.Significant(g.JouleW, 4),
		quantity.Count(g.Segments))
	if g.CurrentFactor > 0 {
		text += fmt.Sprintf(" at %s times the given currents (the square root of the factor on the power)",
			quantity.Significant(g.CurrentFactor, 4))
	}
	if g.Outside > 0 {
		text += fmt.Sprintf(", %s W outside the stack (resistors: %s)", quantity.Significant(g.OutsideW, 3),
			quantity.Count(g.Outside))
	}
	worst := Net{}
	for _, n := range g.Nets {
		if n.WorstV > worst.WorstV {
			worst = n
		}
	}
	if worst.WorstV > 0 {
		text += fmt.Sprintf(", IR drop %s mV at %s", quantity.Significant(worst.WorstV*1e3, 4),
			quantity.Shorten(worst.WorstNode, 40))
	}
	if len(g.Worst) > 0 && !math.IsNaN(g.Worst[0].LifetimeS) {
		text += fmt.Sprintf(", shortest lifetime %s years",
			quantity.Significant(g.Worst[0].LifetimeS/SecondsPerYear, 3))
	}
	return text + fmt.Sprintf("; %d iterations", g.Iterations)
}
