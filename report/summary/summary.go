// Package summary holds what the files of a run tell of it in numbers, and the words for them.
package summary

//go:generate go run thermsim/tools/resultdoc/gen

import (
	"cmp"
	"io"

	"thermsim/mesh/plausibility"
	"thermsim/report/jsonfile"
)

// Summary is what summary.json holds: the whole outcome of a run in numbers, SI units throughout and temperatures in
// kelvin.
//
// Field order here is the order in the file. Numbers that do not exist (a division by zero watts, a field that broke
// down) are null in the file and NaN here.
type Summary struct {
	// 1; a change of what a field means raises it, a new field does not
	Schema  int    `json:"schema"`
	Command string `json:"command"` // steady or transient
	Version string `json:"version"` // of thermsim
	Stack   string `json:"stack"`   // path of the stack file
	Title   string `json:"title"`   // of the stack
	// of the stack file and of every file that it names, in hexadecimal
	InputSHA256 string      `json:"input_sha256"`
	Set         []string    `json:"set,omitempty"` // what --set put in place of the file's values
	Grid        Grid        `json:"grid"`          // size of the grid
	Device      Device      `json:"device"`        // what solved
	Solver      Solver      `json:"solver"`        // how the solve ended
	Temperature Temperature `json:"temperature"`   // over all cells
	Power       Power       `json:"power"`         // watts asked for and watts on the grid
	Energy      Energy      `json:"energy"`        // heat balance
	// The hottest cell over all steps of a transient; absent from steady runs, and from transients of which it is not
	// known. Temperature, layers, blocks and regions are as at the end of the last step, but for peaks of their own.
	Peak Peak `json:"peak,omitzero"`
	// (max - ambient) over the power on the grid; null in a transient, which has none.
	RthKPerW float64 `json:"rth_K_per_W"`
	Time     Time    `json:"time"`   // wall time by phase
	Memory   Memory  `json:"memory"` // memory used

	// Transient runs only.

	// number of steps; absent from steady runs, as the next three
	Steps int `json:"steps,omitempty"`
	// length of a step; of the last one where steps follow the temperatures
	DtS float64 `json:"dt_s,omitempty"`
	// of all steps; 0 by the direct solver; absent from steady runs
	IterationsTotal *int   `json:"iterations_total,omitempty"`
	StepMaxima      []Step `json:"step_maxima,omitempty"` // one for each step
	// How steps followed the temperatures; absent where all have one length. The steps above are then the times that
	// were asked for.
	Stepping *Stepping `json:"stepping,omitempty"`

	HotSpots []HotSpot `json:"hot_spots"` // hottest first
	Layers   []Layer   `json:"layers"`    // bottom to top
	Blocks   []Block   `json:"blocks"`    // in the order of the layers and their floorplans
	// Those of the layers, what they leave of them, and areas of uniform powers and maps, in the order of the layers.
	Regions []Region `json:"regions"`
	// Those that regions name, in the order of their lowest regions; absent without any.
	Dies   []Die   `json:"dies,omitempty"`
	Probes []Probe `json:"probes"` // in the order of the file
	// Coolant has a row for each cavity, bottom to top.
	Coolant []Coolant `json:"coolant,omitempty"`
	Limits  []Limit   `json:"limits"` // worst first
	// Policies that throttled powers; absent without any.
	Policies []Policy `json:"policies,omitempty"`
	// Figures of JEDEC's standards; absent where the stack asks for none, in transients, without power and after a
	// runaway.
	Jedec Jedec `json:"jedec,omitzero"`

	Warnings []plausibility.Warning `json:"warnings"` // doubts about the stack and its temperatures
}

// Grid is the size of the grid.
type Grid struct {
	NX    int `json:"nx"`    // cells along x
	NY    int `json:"ny"`    // cells along y
	NZ    int `json:"nz"`    // cells along z
	Cells int `json:"cells"` // their product
}

// Device names what solved.
type Device struct {
	Kind string `json:"kind"` // cpu or gpu
	Name string `json:"name"` // of the processor or GPU
	// Why the processor took the place of a GPU; absent where it did not.
	GPUFailure string `json:"gpu_failure,omitempty"`
	Ranks      int    `json:"ranks,omitempty"` // that shared the grid; absent where one device had it alone
	// what carried data between ranks: NCCL and over what, copies of the driver, TCP
	Transport string `json:"transport,omitempty"`
}

// Solver is how the solve ended; in a transient, that of the last step. The estimated error is that of the whole
// run: the sum over the steps, or by the direct solver, which judges the last step only, that step's times their
// number.
type Solver struct {
	Method           string  `json:"method"`            // pcg, bicgstab, direct and so on
	Preconditioner   string  `json:"preconditioner"`    // that took part at the end; fourier of the direct solver
	Iterations       int     `json:"iterations"`        // of the linear solver; 0 by the direct solver
	ResidualNormW    float64 `json:"residual_norm_W"`   // Euclidean norm of b - A x
	RelativeResidual float64 `json:"relative_residual"` // of that to the norm of b
	// estimated largest distance to the exact solution of the discrete equations; `null` where it is unknown
	EstimatedErrorK float64 `json:"estimated_error_K"`
	Converged       bool    `json:"converged"` // in a transient, in every step
	Reason          string  `json:"reason"`    // why it stopped
	// Which methods stalled before the one named took over; absent where none did. Iterations are those of all.
	Fallback string `json:"fallback,omitempty"`
	// Absent where nothing follows the temperature.
	Nonlinear *Nonlinear `json:"nonlinear,omitempty"`
}

// Place is a cell: its centre, its layer, the block of that layer that covers most of it, if any, and the region that
// its centre lies in.
type Place struct {
	XM    float64 `json:"x_m"`   // centre of the cell
	YM    float64 `json:"y_m"`   // centre of the cell
	ZM    float64 `json:"z_m"`   // centre of the cell; 0 is the bottom of the stack
	Layer string  `json:"layer"` // its name
	Block string  `json:"block"` // that covers most of the cell; "" for none
	// That its centre lies in; "" outside of regions and in those without a name.
	Region string `json:"region"`
}

// Temperature is over all cells; the mean is weighted by volume.
type Temperature struct {
	AmbientK float64 `json:"ambient_K"` // of the stack file
	MaxK     float64 `json:"max_K"`     // highest of a cell
	MinK     float64 `json:"min_K"`     // lowest of a cell
	MeanK    float64 `json:"mean_K"`    // weighted by volume
	MaxAt    Place   `json:"max_at"`    // hottest cell
	// Cells without a finite temperature, left out of everything else: a solve that broke down; absent where there are
	// none.
	NonFiniteCells int `json:"non_finite_cells,omitempty"`
}

// Power compares the watts asked for with those on the grid.
type Power struct {
	RequestedW float64 `json:"requested_W"`         // in the files
	MappedW    float64 `json:"mapped_W"`            // in cells
	LeakageW   float64 `json:"leakage_W,omitempty"` // beside them; absent without leakage
}

// Energy is the heat balance of the solve.
type Energy struct {
	InW          float64 `json:"in_W"`          // power, and what faces let in
	OutW         float64 `json:"out_W"`         // what faces let out
	StoredW      float64 `json:"stored_W"`      // in a step, by heat capacities; 0 in a steady state
	ImbalanceRel float64 `json:"imbalance_rel"` // of in - out - stored to the largest flow
	ByFaceW      Face    `json:"by_face_W"`     // leaving heat is positive
	// Faces whose heat transfer coefficients follow the temperature; absent without any.
	Films []Film `json:"films,omitempty"`
	// Patches of faces, and what they leave of them; absent without any.
	Patches  []Patch `json:"patches,omitempty"`
	CoolantW float64 `json:"coolant_W,omitempty"` // of Out, what coolant carries away above what it brings in
}

// Face is one number per face of the domain.
type Face struct {
	Bottom float64 `json:"bottom"` // z = 0
	Top    float64 `json:"top"`    // z at its largest
	West   float64 `json:"west"`   // x = 0
	East   float64 `json:"east"`   // x at its largest
	South  float64 `json:"south"`  // y = 0
	North  float64 `json:"north"`  // y at its largest
}

// Time splits the wall time in s.
type Time struct {
	ParseS  float64 `json:"parse_s"`  // reading the stack file
	MeshS   float64 `json:"mesh_s"`   // making the grid and its coefficients
	DeviceS float64 `json:"device_s"` // opening the device
	SetupS  float64 `json:"setup_s"`  // building the preconditioner or the direct solver
	SolveS  float64 `json:"solve_s"`  // solving
	ReportS float64 `json:"report_s"` // taking the figures from the field
	TotalS  float64 `json:"total_s"`  // from the start until the figures were taken
}

// Memory counts bytes.
type Memory struct {
	DeviceBytes   int64 `json:"device_bytes"`    // held by the solver at most, on the GPU or in the host's memory
	HostPeakBytes int64 `json:"host_peak_bytes"` // of the whole process; 0 where the system does not tell
}

// Step is one time step.
type Step struct {
	TimeS      float64 `json:"time_s"`              // end of the step
	MaxK       float64 `json:"max_K"`               // hottest cell at that time
	PowerW     float64 `json:"power_W"`             // of the step, leakage included
	LeakageW   float64 `json:"leakage_W,omitempty"` // part of the power at the end of the step; absent without leakage
	Iterations int     `json:"iterations"`          // of the linear solver
	Converged  bool    `json:"converged"`           // the step met the tolerance
}

// HotSpot is a local maximum of the hottest temperature over the height, with its place.
type HotSpot struct {
	MaxK float64 `json:"max_K"` // at the maximum
	// how far the temperature must fall on the way to a hotter point; for the hottest spot, to the coldest point
	ProminenceK float64 `json:"prominence_K"`
	Place
}

// Layer is one layer over all its planes.
type Layer struct {
	Name       string  `json:"name"`                // of the layer
	Material   string  `json:"material"`            // of the layer outside its regions
	ZBottomM   float64 `json:"z_bottom_m"`          // height of its lower face
	ThicknessM float64 `json:"thickness_m"`         // of the layer
	PowerW     float64 `json:"power_W"`             // in the layer
	LeakageW   float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK       float64 `json:"max_K"`               // highest of a cell
	MeanK      float64 `json:"mean_K"`              // weighted by volume
	MinK       float64 `json:"min_K"`               // lowest of a cell
	MaxAt      Place   `json:"max_at"`              // hottest cell

	// materials around the layer's chips that the mean leaves out; absent where it is over everything
	MeanWithout []string `json:"mean_without,omitempty"`
	Peak        Peak     `json:"peak,omitzero"` // over the steps of a transient; absent from steady runs
}

// Block is one floorplan block over the planes of its layer. The average weighs every cell by the exact area the
// block covers of it; max and min are over the cells it touches.
type Block struct {
	Layer    string  `json:"layer"`               // name of its layer
	Name     string  `json:"name"`                // of the block
	AreaM2   float64 `json:"area_m2"`             // of the block
	PowerW   float64 `json:"power_W"`             // of the block
	LeakageW float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64 `json:"max_K"`               // highest of the cells it touches
	AvgK     float64 `json:"avg_K"`               // weighted by the area covered
	MinK     float64 `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place   `json:"max_at"`              // hottest cell
	Peak     Peak    `json:"peak,omitzero"`       // over the steps of a transient; absent from steady runs
}

// Region is a region of a layer as far as later regions do not cover it (kind "region"), what regions leave of
// their layer ("rest"), or the area of a uniform power or a map ("power"). Mean, max and min are as those of blocks.
// Regions of one name in a layer are one, and so are those without a name of one material, where they are of one die.
type Region struct {
	Layer    string  `json:"layer"`               // name of its layer
	Name     string  `json:"name"`                // of the region or power; "" where it has none
	Kind     string  `json:"kind"`                // region, rest or power
	Material string  `json:"material"`            // "" of a power
	AreaM2   float64 `json:"area_m2"`             // as far as later regions do not cover it
	PowerW   float64 `json:"power_W"`             // of the sources over it
	LeakageW float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64 `json:"max_K"`               // highest of the cells it touches
	MeanK    float64 `json:"mean_K"`              // weighted by the volume covered
	MinK     float64 `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place   `json:"max_at"`              // hottest cell
	Peak     Peak    `json:"peak,omitzero"`       // over the steps of a transient; absent from steady runs
}

// Label names the row for people.
func (r *Region) Label() string {
	switch {
	case r.Kind == KindRest:
		return "rest, " + r.Material
	case r.Name != "" && r.Kind == KindPower:
		return r.Name + " (power)"
	case r.Name != "":
		return r.Name
	}
	return r.Material
}

// Probe is the temperature at a probe.
type Probe struct {
	Name         string  `json:"name"`          // of the probe
	XM           float64 `json:"x_m"`           // its place
	YM           float64 `json:"y_m"`           // its place
	ZM           float64 `json:"z_m"`           // its place
	TemperatureK float64 `json:"temperature_K"` // there
	// of the interface at z: "below" or "above", where the stack says which
	Side string `json:"side,omitempty"`
}

// Die is a die over all its regions, as far as later regions do not cover them. The mean weighs every cell by
// the volume that the die covers of it.
type Die struct {
	Name     string   `json:"name"`                // of the die
	Layers   []string `json:"layers"`              // in which it has regions, bottom to top
	PowerW   float64  `json:"power_W"`             // of the sources over its regions
	LeakageW float64  `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64  `json:"max_K"`               // highest of the cells it touches
	MeanK    float64  `json:"mean_K"`              // weighted by volume
	MinK     float64  `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place    `json:"max_at"`              // hottest cell
	Peak     Peak     `json:"peak,omitzero"`       // over the steps of a transient; absent from steady runs
}

// Span names the layers of a die for people.
func (d *Die) Span() string {
	first, last := d.Layers[0], d.Layers[len(d.Layers)-1]
	if first == last {
		return first
	}
	return first + " to " + last
}

// WriteJSON writes the summary as indented JSON, fields in the order of the type. Numbers that are not finite become
// null.
func (s *Summary) WriteJSON(w io.Writer) error {
	return jsonfile.Write(w, *s)
}

// Kinds of rows beside blocks.
const (
	KindRegion = "region"
	KindRest   = "rest"  // a layer's own material around its regions
	KindPower  = "power" // where a uniform power or a map acts
)

// Peak is the hottest of a place over a transient, with its time (the end of a step).
type Peak struct {
	MaxK  float64 `json:"max_K"`  // highest of a cell at the end of a step
	TimeS float64 `json:"time_s"` // of it
	At    Place   `json:"at"`     // hottest cell
}

// Reached is the peak of a transient, the maximum of a steady state.
func (p *Peak) Reached(steady float64) float64 { return cmp.Or(p.MaxK, steady) }

// Policy tells what a policy did in a transient, see docs/guides/serve.md.
type Policy struct {
	Name       string   `json:"name"`              // of the policy
	AboveK     float64  `json:"above_K"`           // throttles
	BelowK     float64  `json:"below_K"`           // releases
	Factor     float64  `json:"factor"`            // of the power while throttled
	PeakK      float64  `json:"peak_K"`            // highest temperature that it watched, at the ends of steps
	ThrottledS float64  `json:"throttled_s"`       // time throttled
	Changes    int      `json:"changes"`           // times that it throttled or released
	FirstS     *float64 `json:"first_s,omitempty"` // when it throttled first; absent where it never did
	Throttled  bool     `json:"throttled"`         // at the end
}
