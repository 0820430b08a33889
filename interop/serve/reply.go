package serve

import (
	"encoding/json"

	"thermsim/gpusolve/solution"
	"thermsim/internal/nullable"
	"thermsim/report/statistics"
)

// reply is the answer to a request: ok and the requested values, or an error. Every reply has the time and the step of
// the state.
type reply struct {
	ID    json.RawMessage `json:"id,omitempty"`
	OK    bool            `json:"ok"`
	Error *Fault          `json:"error,omitempty"`
	TimeS float64         `json:"time_s"`
	Steps int             `json:"steps"`

	Taken      *int    `json:"taken,omitempty"` // steps taken by a step or a run
	PowerW     *Number `json:"power_W,omitempty"`
	Iterations *int    `json:"iterations,omitempty"`
	RunsAway   bool    `json:"runs_away,omitempty"`
	File       string  `json:"file,omitempty"`
	Bytes      int64   `json:"bytes,omitempty"`
	Hello      *hello  `json:"hello,omitempty"`
	Stack      *about  `json:"stack,omitempty"`
	*readings
}

// Number is a float64 that may be unknown.
type Number = nullable.Number

// hello identifies the server.
type hello struct {
	Protocol string   `json:"protocol"`
	Version  string   `json:"version"`
	Saved    []string `json:"saved"`
}

// about describes the stack and the server.
type about struct {
	Title    string       `json:"title"`
	File     string       `json:"file"`
	Grid     [3]int       `json:"grid"`
	AmbientK float64      `json:"ambient_K"`
	DtS      float64      `json:"dt_s"`
	Inputs   []inputAbout `json:"inputs"`
	Blocks   []string     `json:"blocks"`
	Layers   []layerAbout `json:"layers"`
	Probes   []string     `json:"probes"`
	Device   string       `json:"device"`
	Method   string       `json:"method"`
	Limits   limits       `json:"limits"`
}

type inputAbout struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	Layer  string  `json:"layer"`
	Watts  Number  `json:"watts"`
	Factor float64 `json:"factor"`
	Set    bool    `json:"set"` // watts were set; otherwise those of the stack apply
}

type layerAbout struct {
	Name   string `json:"name"`
	Planes int    `json:"planes"`
}

type limits struct {
	MessageBytes int   `json:"message_bytes"`
	StepsAtOnce  int   `json:"steps_per_request"`
	MapCells     int   `json:"map_cells"`
	States       int   `json:"states"`
	StateBytes   int64 `json:"state_bytes"`
	Files        bool  `json:"files"`
}

// readings are the requested values.
type readings struct {
	MaxK   *Number             `json:"max_K,omitempty"`
	Blocks map[string]extremes `json:"blocks,omitempty"`
	Layers map[string]extremes `json:"layers,omitempty"`
	Probes map[string]Number   `json:"probes,omitempty"`
	Powers map[string]Number   `json:"powers,omitempty"`
	Energy *energy             `json:"energy,omitempty"`
	Status *status             `json:"status,omitempty"`
	Map    *mapOf              `json:"map,omitempty"`
}

type extremes struct {
	MinK  Number `json:"min_K"`
	MeanK Number `json:"mean_K"`
	MaxK  Number `json:"max_K"`
}

func extremesOf(e statistics.Extremes) extremes {
	return extremes{Number(e.MinK), Number(e.MeanK), Number(e.MaxK)}
}

type energy struct {
	InW          Number `json:"in_W"`
	OutW         Number `json:"out_W"`
	StoredW      Number `json:"stored_W"`
	ImbalanceRel Number `json:"imbalance_rel"`
}

func energyOf(e *solution.Energy) *energy {
	return &energy{Number(e.In), Number(e.Out), Number(e.Stored), Number(e.ImbalanceRel)}
}

type status struct {
	Method          string `json:"method"`
	Converged       bool   `json:"converged"`
	Reason          string `json:"reason"`
	Iterations      int    `json:"iterations"`
	ResidualW       Number `json:"residual_W"`
	EstimatedErrorK Number `json:"estimated_error_K"`
}

func statusOf(s *solution.Status) *status {
	return &status{solution.MethodText(s.Method, s.Preconditioner), s.Converged, s.Reason, s.Iterations,
		Number(s.ResidualW), Number(s.EstimatedErrorK)}
}

// mapOf is a layer's temperatures, the southern row first.
type mapOf struct {
	Layer string     `json:"layer"`
	NX    int        `json:"nx"`
	NY    int        `json:"ny"`
	K     [][]Number `json:"K"`
}
