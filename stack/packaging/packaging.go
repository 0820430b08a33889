// Package packaging lays out chip packages: from a kind of package, its size and its dies to layers, bottom to top,
// with the parts of each. It knows the usual dimensions and materials of six kinds, the test boards of JEDEC's
// standards and the environments that they prescribe. Lengths are in m.
package packaging

// Kind of package.
type Kind string

// The kinds.
const (
	FlipChipLid Kind = "flip-chip-lid" // die on bumps under a lid, on an organic substrate with balls
	FlipChip    Kind = "flip-chip"     // the same with a bare die
	WireBond    Kind = "wire-bond"     // die on its back, wires in mold compound, on a substrate with balls
	FanOut      Kind = "fan-out"       // die in mold compound on a redistribution layer with balls
	Interposer  Kind = "interposer"    // dies side by side on a silicon interposer under a lid: 2.5D
	HBM         Kind = "hbm"           // memory dies on a base die, without substrate or board
)

// Sheet is a layer of one material.
type Sheet struct {
	Material  string  `toml:"material"`
	Thickness float64 `toml:"thickness"`
	Cells     int     `toml:"cells"`
}

// Joints are a square array of solder columns in a matrix, homogenized.
type Joints struct {
	Height   float64 `toml:"height"`
	Diameter float64 `toml:"diameter"`
	Pitch    float64 `toml:"pitch"`
	Solder   string  `toml:"solder"` // a material, as Around
	Around   string  `toml:"around"`
	Cells    int     `toml:"cells"`
}

// Copper is a copper layer: its thickness and the part of its area that is copper.
type Copper struct{ Thickness, Coverage float64 }

// Wiring is a substrate, a redistribution layer or a board: copper layers in a dielectric, and vias through it.
type Wiring struct {
	Thickness  float64  `toml:"thickness"`
	Dielectric string   `toml:"dielectric"`
	Copper     []Copper // bottom to top
	Vias       float64  // part of the area that is copper along z
	Cells      int      `toml:"cells"`
}

// Plate is an interposer.
type Plate struct {
	Sheet  `toml:",inline"`
	Margin float64 `toml:"margin"` // beyond the outermost dies
}

// Lid is a plate over the dies on a foot around them.
type Lid struct {
	Sheet    `toml:",inline"`
	Foot     float64 `toml:"foot"`     // width of the foot, 0 for none
	Adhesive string  `toml:"adhesive"` // under the foot
}

// Base of a heat sink; its extent is 0 for that of the domain.
type Base struct{ Width, Height float64 }

// Die is a die, or a stack of memory dies on a base die. X and Y count from the south-west corner of the package.
type Die struct {
	Name          string  `toml:"name"`
	X             float64 `toml:"x"`
	Y             float64 `toml:"y"`
	Width, Height float64
	Material      string  `toml:"material"`
	Thickness     float64 `toml:"thickness"`
	Tiers         int     `toml:"tiers"` // memory dies on this one
}

// Package has all dimensions of a package. Parts that its kind does not have are not used.
type Package struct {
	Kind          Kind
	Width, Height float64 // of the body along x and y
	Dies          []Die
	Board         *Board // nil for none
	Balls         Joints `toml:"balls"` // between board and substrate
	Substrate     Wiring // the redistribution layer of a fan-out package
	Bumps         Joints `toml:"bumps"` // under dies, or under the interposer
	Interposer    Plate  `toml:"interposer"`
	Microbumps    Joints `toml:"microbumps"` // on the interposer
	Attach        Sheet  `toml:"attach"`     // under a die with wires
	Mold          Sheet  `toml:"mould"`      // over the dies; around them its material alone counts
	TIM1          Sheet  `toml:"tim1"`
	Lid           Lid    `toml:"lid"`
	TIM2          Sheet  `toml:"tim2"` // under a heat sink
	Sink          *Base  // of the heat sink on top, nil for none
	Tier          Sheet  `toml:"tier"` // memory dies
	Bond          Joints `toml:"bond"`
}

// Lidded says whether the package has a lid.
func (p *Package) Lidded() bool { return p.Kind == FlipChipLid || p.Kind == Interposer }

// Molded says whether mold compound surrounds the dies.
func (p *Package) Molded() bool { return p.Kind == WireBond || p.Kind == FanOut || p.Kind == HBM }
