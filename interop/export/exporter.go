// Package export writes the results of a run in the formats of other simulators, so that scripts for them continue to
// work and files can be compared line by line. The imported project determines the files and their names.
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

// Writer stages files while a run proceeds. They get their names when the transaction commits.
type Writer interface {
	// Step writes the field at time (s) after a time step, or the steady field at time 0.
	Step(time float64, f solution.Field) error
	// Finish completes the files.
	Finish() error
}

// Options of the files.
type Options struct {
	Files *staging.Transaction
	// Decimals of temperatures; negative for those of the simulator.
	Decimals int
	Steps    int // of a transient; 0 in a steady state
}

// New makes the writer of the format that a project comes from.
func New(r *importer.Result, m *mesh.Mesh, o Options) (Writer, error) {
	switch outputs := r.Outputs.(type) {
	case *threedice.Outputs:
		w := newThreeDICE(outputs, m, o)
		w.files = newFiles(o.Files)
		return w, w.start()
	case *hotspot.Outputs:
		return newHotSpot(outputs, m, o)
	}
	return nil, fmt.Errorf("%s has no output format", r.Format.Title)
}
