package mesh

import (
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/coolant"
)

// cavities has a cavity of each model, both along y, the porous one above.
func cavities(nx int) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{5e-3, 4e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: 4}}}
	s.Materials = []stack.Material{{Name: "si", K: [3]float64{100, 110, 120}, C: 1.6e6}}
	solid := func(name string) { s.Layers = append(s.Layers, stack.Layer{Name: name, Thickness: 50e-6, Cells: 1}) }
	cavity := func(name string, model stack.CavityModel) {
		w := &stack.Coolant{Fluid: stack.Fluid{K: 0.5, C: 4e6}, Inlet: 300, Direction: stack.TowardsNorth, Flow: 1e-6,
			Model: model, HSide: 2e4, HBottom: 3e4, HTop: 4e4,
			Channels: &stack.Channels{Width: 1e-3, Wall: 1e-3, FirstWall: 1e-3, Count: 2}}
		s.Layers = append(s.Layers, stack.Layer{Name: name, Thickness: 100e-6, Cells: 1, Coolant: w})
	}
	solid("a")
	cavity("channels", stack.ResolvedChannels)
	solid("b")
	cavity("porous", stack.PorousCavity)
	solid("c")
	return s
}

// Couplings around coolant by the formulas of the two models, written out again.
func TestCouplingsOfCavities(t *testing.T) {
	m, err := Build(cavities(5))
	if err != nil {
		t.Fatal(err)
	}
	if m.NZ() != 6 || len(m.Cavities) != 2 || math.Abs(m.Z[6]-350e-6) > 1e-15 ||
		math.Abs(m.Z[4]-250e-6) > 1e-15 || m.Cavities[0].Lines[0] ||
		!m.Cavities[0].Lines[1] || m.Cavities[0].Heat[1] != 2 {
		t.Fatalf("%d planes up to %g m, %+v", m.NZ(), m.Z[6], m.Cavities[0])
	}
	const dx, dy, area = 1e-3, 1e-3, 1e-6
	row := make([]float64, 5)
	want := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: %.15g, want %.15g", what, got, want)
		}
	}
	m.CouplingX(1, 0, row)
	side := coolant.AtMiddle(2e4, dx, 100e-6, 120)
	want("wall to coolant", row[0], dy*100e-6/(1/side+dx/200))
	m.CouplingY(1, 0, row)
	want("along a wall", row[0], 110*dx*100e-6/dy)
	want("along the coolant", row[1], 0.5*dx*100e-6/dy)
	m.CouplingZ(0, 0, row)
	want("below to wall", row[0], area/(25e-6/120+50e-6/120))
	want("below to coolant", row[1], area/(25e-6/120+1/3e4))
	m.CouplingZ(1, 0, row)
	want("coolant to above", row[1], area/(25e-6/120+1/4e4))
	a, w, c, top := 120/25e-6, 0.5*120/50e-6, 3e4, 4e4
	m.CouplingZ(2, 0, row)
	want("below to porous walls", row[2], area*a*w/(a+w+c))
	m.CouplingZ(3, 0, row)
	want("walls to coolant", row[2], area*(w*c/(a+w+c)+w*top/(a+w+top)))
	m.CouplingZ(4, 0, row)
	want("coolant to above", row[2], area*a*top/(a+w+top))
	if !m.CouplingFar(2, 0, row) {
		t.Fatal("no coupling of below and coolant")
	}
	want("below to coolant", row[2], area*a*c/(a+w+c))
	if !m.CouplingFar(3, 0, row) || m.CouplingFar(1, 0, row) {
		t.Fatal("far couplings of other planes")
	}
	want("walls to above", row[2], area*a*w/(a+w+top))
	m.Capacity(1, 0, row)
	want("capacity of coolant", row[1], 4e6*area*100e-6)
	m.Capacity(3, 0, row)
	want("capacity of porous walls", row[1], 0.5*1.6e6*area*100e-6)
	m.Capacity(4, 0, row)
	want("capacity of porous coolant", row[1], 0.5*4e6*area*100e-6)
}

// The solid and the coolant of a medium conduct along the flow by their shares, and not across it.
func TestMediumConductsAlongTheFlow(t *testing.T) {
	s := cavities(5)
	c := s.Layers[3].Coolant
	c.Channels, c.Medium = nil, &stack.Medium{Porosity: 0.8}
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	along, across := make([]float64, 5), make([]float64, 5)
	for plane, k := range map[int]float64{m.Cavities[1].Wall: 0.2 * 110, m.Cavities[1].Fluid: 0.8 * 0.5} {
		m.CouplingY(plane, 0, along)
		m.CouplingX(plane, 0, across)
		if want := k * 1e-3 * 100e-6 / 1e-3; math.Abs(along[2]-want) > 1e-12*want || across[2] != 0 {
			t.Errorf("plane %d: %g along and %g across the flow, want %g and 0", plane, along[2], across[2], want)
		}
	}
}

// A channel that is no cell is told with its place.
func TestChannelsMustBeCells(t *testing.T) {
	_, err := Build(cavities(6))
	var e *stack.Error
	if !errors.As(err, &e) ||
		!strings.Contains(e.Msg,
			`layer "channels": channel 1, from 1000 to 2000 um across the flow, is not exactly one cell wide`) {
		t.Errorf("%v", err)
	}
}

// Temperatures at points in and around cavities lie between those of the cells around them.
func TestPointsInCavities(t *testing.T) {
	s := cavities(5)
	s.Boundary[stack.South] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if g := m.FaceConductance(stack.South, 1, 0, 1); g != 0 {
		t.Errorf("coolant gives %g W/K to a side", g)
	}
	for x := 0.1e-3; x < 5e-3; x += 0.37e-3 {
		for y := 0.3e-3; y < 4e-3; y += 0.51e-3 {
			for z := 3e-6; z < 350e-6; z += 13e-6 {
				sample := m.SampleAt(x, y, z, stack.Below)
				sum := 0.0
				for _, term := range sample.Terms {
					if !(term.Weight >= -1e-12) {
						t.Fatalf("weight %g at %g, %g, %g", term.Weight, x, y, z)
					}
					sum += term.Weight
				}
				if constant := sample.Constant / 300; math.Abs(sum+constant-1) > 1e-9 {
					t.Fatalf("weights add up to %g at %g, %g, %g", sum+constant, x, y, z)
				}
			}
		}
	}
}
