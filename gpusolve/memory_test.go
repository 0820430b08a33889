package gpusolve

import (
	"testing"

	"thermsim/gpusolve/cases"
	"thermsim/mesh"
)

// What a method holds after its set-up must not exceed what is asked of the device before: a solve that does not fit is to be refused at once.
func TestMethodsStayWithinTheirMemory(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 48, NY: 48}))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range methods() {
		o := Options{Device: "cpu", Preconditioner: method.name, RTol: 1e-2}
		s, err := Steady(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		held, asked := s.Memory.DeviceBytes, EstimateBytes(m, false)+methodBytes(method.name, m.Cells())
		t.Logf("%s holds %d bytes per cell, %d are asked for", method.name, held/int64(m.Cells()), asked/int64(m.Cells()))
		if held > asked*21/20 {
			t.Errorf("%s holds %d bytes and asks for %d", method.name, held, asked)
		}
		s.Close()
	}
}
