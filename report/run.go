// Package report turns a solution into tables, JSON, CSV, pictures and pages. It solves nothing.
package report

import (
	"slices"
	"time"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/timeline"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/measured"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
)

// Run is the input of a report.
type Run struct {
	Command  string // "steady" or "transient"
	Version  string // of thermsim
	Mesh     *mesh.Mesh
	Solution *solution.Solution

	Parse, Build time.Duration // time to read the stack; to mesh and rasterize it
	Start        time.Time     // of the process, for the total
	Timeline     *timeline.Log // logs the parts of the report; may be nil

	Warnings []plausibility.Warning // of the command line; the report adds those of the stack and the result

	Columns  []TraceColumn    // additional columns of trace.csv
	Policies []summary.Policy // throttling policies of a transient
	// PowerGrid was solved together with the temperatures; nil without one.
	PowerGrid *summary.PowerGrid
	StartK    float64 // uniform temperature at the start of a transient; 0 if it started from a field

	Recorded *Recorded // of a restored run; nil for a new one

	peaks      *statistics.Peaks    // of a transient; nil if unknown
	measured   *measured.Comparison // of a transient; nil without measured data
	planePeaks []reduction.Peak     // hottest cell of every plane of the summarized field; the first one of several
}

// Options select what to write in addition to the tables.
type Options struct {
	Maps []string // layers to map in addition to those with power; "all" for every layer
	// LargeCSV writes map CSVs of planes above 4 million cells too.
	LargeCSV bool

	JUnit bool // limits.xml

	// Units of tables. Without one of temperature, they are in K in CSV files and in °C in a workbook.
	quantity.Units
	// Spreadsheet writes tables with semicolons and decimal commas.
	Spreadsheet bool

	Style   PictureStyle
	Figures []string // additional pictures, from FigureNames or "all"
	// FrameLayer is the layer of the animation, "" for the one with the most power.
	FrameLayer string
	// Inputs of figures; a Recording sets its own. Trace is trace.csv of a transient, or nil. History is the estimated
	// error by iteration; its Step is 0 in a steady solve and counts from 1 otherwise. Frames are the maps of an
	// animation, or nil.
	Trace   TraceReader
	History []HistoryPoint
	Frames  *FrameRecorder
	// At is the position of sections in m, NaN for the hottest point. ToScale draws sections without stretching thin
	// layers.
	At      [2]float64
	ToScale bool
}

// Wants reports whether a figure is requested.
func (o *Options) Wants(figure string) bool {
	return slices.Contains(o.Figures, figure) || slices.Contains(o.Figures, "all")
}

// Recorded holds the data of a restored run from the time of its solve.
type Recorded struct {
	Date     string
	Time     summary.Time
	Memory   summary.Memory
	Warnings []plausibility.Warning
}

// date is the local date on which the run started; empty if unknown.
func (r *Run) date() string {
	switch {
	case r.Recorded != nil:
		return r.Recorded.Date
	case r.Start.IsZero():
		return ""
	}
	return r.Start.Format(time.DateOnly)
}

// TraceColumn is an additional column of trace.csv.
type TraceColumn struct {
	Name  string
	Value func() float64 // of the step that has ended
}
