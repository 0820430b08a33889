package stack

// InitialLayer is the temperature of a layer at the start of a transient.
type InitialLayer struct {
	Kelvin float64 // where no area lies
	Areas  []InitialArea
}

// InitialArea is a rectangle of a layer with a temperature of its own in K, over the whole thickness. Areas of a layer
// must not overlap.
type InitialArea struct {
	Rect
	Kelvin float64
}
