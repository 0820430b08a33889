package display

import (
	"encoding/json"
	"io"

	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

type inputJSON struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Layer string  `json:"layer"`
	Watts float64 `json:"power_W"` // in the stack file.
}

type outputJSON struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type solvesJSON struct {
	Method   string  `json:"method"`
	Reason   string  `json:"reason"`
	Residual float64 `json:"relative_residual"` // of the first solve.
	Device   string  `json:"device"`
}

func inputsJSON(inputs []ports.Input, m *mesh.Mesh) []inputJSON {
	all := []inputJSON{}
	for _, in := range inputs {
		all = append(all, inputJSON{in.Name, string(in.Kind), m.Stack.Layers[in.Layer].Name, in.Watts})
	}
	return all
}

func write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// ResistancesJSON writes a matrix of thermal resistances.
func ResistancesJSON(w io.Writer, x *response.Matrix) error {
	var out struct {
		Schema    int          `json:"schema"`
		Inputs    []inputJSON  `json:"inputs"`
		Outputs   []outputJSON `json:"outputs"`
		R         [][]float64  `json:"K_per_W"`         // by output and input.
		Hottest   []float64    `json:"hottest_K_per_W"` // of each input's hottest cell.
		Rises     []float64    `json:"rise_K"`          // of each output at the powers of the stack file.
		Asymmetry float64      `json:"asymmetry"`
		Solves    solvesJSON   `json:"solves"`
	}
	var watts []float64
	for _, in := range x.Inputs {
		watts = append(watts, in.Watts)
	}
	out.Schema, out.R, out.Hottest, out.Asymmetry, out.Rises = 1, x.R, x.Hottest, x.Asymmetry, x.Rises(watts)
	out.Inputs = inputsJSON(x.Inputs, x.Mesh)
	for _, o := range x.Outputs {
		out.Outputs = append(out.Outputs, outputJSON{o.Name, string(o.Kind)})
	}
	out.Solves = solvesJSON{x.Status.Method, x.Status.Reason, x.Status.RelativeResidual, x.Device.Kind}
	return write(w, out)
}

type curveJSON struct {
	Heated string    `json:"heated"`
	Output string    `json:"output"`
	Kind   string    `json:"kind"`
	Steady float64   `json:"Rth_K_per_W"`
	Z      []float64 `json:"Zth_K_per_W"`
}

type networkJSON struct {
	Heated    string            `json:"heated"`
	Foster    *ladder.Foster    `json:"foster"`
	Cauer     *ladder.Cauer     `json:"cauer"`
	Structure *ladder.Structure `json:"structure"`
}

// StepsJSON writes step responses and their networks.
func StepsJSON(w io.Writer, x *response.Steps, networks []Network) error {
	var out struct {
		Schema   int           `json:"schema"`
		Inputs   []inputJSON   `json:"inputs"`
		Slowest  float64       `json:"slowest_time_constant_s"`
		Resolved float64       `json:"resolved_from_s"`
		Bound    float64       `json:"inversion_error"` // largest relative error of driving points.
		Solves   solvesJSON    `json:"solves"`
		Times    []float64     `json:"time_s"`
		Curves   []curveJSON   `json:"curves"`
		Networks []networkJSON `json:"networks"`
	}
	out.Schema, out.Slowest, out.Resolved, out.Bound, out.Times = 1, x.Slowest, x.Resolved, response.FilterBound,
		x.Times
	out.Inputs = inputsJSON(x.Inputs, x.Mesh)
	out.Solves = solvesJSON{x.Status.Method, x.Status.Reason, x.Status.RelativeResidual, x.Device.Kind}
	for _, c := range x.Curves {
		out.Curves = append(out.Curves, curveJSON{x.Inputs[c.From].Name, c.To.Name, string(c.To.Kind), c.Steady, c.Z})
	}
	out.Networks = []networkJSON{}
	for _, n := range networks {
		out.Networks = append(out.Networks, networkJSON{x.Inputs[n.Of].Name, n.Foster, n.Cauer, n.Structure})
	}
	return write(w, out)
}
