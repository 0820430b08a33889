package stack

// PowerGrid is the power grid of a chip: a netlist of its wires, whose currents heat the stack. Package electrothermal
// solves it and replaces it by powers of the layers.
type PowerGrid struct {
	File string // of the netlist
	Data []byte // its text
	// Unit is the length in m of one unit of the coordinates in the names of nodes, Origin where these are zero.
	Unit   float64    `toml:"unit"`
	Origin [2]float64 `toml:"origin"`
	Metals []Metal
	Pos    Pos
}

// Metal is a family of wires or vias of one cross-section in one layer.
type Metal struct {
	// Nodes are prefixes of the names of their nodes: one of wires, two separated by a space of vias between them.
	Nodes     []string `toml:"nodes"`
	Layer     int      // index into Stack.Layers
	Width     float64  `toml:"width"`
	Thickness float64  `toml:"thickness"` // m; that of square wires and of vias is Width
	// The netlist has the resistances at At, with a temperature coefficient of resistance (TCR) in 1/K.
	TCR float64 `toml:"tcr"`
	At  float64 `toml:"at"` // K
	// EM describes electromigration; nil if no lifetimes are asked for.
	EM  *Electromigration
	Pos Pos
}

// Electromigration has the parameters of Black's equation: the median lifetime is Lifetime for a current density and a
// temperature, and follows the power -Exponent of the former and exp(Energy/(k T)).
type Electromigration struct {
	Lifetime float64 `toml:"lifetime"` // s
	Density  float64 `toml:"density"`  // A/m2
	At       float64 `toml:"at"`       // K
	Exponent float64 `toml:"exponent"`
	Energy   float64 `toml:"energy"` // J
}
