// Package peerout writes the results of a run in the formats of other simulators, so that scripts made for them keep working and files can
// be compared line by line. What to write, and under which names, is what an imported project asks for.
package peerout

import (
	"fmt"

	"thermsim/gpusolve"
	"thermsim/importer"
	"thermsim/importer/hotspot"
	"thermsim/importer/threedice"
	"thermsim/mesh"
)

// Writer takes the fields of a run as they come and leaves files. Nothing has its name before Commit, and Abort leaves nothing.
type Writer interface {
	// Step takes the field at time (s) after a time step, or the steady field at time 0.
	Step(time float64, f gpusolve.Field) error
	// Commit finishes the files, gives them their names and returns their paths.
	Commit() (files []string, err error)
	// Abort removes what was written. It may follow a Commit, then it does nothing.
	Abort()
}

// None writes nothing.
type None struct{}

func (None) Step(float64, gpusolve.Field) error { return nil }
func (None) Commit() ([]string, error)          { return nil, nil }
func (None) Abort()                             {}

// Options say where and how to write.
type Options struct {
	Dir string // output folder, made if missing
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
	return nil, fmt.Errorf("%s has no output format here", r.Format.Title())
}
