// Package report turns a solution into what people and programs read: tables, JSON, CSV and pictures. It solves
// nothing.
package report

import (
	"slices"
	"time"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/timeline"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report/statistics"
	"thermsim/report/summary"
)

// Run is everything a report is made from.
type Run struct {
	Command  string // "steady" or "transient"
	Version  string // of thermsim
	Mesh     *mesh.Mesh
	Solution *solution.Solution

	Parse, Build time.Duration // reading the stack; meshing and rasterising
	Start        time.Time     // of the process, for the total
	Timeline     *timeline.Log // notes the parts of the report; may be nil

	Warnings []plausibility.Warning // of the command line; those of the stack and the result are found here

	Columns  []TraceColumn    // of trace.csv, beside its own
	Policies []summary.Policy // that throttled powers in a transient

	Recorded *Recorded // of a run that is reported again; nil of a new one

	peaks      *statistics.Peaks // of a transient, where they are known
	planePeaks []reduction.Peak  // of every plane of the field that was summarised: the first of the hottest cells
}

// Options say what to write besides the tables.
type Options struct {
	Maps []string // layers to map beyond those with power; "all" for every layer
	// LargeCSV writes map CSVs of planes above 4 million cells too.
	LargeCSV bool

	JUnit bool // limits.xml

	Style   PictureStyle
	Figures []string // pictures beside the maps, of FigureNames or "all"
	// FrameLayer is the layer of the animation, "" for the one with the most power.
	FrameLayer string
	// What the figures need beside the field; a Recording brings its own. Trace is trace.csv of a transient, nil without
	// one; History the course of the estimated error, whose Step is 0 in a steady solve, else from 1; Frames the maps of
	// an animation, nil where none were kept.
	Trace   TraceReader
	History []HistoryPoint
	Frames  *FrameRecorder
	// At is where sections cut in m, NaN for through the hottest point; ToScale draws them without stretching thin
	// layers.
	At      [2]float64
	ToScale bool
}

// Wants says whether a figure is to be drawn.
func (o *Options) Wants(figure string) bool {
	return slices.Contains(o.Figures, figure) || slices.Contains(o.Figures, "all")
}

// Recorded is what a run that is reported again knows from when it was solved.
type Recorded struct {
	Time     summary.Time
	Memory   summary.Memory
	Warnings []plausibility.Warning
}

// TraceColumn is a further column of trace.csv.
type TraceColumn struct {
	Name  string
	Value func() float64 // of the step that has ended
}
