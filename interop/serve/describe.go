package serve

import (
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/powermap"
)

// describe describes the stack and the server.
func (s *Simulation) describe() *about {
	st := s.mesh.Stack
	watts, err := s.session.Power().Watts(s.session.Time(), s.session.Time()+s.session.Dt())
	if err != nil {
		watts = slices.Repeat([]float64{math.NaN()}, len(s.inputs.list))
	}
	a := &about{
		Title: st.Title, File: st.File, Grid: [3]int{s.mesh.NX(), s.mesh.NY(), s.mesh.NZ()}, AmbientK: st.Ambient,
		DtS:    s.session.Dt(),
		Blocks: orEmpty(s.readings.BlockNames), Probes: orEmpty(s.readings.ProbeNames),
		Device: deviceText(s.session.Device()), Method: s.session.Method(),
		Limits: limits{MaxMessage, MaxSteps, maxMap, maxStates, s.options.StateBytes, s.options.Files != nil},
		Inputs: []inputAbout{},
	}
	set := s.session.Power().Settings()
	for i, in := range ports.InputsOf(st) {
		a.Inputs = append(a.Inputs, inputOf(&in, st.Layers[in.Layer].Name, watts[i], set[i]))
	}
	for l, planes := range s.mesh.LayerPlanes {
		a.Layers = append(a.Layers, layerAbout{st.Layers[l].Name, planes[1] - planes[0]})
	}
	return a
}

func inputOf(in *ports.Input, layer string, watts float64, set powermap.Setting) inputAbout {
	return inputAbout{in.Name, string(in.Kind), layer, Number(watts), set.Factor, !math.IsNaN(set.Watts)}
}

func deviceText(d gpusolve.DeviceInfo) string {
	if d.Threads > 0 {
		return fmt.Sprintf("%s %s, %d threads", d.Kind, d.Name, d.Threads)
	}
	return d.Kind + " " + d.Name
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
