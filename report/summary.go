package report

import "thermsim/plausibility"

// Summary is what summary.json holds: the whole outcome of a run in numbers, SI units throughout and temperatures in kelvin.
// Field order here is the order in the file. Numbers that do not exist (a division by zero watts, a field that broke down)
// are null in the file and NaN here.
type Summary struct {
	Schema      int                `json:"schema"` // 1
	Command     string             `json:"command"`
	Version     string             `json:"version"`
	Stack       string             `json:"stack"` // path of the stack file
	Title       string             `json:"title"`
	InputSHA256 string             `json:"input_sha256"`
	Grid        GridSummary        `json:"grid"`
	Device      DeviceSummary      `json:"device"`
	Solver      SolverSummary      `json:"solver"`
	Temperature TemperatureSummary `json:"temperature"`
	Power       PowerSummary       `json:"power"`
	Energy      EnergySummary      `json:"energy"`
	// Peak is the hottest cell over all steps of a transient; absent from steady runs, and from transients of which it is not known. Temperature, layers,
	// blocks and regions are as at the end of the last step, but for peaks of their own.
	Peak Peak `json:"peak,omitzero"`
	// RthKPerW is (max - ambient) over the mapped power; NaN in a transient, which has none.
	RthKPerW float64       `json:"rth_K_per_W"`
	Time     TimeSummary   `json:"time"`
	Memory   MemorySummary `json:"memory"`

	// Transient runs only.
	Steps           int           `json:"steps,omitempty"`
	DtS             float64       `json:"dt_s,omitempty"`
	IterationsTotal int           `json:"iterations_total,omitempty"`
	StepMaxima      []StepSummary `json:"step_maxima,omitempty"`

	HotSpots []HotSpot      `json:"hot_spots"` // hottest first
	Layers   []LayerSummary `json:"layers"`    // bottom to top
	Blocks   []BlockSummary `json:"blocks"`    // in the order of the layers and their floorplans
	// Regions are those of the layers, what they leave of them, and areas of uniform powers and maps, in the order of the layers.
	Regions []RegionSummary `json:"regions"`
	Probes  []ProbeSummary  `json:"probes"`
	// Coolant has a row for each cavity, bottom to top.
	Coolant []CoolantSummary `json:"coolant,omitempty"`
	Limits  []LimitSummary   `json:"limits"` // worst first

	Warnings []plausibility.Warning `json:"warnings"` // doubts about the stack and its temperatures
}

// GridSummary is the size of the grid.
type GridSummary struct {
	NX    int `json:"nx"`
	NY    int `json:"ny"`
	NZ    int `json:"nz"`
	Cells int `json:"cells"`
}

// DeviceSummary names what solved.
type DeviceSummary struct {
	Kind string `json:"kind"` // cpu or gpu
	Name string `json:"name"`
	// GPUFailure is why the processor took the place of a GPU, where it did.
	GPUFailure string `json:"gpu_failure,omitempty"`
}

// SolverSummary says how the solve ended; in a transient, that of the last step, and Converged that of all steps.
type SolverSummary struct {
	Method           string  `json:"method"`
	Preconditioner   string  `json:"preconditioner"`
	Iterations       int     `json:"iterations"`
	ResidualNormW    float64 `json:"residual_norm_W"`
	RelativeResidual float64 `json:"relative_residual"`
	EstimatedErrorK  float64 `json:"estimated_error_K"`
	Converged        bool    `json:"converged"`
	Reason           string  `json:"reason"`
	// Fallback tells which methods stalled before Preconditioner took over; absent where none did. Iterations are those of all.
	Fallback string `json:"fallback,omitempty"`
	// Nonlinear is there where properties follow the temperature.
	Nonlinear *NonlinearSummary `json:"nonlinear,omitempty"`
}

// Place is a cell: its centre, its layer, the block of that layer that covers most of it, if any, and the region that its centre lies in.
type Place struct {
	XM    float64 `json:"x_m"`
	YM    float64 `json:"y_m"`
	ZM    float64 `json:"z_m"`
	Layer string  `json:"layer"`
	Block string  `json:"block"`
	// Region is "" outside of regions and in those without a name.
	Region string `json:"region"`
}

// TemperatureSummary is over all cells; the mean is weighted by volume.
type TemperatureSummary struct {
	AmbientK float64 `json:"ambient_K"`
	MaxK     float64 `json:"max_K"`
	MinK     float64 `json:"min_K"`
	MeanK    float64 `json:"mean_K"`
	MaxAt    Place   `json:"max_at"`
	// NonFiniteCells counts cells without a finite temperature, left out of everything else: a solve that broke down.
	NonFiniteCells int `json:"non_finite_cells,omitempty"`
}

// PowerSummary compares the watts asked for with those on the grid.
type PowerSummary struct {
	RequestedW float64 `json:"requested_W"`
	MappedW    float64 `json:"mapped_W"`
}

// EnergySummary is the heat balance of the solve.
type EnergySummary struct {
	InW          float64     `json:"in_W"`
	OutW         float64     `json:"out_W"`
	StoredW      float64     `json:"stored_W"`
	ImbalanceRel float64     `json:"imbalance_rel"`
	ByFaceW      FaceSummary `json:"by_face_W"` // leaving heat is positive
	CoolantW     float64     `json:"coolant_W,omitempty"`
}

// FaceSummary is one number per face of the domain.
type FaceSummary struct {
	Bottom float64 `json:"bottom"`
	Top    float64 `json:"top"`
	West   float64 `json:"west"`
	East   float64 `json:"east"`
	South  float64 `json:"south"`
	North  float64 `json:"north"`
}

// TimeSummary splits the wall time in s.
type TimeSummary struct {
	ParseS  float64 `json:"parse_s"`
	MeshS   float64 `json:"mesh_s"`
	DeviceS float64 `json:"device_s"`
	SetupS  float64 `json:"setup_s"`
	SolveS  float64 `json:"solve_s"`
	ReportS float64 `json:"report_s"`
	TotalS  float64 `json:"total_s"`
}

// MemorySummary counts bytes.
type MemorySummary struct {
	DeviceBytes   int64 `json:"device_bytes"`
	HostPeakBytes int64 `json:"host_peak_bytes"`
}

// StepSummary is one time step.
type StepSummary struct {
	TimeS      float64 `json:"time_s"`
	MaxK       float64 `json:"max_K"`
	PowerW     float64 `json:"power_W"`
	Iterations int     `json:"iterations"`
	Converged  bool    `json:"converged"`
}

// HotSpot is a local maximum of the hottest temperature over the height. ProminenceK is how far the temperature must fall on the
// way to any hotter point; for the hottest spot, to the coldest point of that map.
type HotSpot struct {
	MaxK        float64 `json:"max_K"`
	ProminenceK float64 `json:"prominence_K"`
	Place
}

// LayerSummary is one layer over all its planes. The mean is weighted by volume, and leaves out the materials in MeanWithout, which fill the room
// around the layer's chips.
type LayerSummary struct {
	Name       string  `json:"name"`
	Material   string  `json:"material"`
	ZBottomM   float64 `json:"z_bottom_m"`
	ThicknessM float64 `json:"thickness_m"`
	PowerW     float64 `json:"power_W"`
	MaxK       float64 `json:"max_K"`
	MeanK      float64 `json:"mean_K"`
	MinK       float64 `json:"min_K"`
	MaxAt      Place   `json:"max_at"`

	MeanWithout []string `json:"mean_without,omitempty"`
	Peak        Peak     `json:"peak,omitzero"`
}

// BlockSummary is one floorplan block over the planes of its layer. The average weighs every cell by the exact area the block
// covers of it; max and min are over the cells it touches.
type BlockSummary struct {
	Layer  string  `json:"layer"`
	Name   string  `json:"name"`
	AreaM2 float64 `json:"area_m2"`
	PowerW float64 `json:"power_W"`
	MaxK   float64 `json:"max_K"`
	AvgK   float64 `json:"avg_K"`
	MinK   float64 `json:"min_K"`
	MaxAt  Place   `json:"max_at"`
	Peak   Peak    `json:"peak,omitzero"`
}

// RegionSummary is a region of a layer as far as later regions do not cover it (Kind "region"), what regions leave of their layer ("rest"), or the area of
// a uniform power or a map ("power"). Mean, max and min are as those of blocks. Regions of one name in a layer are one, and so are those without a
// name of one material.
type RegionSummary struct {
	Layer    string  `json:"layer"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Material string  `json:"material"` // "" of a power
	AreaM2   float64 `json:"area_m2"`
	PowerW   float64 `json:"power_W"`
	MaxK     float64 `json:"max_K"`
	MeanK    float64 `json:"mean_K"`
	MinK     float64 `json:"min_K"`
	MaxAt    Place   `json:"max_at"`
	Peak     Peak    `json:"peak,omitzero"`
}

// Label names the row for people.
func (r *RegionSummary) Label() string {
	switch {
	case r.Kind == kindRest:
		return "rest, " + r.Material
	case r.Name != "" && r.Kind == kindPower:
		return r.Name + " (power)"
	case r.Name != "":
		return r.Name
	}
	return r.Material
}

// ProbeSummary is the temperature at a probe.
type ProbeSummary struct {
	Name         string  `json:"name"`
	XM           float64 `json:"x_m"`
	YM           float64 `json:"y_m"`
	ZM           float64 `json:"z_m"`
	TemperatureK float64 `json:"temperature_K"`
	Side         string  `json:"side,omitempty"` // of the interface at z: "below" or "above", where the stack says which
}
