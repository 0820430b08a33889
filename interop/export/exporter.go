// Package exporter writes the results of a run in the formats of other simulators, so that scripts made for them keep
// working and files can be compared line by line. What to write, and under which names, is what an imported project
// asks for.
package export

import (
	"fmt"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/threedice"
	"thermsim/mesh"
)

// Writer takes the fields of a run as they come and stages files, which have their names when the transaction commits.
type Writer interface {
	// Step takes the field at time (s) after a time step, or the steady field at time 0.
	Step(time float64, f solution.Field) error
	// Finish completes the files.
	Finish() error
}

// Options say where and how to write.
type Options struct {
	Files *staging.Transaction
	// Decimals of temperatures; negative stands for as many as the simulator writes.
	Decimals int
	Steps    int // of a transient; 0 in a steady state
}

// New makes the writer of the format that a project comes from.
func New(r *importer.Result, m *mesh.Mesh, o Options) (Writer, error) {
	switch outputs := r.Outputs.(type) {
	case *threedice.Outputs:
		return newThreeDICE(outputs, m, o)
	case *hotspot.Outputs:
		return newHotSpot(outputs, m, o)
	}
	return nil, fmt.Errorf("%s has no output format here", r.Format.Title)
}
