package policy

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/ports"
	"thermsim/report/statistics"
)

// probePrefix begins the names of probes in what is watched.
const probePrefix = "probe/"

// find looks the names of a policy up.
func (r *rule) find(readings *statistics.Readings, inputs []string) error {
	for _, name := range r.Watch {
		if probe, ok := strings.CutPrefix(name, probePrefix); ok {
			n, err := ports.Find(readings.ProbeNames, probe)
			if err != nil {
				return fmt.Errorf("watch: %w", nothing(readings.ProbeNames, "probes", err))
			}
			r.probes = append(r.probes, n)
			continue
		}
		n, err := ports.Find(readings.BlockNames, name)
		if err != nil {
			return fmt.Errorf("watch: %w", nothing(readings.BlockNames, "blocks", err))
		}
		r.blocks = append(r.blocks, n)
	}
	for _, name := range r.Throttle {
		n, err := ports.Find(inputs, name)
		if err != nil {
			return fmt.Errorf("throttle: %w", nothing(inputs, "powers", err))
		}
		r.inputs = append(r.inputs, n)
	}
	return nil
}

// nothing says that a stack has none of a kind, where that is why a name was not found.
func nothing(names []string, kind string, err error) error {
	if len(names) == 0 {
		return fmt.Errorf("the stack has no %s", kind)
	}
	return err
}

// nameError is a name that a stack does not have.
type nameError struct {
	policy Policy
	error
}

func (e *nameError) Unwrap() error { return e.error }
