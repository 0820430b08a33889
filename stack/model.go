//go:generate go run ./internal/keydoc/gen

// Package stack holds the model of a 3D IC that everything else works on: its lateral size, materials, layers from
// bottom to top, floorplans and powers, and what happens on its six faces. All quantities are in SI units.
//
// Package stackfile reads a Stack from a TOML file; one built in Go is checked with Validate. A Stack knows of the grid
// only what the user requests.
package stack

import "thermsim/stack/geometry"

// Stack is one chip or package: what stackfile.Load returns and what the rest of thermsim simulates.
type Stack struct {
	Schema  int    `toml:"schema"` // version of the file format, 1
	Title   string `toml:"title"`  // free text, shown in reports
	Design  `toml:",inline"`
	Ambient float64 `toml:"ambient"` // K, the temperature that boundaries refer to unless they carry their own
	// K, the highest temperature allowed anywhere; 0 for no limit, as in layers, regions, powers and blocks
	TMax float64    `toml:"tmax"`
	Size [2]float64 `toml:"size"` // m, extent of the domain in x and y; the origin is the south-west corner
	Grid Grid

	Boundary  [NumFaces]Boundary // indexed by Face
	Materials []Material         // those the layers and regions use, in order of first use
	Layers    []Layer            // bottom to top
	PowerGrid *PowerGrid         // whose currents heat layers; nil without one
	Probes    []Probe
	Measured  Measured // temperatures to compare results with
	Jedec     Jedec    // which figures of JEDEC's standards it is for; empty for none
	Transient Transient
	Solver    Solver
	Output    Output

	File   string   // path of the stack file, empty for a stack built in Go
	Inputs []Input  // every file read, the stack file first
	Set    []string // overrides of the file, as they were given
}

// Design says who made the design, for reports. Both may be empty.
type Design struct {
	Author   string `toml:"author"`
	Revision string `toml:"revision"`
}

// Input is a file that the stack was read from.
type Input struct {
	Path   string
	SHA256 string // hexadecimal
}

// Grid is the lateral grid the user asks for; z cells are a property of each layer. With Auto both are to be chosen, by
// package autogrid, and the axes say nothing yet.
type Grid struct {
	X, Y Axis
	Auto *AutoGrid // nil for a grid that stands
	// Default says that the stack file has no grid, so that the geometry alone determined it, with cells of layers.
	Default bool
	// ErrorK is the estimated error of maxima, of a grid that was chosen; 0 if unknown. Stack files do not contain it.
	ErrorK float64
}

// AutoGrid is what a grid that is to be chosen shall achieve.
type AutoGrid struct {
	Error    float64 `toml:"error"`          // K, error wanted of maxima; 0 where Relative says it
	Relative float64 `toml:"relative_error"` // the same as a part of the highest rise
	MaxCells int     `toml:"max_cells"`      // of the whole grid
	Pos      Pos
}

// Defaults of automatic grids.
const (
	DefaultRelativeError = 0.01
	DefaultMaxCells      = 4_000_000
)

// DefaultAutoGrid is what grid = "auto" asks for.
func DefaultAutoGrid() *AutoGrid {
	return &AutoGrid{Relative: DefaultRelativeError, MaxCells: DefaultMaxCells}
}

// Axis divides one lateral direction into cells. Without segments the cells are equal.
type Axis struct {
	Cells    int // total number of cells
	Segments []Segment
	Pos      Pos
}

// SteepestSegment bounds the Ratio of a segment; 1/SteepestSegment is the least.
const SteepestSegment = 1e6

// Segment is a run of cells that ends at the coordinate To. Its cell sizes grow geometrically so that the last is Ratio
// times the first; Ratio 1 makes them equal.
type Segment struct {
	To    float64 `toml:"to"` // m, from the south-west corner
	Cells int     `toml:"cells"`
	Ratio float64 `toml:"ratio"`
}

// Material is a solid. K is its thermal conductivity along x, y and z in W/(m K), C its volumetric heat capacity in
// J/(m3 K). If one of them has a curve, and so depends on temperature, the number is the value of the curve at 300 K,
// or at the nearer end of its range.
type Material struct {
	Name   string
	K      [3]float64
	C      float64
	KCurve [3]*Curve // nil where constant
	CCurve *Curve
	Title  string  `toml:"title"`  // full name, for people
	Source string  `toml:"source"` // where the properties come from
	TRef   float64 `toml:"t_ref"`  // K, temperature at which the properties are valid; 0 if not given
	Notes  string  `toml:"notes"`
	Pos    Pos
}

// Layer is a slab of uniform thickness over the whole domain, of one material except where regions say otherwise.
type Layer struct {
	Name      string  `toml:"name"`
	Material  int     // index into Stack.Materials
	Thickness float64 `toml:"thickness"` // m
	Cells     int     `toml:"cells"`     // number of cells along z, at least 1, without that of a heated slice
	// PowerAt is where the powers arise, PowerDepth the height in m of the slice that is heated where that is a
	// surface.
	PowerAt    HeatedPart `toml:"power_at"`
	PowerDepth float64    `toml:"power_depth,own"`
	// ContactResistance, in m2 K/W, lies between this layer and the one above it.
	ContactResistance float64 `toml:"contact_resistance"`
	TMax              float64 `toml:"tmax"` // K
	// MeanOfAll makes reports take the layer's mean over what fills the room around its chips too.
	MeanOfAll bool     `toml:"mean"`
	Regions   []Region // later regions lie over earlier ones
	Powers    []Power
	// Coolant makes the layer a cavity, nil of solids.
	Coolant *Coolant
	Pos     Pos
}

// Rect is a rectangle with its south-west corner at (X, Y), all in m.
type Rect struct {
	X      float64 `toml:"x,zero"`
	Y      float64 `toml:"y,zero"`
	Width  float64 `toml:"width"`
	Height float64 `toml:"height"`
}

// Region is a part of a layer of another material, over the layer's whole thickness.
type Region struct {
	Name     string `toml:"name"` // may be empty
	Material int    // index into Stack.Materials
	Rect            // the region itself, or the rectangle around its shape
	Shape    geometry.Shape
	// Fill, where there is one, are inclusions in the material.
	Fill *Fill
	TMax float64 `toml:"tmax"` // K
	// Die is the die that the region is a part of; regions of one die, in all layers, have a row together in reports.
	// It may be empty.
	Die string `toml:"die"`
	Pos Pos
}

// Power is one source of heat in a layer, spread evenly over the heated part of the layer's thickness. Exactly one of
// Blocks, Map and Uniform is in use. Coordinates of blocks are those of the domain, whatever origin the file gave them.
type Power struct {
	Name    string `toml:"name"` // of a map or a uniform power, for reports; may be empty
	Blocks  []Block
	Map     *PowerMap
	Uniform float64 // W, spread evenly over Area
	// Leakage of a uniform power is spread as it is, and is not subject to Schedule. Blocks have theirs.
	Leakage Leakage
	// Area is where a map or a uniform power acts, and where blocks may lie: the whole layer, or the region the power
	// belongs to.
	Area Rect
	// Shape, where there is one, is where a uniform power acts; Area is then the rectangle around it.
	Shape geometry.Shape
	// Trace gives the watts of each block in time. Without it the powers are constant, apart from Schedule.
	Trace *Trace
	// Schedule scales the whole source in time: constant from each point to the next. Empty means 1 throughout.
	Schedule []ScalePoint
	// AllowOverlap accepts blocks that overlap, whose powers then add.
	AllowOverlap bool
	TMax         float64 `toml:"tmax"` // K, of the area of a map or a uniform power, and of blocks without a limit
	Pos          Pos
}

// ScalePoint sets the factor on a source from Time (s) on.
type ScalePoint struct {
	Time   float64 `toml:"t,zero"`
	Factor float64 `toml:"factor,zero"`
}

// Block is a named part of a floorplan: one or more rectangles and other shapes that share its watts by area.
type Block struct {
	Name   string `toml:"name"`
	Rects  []Rect
	Shapes []geometry.Shape
	Watts  float64 `toml:"power,zero"` // in a steady state; under a trace, the row or mean that the file asks for
	// Leakage comes on top at all times.
	Leakage Leakage
	TMax    float64 `toml:"tmax"` // K
	Pos     Pos
}

// Trace is a time series of block powers, constant on each interval.
type Trace struct {
	// Times are the starts of the intervals in s, ascending from 0; End is the end of the last one.
	Times []float64
	End   float64
	// Repeat starts again at End; otherwise the last row holds for ever.
	Repeat bool
	// Watts[row][b] is the power of Power.Blocks[b] in interval row.
	Watts [][]float64
}

// Probe is a named point whose temperature is reported: at height Z, or in the middle of a layer's thickness.
type Probe struct {
	Name string  `toml:"name"`
	X    float64 `toml:"x,zero"` // m
	Y    float64 `toml:"y,zero"` // m
	// Z is in m above the bottom; it is resolved to the middle of the layer where the file names one.
	Z    float64 `toml:"z,zero"`
	Side Side    `toml:"side"` // of the interface that the probe lies on
	Pos  Pos
}

// Side of an interface between two layers; empty where nothing was said, which means Below. A contact resistance makes
// the sides differ.
type Side string

// The sides: the upper surface of the layer below, and the lower surface of the layer above.
const (
	Below Side = "below"
	Above Side = "above"
)

// Measured holds measured temperatures, and limits on the differences of computed ones from them.
type Measured struct {
	Bias   float64 `toml:"bias"`  // K, of the mean difference; 0 for no limit, as the next two
	RMS    float64 `toml:"rms"`   // K, of the root mean square
	Worst  float64 `toml:"worst"` // K, of the largest difference
	Values []MeasuredValue
}

// MeasuredValue is a temperature measured at a probe.
type MeasuredValue struct {
	Probe  int     // index in Stack.Probes
	Time   float64 // s, in a transient; NaN of a steady state
	Kelvin float64
}

// Transient holds the file's settings of a transient run; zero values mean not given.
type Transient struct {
	Dt    float64 `toml:"dt"` // s
	Steps int     `toml:"steps"`
	// Adaptive time steps. Of these only Until can be given together with Dt.
	Until    float64   `toml:"until"`     // s
	DtTol    float64   `toml:"dt_tol"`    // K, largest error of a step
	ToSteady float64   `toml:"to_steady"` // K from the steady state at which the run ends
	Every    float64   `toml:"every"`     // s from one output to the next
	At       []float64 `toml:"at"`        // s, times of output, ascending
	Periodic bool      `toml:"periodic"`  // the periodic state that the traces lead to
	Initial  float64   `toml:"initial"`   // K, uniform initial temperature; Ambient unless given
}

// Given reports whether a file has any of these settings.
func (t *Transient) Given() bool {
	return t.Dt != 0 || t.Steps != 0 || t.Initial != 0 || t.Adaptive() || t.Until != 0
}

// Adaptive reports whether time steps are adaptive.
func (t *Transient) Adaptive() bool {
	return t.DtTol != 0 || t.ToSteady != 0 || t.Every != 0 || len(t.At) > 0 || t.Periodic
}

// Solver holds the file's settings of the solver; zero values mean not given.
type Solver struct {
	Preconditioner string  `toml:"preconditioner"`
	Device         string  `toml:"device"`
	Tol            float64 `toml:"tol"`  // K
	RTol           float64 `toml:"rtol"` // relative
	ATol           float64 `toml:"atol"` // W
	MaxIter        int     `toml:"max_iter"`
}

// Output holds the file's settings of reports.
type Output struct {
	Maps []string `toml:"maps"` // layers to map beyond those with power; "all" for every layer
}

// Height is the total thickness of the stack in m.
func (s *Stack) Height() float64 { return Height(s.Layers) }

func Height(layers []Layer) float64 {
	h := 0.0
	for i := range layers {
		h += layers[i].Thickness
	}
	return h
}

// TemperatureDependent reports whether a property of the material depends on
// temperature.
func (m *Material) TemperatureDependent() bool {
	return m.CCurve != nil || m.KCurve != [3]*Curve{}
}

// TemperatureDependent reports whether a property of any material or the coefficient of any face depends on
// temperature, which makes the equations nonlinear.
func (s *Stack) TemperatureDependent() bool {
	for f := range s.Boundary {
		if s.Boundary[f].TemperatureDependent() {
			return true
		}
	}
	for i := range s.Materials {
		if s.Materials[i].TemperatureDependent() {
			return true
		}
	}
	return false
}

// Area of the rectangle in m2.
func (r Rect) Area() float64 { return r.Width * r.Height }

// Domain is the rectangle that every layer covers.
func (s *Stack) Domain() Rect { return Rect{0, 0, s.Size[0], s.Size[1]} }

// Area of the block in m2.
func (b *Block) Area() float64 {
	a := 0.0
	for _, r := range b.Rects {
		a += r.Area()
	}
	for _, s := range b.Shapes {
		a += s.Area()
	}
	return a
}

// ActsOn is the area of a uniform power in m2.
func (p *Power) ActsOn() float64 {
	if p.Shape != nil {
		return p.Shape.Area()
	}
	return p.Area.Area()
}

// Watts of the source in a steady state.
func (p *Power) Watts() float64 {
	switch {
	case p.Map != nil:
		return p.Map.Watts()
	case len(p.Blocks) > 0:
		w := 0.0
		for _, b := range p.Blocks {
			w += b.Watts
		}
		return w
	}
	return p.Uniform
}

// InitialLayer is the temperature of a layer at the start of a transient.
type InitialLayer struct {
	Kelvin float64 // where no area lies
	Areas  []InitialArea
}

// InitialArea is a rectangle of a layer with another temperature, in K, over the whole thickness. Areas of a layer
// must not overlap.
type InitialArea struct {
	Rect
	Kelvin float64
}

// Jedec says which figures of JEDEC's standards a stack is for: the environment of the test, and the probes on the case
// and on the board.
type Jedec struct {
	Environment string `toml:"environment"`
	Case        string `toml:"case"`  // name of a probe
	Board       string `toml:"board"` // the same; may be empty
}

// Tolerance is the part of the domain's size by which coordinates may miss each other for reasons of rounding.
const Tolerance = 1e-9
