package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// Row is the stored result of a run.
type Row struct {
	Run     int
	Values  []string
	Status  string // Done, or the reason for a missing result.
	Message string
	Cells   []string // of the remaining columns.
}

// Status of a run.
const (
	Done         = "done"
	NotConverged = "not-converged"
	Runaway      = "runaway"
	Invalid      = "invalid" // invalid stack, or temperatures above those of any solid
	Failed       = "failed"
)

// fixed are the columns of every sweep, after its parameters.
var fixed = []string{"status", "max_K", "rise_K", "x_m", "y_m", "z_m", "layer", "block", "power_W", "rth_K_per_W",
	"margin_K", "iterations", "estimated_error_K"}

// Columns are the columns of a sweep's table: its parameters, the fixed columns, and the requested temperatures.
type Columns struct {
	labels  []string
	outputs []string
}

// maxBlocks is the maximum number of blocks with columns by default.
const maxBlocks = 64

// NewColumns chooses the columns of a sweep by its first run. Unknown outputs are an error.
func NewColumns(p *Plan, outputs []string, first *summary.Summary) (*Columns, error) {
	c := &Columns{labels: p.Labels, outputs: outputs}
	has := temperatures(first)
	for _, name := range outputs {
		if _, ok := has[name]; !ok {
			return nil,
				fmt.Errorf("outputs: the stack has no %q; write \"layer/block\" or \"layer/region\", \"layer\", or "+
					"\"probe/name\"", name)
		}
	}
	if outputs != nil {
		return c, nil
	}
	for i := range first.Probes {
		c.outputs = append(c.outputs, "probe/"+first.Probes[i].Name)
	}
	if len(first.Blocks) <= maxBlocks {
		for i := range first.Blocks {
			c.outputs = append(c.outputs, first.Blocks[i].Layer+"/"+first.Blocks[i].Name)
		}
	}
	return c, nil
}

// temperatures are the maxima of layers, blocks and regions, and the probe temperatures, in K by name.
func temperatures(s *summary.Summary) map[string]float64 {
	has := map[string]float64{}
	for i := range s.Regions {
		has[s.Regions[i].Layer+"/"+s.Regions[i].Name] = s.Regions[i].MaxK
	}
	for i := range s.Blocks {
		has[s.Blocks[i].Layer+"/"+s.Blocks[i].Name] = s.Blocks[i].MaxK
	}
	for i := range s.Layers {
		has[s.Layers[i].Name] = s.Layers[i].MaxK
	}
	for i := range s.Probes {
		has["probe/"+s.Probes[i].Name] = s.Probes[i].TemperatureK
	}
	return has
}

// Header is the first line of the table.
func (c *Columns) Header() []string {
	header := append([]string{"run"}, c.labels...)
	header = append(header, fixed...)
	for _, name := range c.outputs {
		header = append(header, name+"_K")
	}
	return append(header, "message")
}

// Row is the row of a solved run.
func (c *Columns) Row(run int, values []string, s *summary.Summary) *Row {
	r := &Row{Run: run, Values: values, Status: Done}
	switch {
	case s.Solver.Reason == "thermal runaway":
		r.Status, r.Message = Runaway, "the leakage has no steady state"
	case !s.Solver.Converged:
		r.Status, r.Message = NotConverged, s.Solver.Reason
	case s.Implausible() != "":
		r.Status, r.Message = Invalid, s.Implausible()
	}
	at := &s.Temperature.MaxAt
	margin := ""
	if len(s.Limits) > 0 {
		margin = quantity.Number(s.Limits[0].MarginK)
	}
	number := quantity.Number
	r.Cells = []string{number(s.Temperature.MaxK), number(s.Temperature.MaxK - s.Temperature.AmbientK), number(at.XM),
		number(at.YM), number(at.ZM), at.Layer, at.Block,
		number(s.Power.MappedW + s.Power.LeakageW), number(s.RthKPerW), margin, strconv.Itoa(s.Solver.Iterations),
		strconv.FormatFloat(s.Solver.EstimatedErrorK, 'g', 3, 64)}
	has := temperatures(s)
	for _, name := range c.outputs {
		cell := ""
		if t, ok := has[name]; ok {
			cell = quantity.Number(t)
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// Outputs are the requested temperatures in K by name, as far as the run has them.
func (c *Columns) Outputs(s *summary.Summary) map[string]float64 {
	has, out := temperatures(s), map[string]float64{}
	for _, name := range c.outputs {
		if t, ok := has[name]; ok && t-t == 0 {
			out[name] = t
		}
	}
	return out
}

// Fault is the row of a run without a result.
func (c *Columns) Fault(run int, values []string, status string, err error) *Row {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &Row{Run: run, Values: values, Status: status, Message: first,
		Cells: make([]string, len(fixed)-1+len(c.outputs))}
}

// record is the row as a line of the table.
func (r *Row) record() []string {
	line := append([]string{strconv.Itoa(r.Run)}, r.Values...)
	line = append(line, r.Status)
	return append(append(line, r.Cells...), strings.Join(strings.Fields(r.Message), " "))
}
