package ecxml

import (
	"bufio"
	"io"
)

// TwoResistor is a two-resistor model of a package, as of JESD15-3.
type TwoResistor struct {
	Name            string
	Size            [3]float64 // m
	Watts, Ambient  float64
	ToCase, ToBoard float64 // K/W
}

// Write writes the model as the one object of an ECXML model, its board at the bottom.
func (m *TwoResistor) Write(w io.Writer) error {
	x := &writer{w: bufio.NewWriter(w)}
	x.head(m.Name, m.Size, m.Ambient)
	x.open("geometry")
	x.begin("twoResistorModel", m.Name)
	x.vector("location", [3]float64{})
	x.vector("size", m.Size)
	x.text("plane", "+xy")
	x.number("powerDissipation", m.Watts)
	x.number("thetaJC", m.ToCase)
	x.number("thetaJB", m.ToBoard)
	x.close("twoResistorModel")
	x.close("geometry")
	x.close("neutralXML")
	return x.w.Flush()
}
