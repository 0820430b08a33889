// Package summary defines the results of a run as numbers for its files, and formats them as text.
package summary

//go:generate go run thermsim/tools/resultdoc

import (
	"cmp"
	"io"

	"thermsim/mesh/plausibility"
	"thermsim/report/jsonfile"
)

// Summary is the content of summary.json: all results of a run, in SI units and kelvin.
//
// Field order here is the order in the file. Undefined numbers (a division by zero watts, a solve that broke down) are
// null in the file and NaN here.
type Summary struct {
	// 1; it increases when the meaning of a field changes, not for new fields
	Schema  int    `json:"schema"`
	Command string `json:"command"` // steady or transient
	Version string `json:"version"` // of thermsim
	Stack   string `json:"stack"`   // path of the stack file
	Title   string `json:"title"`   // of the stack
	// of the stack file and every file that it names, in hexadecimal
	InputSHA256 string      `json:"input_sha256"`
	Set         []string    `json:"set,omitempty"` // values that --set and the defaults file replaced
	Grid        Grid        `json:"grid"`          // size of the grid
	Device      Device      `json:"device"`        // device that solved
	Solver      Solver      `json:"solver"`        // how the solve ended
	Temperature Temperature `json:"temperature"`   // over all cells
	Power       Power       `json:"power"`         // requested power and power on the grid
	Energy      Energy      `json:"energy"`        // heat balance
	// Hottest cell over all steps of a transient; absent for steady runs, and for transients in which it is unknown.
	// Temperature, layers, blocks and regions are values at the end of the last step, except for their peaks.
	Peak Peak `json:"peak,omitzero"`
	// (max - ambient) / power on the grid; null in a transient.
	RthKPerW float64 `json:"rth_K_per_W"`
	Time     Time    `json:"time"`   // wall time by phase
	Memory   Memory  `json:"memory"` // memory used

	// Transient runs only.

	// number of steps; absent for steady runs, as the next three
	Steps int `json:"steps,omitempty"`
	// length of a step; of the last step with adaptive time steps
	DtS float64 `json:"dt_s,omitempty"`
	// over all steps; 0 for the direct solver; absent for steady runs
	IterationsTotal *int   `json:"iterations_total,omitempty"`
	StepMaxima      []Step `json:"step_maxima,omitempty"` // one per step
	// Adaptive time steps; absent for fixed time steps. The steps above are then the requested output times.
	Stepping *Stepping `json:"stepping,omitempty"`

	HotSpots []HotSpot `json:"hot_spots"` // hottest first
	Layers   []Layer   `json:"layers"`    // bottom to top
	Blocks   []Block   `json:"blocks"`    // in the order of the layers and their floorplans
	// Regions of the layers, the rest of these layers, and areas of uniform powers and maps, in the order of the
	// layers.
	Regions []Region `json:"regions"`
	// Dies that regions name, in the order of their lowest regions; absent without any.
	Dies   []Die   `json:"dies,omitempty"`
	Probes []Probe `json:"probes"` // in the order of the file
	// Coolant of each cavity, bottom to top.
	Coolant []Coolant `json:"coolant,omitempty"`
	Limits  []Limit   `json:"limits"` // worst first
	// Measured temperatures compared with computed ones; absent without any.
	Measured *Measured `json:"measured,omitempty"`
	// Throttling policies; absent without any.
	Policies []Policy `json:"policies,omitempty"`
	// Power grid of the stack; absent without one.
	PowerGrid *PowerGrid `json:"power_grid,omitempty"`
	// JEDEC metrics; absent if the stack requests none, in transients, without power and after a runaway.
	Jedec Jedec `json:"jedec,omitzero"`

	Warnings []plausibility.Warning `json:"warnings"` // about the stack and its temperatures
}

// Grid is the size of the grid.
type Grid struct {
	NX    int `json:"nx"`    // cells along x
	NY    int `json:"ny"`    // cells along y
	NZ    int `json:"nz"`    // cells along z
	Cells int `json:"cells"` // their product
}

// Device describes the device that solved.
type Device struct {
	Kind string `json:"kind"` // cpu or gpu
	Name string `json:"name"` // of the processor or GPU
	// Why the processor replaced a GPU; absent if it did not.
	GPUFailure string `json:"gpu_failure,omitempty"`
	Ranks      int    `json:"ranks,omitempty"` // that shared the grid; absent for a single device
	// transport between ranks: NCCL and its link, driver copies, or MPI
	Transport string `json:"transport,omitempty"`
}

// Solver is the outcome of the solve; in a transient, of the last step. The estimated error covers the whole run: the
// sum over the steps, or for the direct solver, which estimates the last step only, that estimate times the number of
// steps.
type Solver struct {
	Method           string  `json:"method"`            // pcg, bicgstab, direct and so on
	Preconditioner   string  `json:"preconditioner"`    // used at the end; fourier for the direct solver
	Iterations       int     `json:"iterations"`        // of the linear solver; 0 for the direct solver
	ResidualNormW    float64 `json:"residual_norm_W"`   // Euclidean norm of b - A x
	RelativeResidual float64 `json:"relative_residual"` // relative to the norm of b
	// estimated largest distance to the exact solution of the discrete equations; `null` if unknown
	EstimatedErrorK float64 `json:"estimated_error_K"`
	Converged       bool    `json:"converged"` // in a transient, in every step
	Reason          string  `json:"reason"`    // why the solve stopped
	// Methods that stalled before the named method took over; absent without any. Iterations are those of all methods.
	Fallback string `json:"fallback,omitempty"`
	// Absent without temperature-dependent properties.
	Nonlinear *Nonlinear `json:"nonlinear,omitempty"`
}

// Place is the location of a cell: its center, its layer, the block of that layer that covers most of it, and the
// region that contains its center.
type Place struct {
	XM    float64 `json:"x_m"`   // centre of the cell
	YM    float64 `json:"y_m"`   // centre of the cell
	ZM    float64 `json:"z_m"`   // centre of the cell; 0 is the bottom of the stack
	Layer string  `json:"layer"` // its name
	Block string  `json:"block"` // that covers most of the cell; "" for none
	// Region that contains its center; "" outside of regions and in regions without a name.
	Region string `json:"region"`
}

// Temperature is over all cells; the mean is weighted by volume. The space around a board or heat sink (open_space) is
// excluded from the mean and the minimum.
type Temperature struct {
	AmbientK float64 `json:"ambient_K"` // of the stack file
	MaxK     float64 `json:"max_K"`     // highest of a cell
	MinK     float64 `json:"min_K"`     // lowest of a cell
	MeanK    float64 `json:"mean_K"`    // weighted by volume
	MaxAt    Place   `json:"max_at"`    // hottest cell
	// Cells without a finite temperature, from a solve that broke down; all other values exclude them. Absent without
	// any.
	NonFiniteCells int `json:"non_finite_cells,omitempty"`
}

// Power compares the requested power with the power on the grid.
type Power struct {
	RequestedW float64 `json:"requested_W"`         // in the files
	MappedW    float64 `json:"mapped_W"`            // in cells
	LeakageW   float64 `json:"leakage_W,omitempty"` // in addition to both; absent without leakage
}

// Energy is the heat balance of the solve.
type Energy struct {
	InW          float64 `json:"in_W"`          // power, and heat that enters through faces
	OutW         float64 `json:"out_W"`         // heat that leaves through faces and with coolant
	StoredW      float64 `json:"stored_W"`      // rate of change of the heat content; 0 in a steady state
	ImbalanceRel float64 `json:"imbalance_rel"` // (in - out - stored) / largest flow
	ByFaceW      Face    `json:"by_face_W"`     // positive if heat leaves
	// Faces with temperature-dependent heat-transfer coefficients; absent without any.
	Films []Film `json:"films,omitempty"`
	// Patches of faces, and the rest of these faces; absent without any.
	Patches  []Patch `json:"patches,omitempty"`
	CoolantW float64 `json:"coolant_W,omitempty"` // part of Out: heat removed by coolant
}

// Face holds one value per face of the domain.
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
	MeshS   float64 `json:"mesh_s"`   // building the grid and its coefficients
	DeviceS float64 `json:"device_s"` // opening the device
	SetupS  float64 `json:"setup_s"`  // building the preconditioner or the direct solver
	SolveS  float64 `json:"solve_s"`  // solving
	ReportS float64 `json:"report_s"` // computing the results from the field
	TotalS  float64 `json:"total_s"`  // from the start until the results were computed
}

// Memory counts bytes.
type Memory struct {
	DeviceBytes   int64 `json:"device_bytes"`    // peak of the solver, on the GPU or in host memory
	HostPeakBytes int64 `json:"host_peak_bytes"` // peak of the whole process; 0 if unknown
}

// Step is one time step.
type Step struct {
	TimeS      float64 `json:"time_s"`              // end of the step
	MaxK       float64 `json:"max_K"`               // hottest cell at that time
	PowerW     float64 `json:"power_W"`             // during the step, including leakage
	LeakageW   float64 `json:"leakage_W,omitempty"` // part of the power at the end of the step; absent without leakage
	Iterations int     `json:"iterations"`          // of the linear solver
	Converged  bool    `json:"converged"`           // the step met the tolerance
}

// HotSpot is a local maximum, in x and y, of the maximum over z.
type HotSpot struct {
	MaxK float64 `json:"max_K"` // at the maximum
	// temperature drop to the saddle towards the nearest hotter spot; for the hottest spot, to the coldest point
	ProminenceK float64 `json:"prominence_K"`
	Place
}

// Layer is one layer over all its planes.
type Layer struct {
	Name       string  `json:"name"`                // of the layer
	Material   string  `json:"material"`            // outside its regions; of the last region if a filler is there
	ZBottomM   float64 `json:"z_bottom_m"`          // height of its lower face
	ThicknessM float64 `json:"thickness_m"`         // of the layer
	PowerW     float64 `json:"power_W"`             // in the layer
	LeakageW   float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK       float64 `json:"max_K"`               // highest of a cell
	MeanK      float64 `json:"mean_K"`              // weighted by volume
	MinK       float64 `json:"min_K"`               // lowest of a cell
	MaxAt      Place   `json:"max_at"`              // hottest cell

	// materials around the layer's chips that the mean excludes; absent if it includes everything
	MeanWithout []string `json:"mean_without,omitempty"`
	Peak        Peak     `json:"peak,omitzero"` // over the steps of a transient; absent for steady runs
}

// Block is one floorplan block over the planes of its layer. The mean weighs every cell by the exact area the
// block covers of it; max and min are over the cells it touches.
type Block struct {
	Layer    string  `json:"layer"`               // name of its layer
	Name     string  `json:"name"`                // of the block
	AreaM2   float64 `json:"area_m2"`             // of the block
	PowerW   float64 `json:"power_W"`             // of the block
	LeakageW float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64 `json:"max_K"`               // highest of the cells it touches
	AvgK     float64 `json:"mean_K"`              // weighted by the area covered
	MinK     float64 `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place   `json:"max_at"`              // hottest cell
	Peak     Peak    `json:"peak,omitzero"`       // over the steps of a transient; absent for steady runs
}

// Region is a region of a layer without the parts that later regions cover (kind "region"), the rest of a layer with
// regions ("rest"), or the area of a uniform power or a map ("power"). Mean, max and min are defined as for blocks.
// Regions of a layer with the same name and die form one row, as do those without a name that have the same material
// and die.
type Region struct {
	Layer    string  `json:"layer"`               // name of its layer
	Name     string  `json:"name"`                // of the region or power; "" without a name
	Kind     string  `json:"kind"`                // region, rest or power
	Material string  `json:"material"`            // "" of a power
	AreaM2   float64 `json:"area_m2"`             // without the parts that later regions cover
	PowerW   float64 `json:"power_W"`             // of the sources over it
	LeakageW float64 `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64 `json:"max_K"`               // highest of the cells it touches
	MeanK    float64 `json:"mean_K"`              // weighted by the volume covered
	MinK     float64 `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place   `json:"max_at"`              // hottest cell
	Peak     Peak    `json:"peak,omitzero"`       // over the steps of a transient; absent for steady runs
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
	XM           float64 `json:"x_m"`           // coordinate
	YM           float64 `json:"y_m"`           // coordinate
	ZM           float64 `json:"z_m"`           // coordinate
	TemperatureK float64 `json:"temperature_K"` // there
	// side of the interface at z: "below" or "above", if the stack defines it
	Side string `json:"side,omitempty"`
}

// Die is the union of the regions of a die, without the parts that later regions cover. The mean weights every cell by
// the volume that the die covers.
type Die struct {
	Name     string   `json:"name"`                // of the die
	Layers   []string `json:"layers"`              // in which it has regions, bottom to top
	PowerW   float64  `json:"power_W"`             // of the sources over its regions
	LeakageW float64  `json:"leakage_W,omitempty"` // part of the power; absent without leakage
	MaxK     float64  `json:"max_K"`               // highest of the cells it touches
	MeanK    float64  `json:"mean_K"`              // weighted by volume
	MinK     float64  `json:"min_K"`               // lowest of the cells it touches
	MaxAt    Place    `json:"max_at"`              // hottest cell
	Peak     Peak     `json:"peak,omitzero"`       // over the steps of a transient; absent for steady runs
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

// Kinds of regions.
const (
	KindRegion = "region"
	KindRest   = "rest"  // the material of a layer around its regions
	KindPower  = "power" // where a uniform power or a map acts
)

// Peak is the maximum over a transient, with its time (the end of a step).
type Peak struct {
	MaxK  float64 `json:"max_K"`  // highest of a cell at the end of a step
	TimeS float64 `json:"time_s"` // of it
	At    Place   `json:"at"`     // hottest cell
}

// Reached is the peak of a transient, the maximum of a steady state.
func (p *Peak) Reached(steady float64) float64 { return cmp.Or(p.MaxK, steady) }

// Policy is the effect of a throttling policy on a transient, see docs/guides/serve.md.
type Policy struct {
	Name       string   `json:"name"`              // of the policy
	AboveK     float64  `json:"above_K"`           // throttles
	BelowK     float64  `json:"below_K"`           // releases
	Factor     float64  `json:"factor"`            // of the power while throttled
	PeakK      float64  `json:"peak_K"`            // highest temperature of its sensors, at the ends of steps
	ThrottledS float64  `json:"throttled_s"`       // time throttled
	Changes    int      `json:"changes"`           // number of times it throttled or released
	FirstS     *float64 `json:"first_s,omitempty"` // first throttling; absent if it never throttled
	Throttled  bool     `json:"throttled"`         // at the end
}
