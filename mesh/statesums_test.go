package mesh

import (
	"math"
	"testing"

	"thermsim/stack"
)

// Of a field of one temperature a face with a film that does not resist inside lets out h A (T - ambient), whichever
// face it is.
func TestFilmStatesOfAFlatField(t *testing.T) {
	for f := range stack.Face(stack.NumFaces) {
		s := warmStack(0)
		s.Boundary = [stack.NumFaces]stack.Boundary{}
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, Temperature: 300,
			Film: stack.Film{Law: &stack.Curve{Law: stack.PowerLaw, Value: 1e-6, At: 300, Range: [2]float64{200, 600}}}}
		m := mustBuild(t, s)
		states, err := m.Films(func(_ int, kelvin []float64) error {
			for n := range kelvin {
				kelvin[n] = 350
			}
			return nil
		})
		if err != nil || len(states) != 1 {
			t.Fatal(len(states), err)
		}
		size := s.FaceSize(f)
		if want := 1e-6 * size[0] * size[1] * 50; math.Abs(states[0].Law-want) > 1e-6*want ||
			math.Abs(states[0].MeanH-1e-6) > 1e-15 {
			t.Errorf("%s lets out %g W by %g W/(m2 K), want %g by 1e-6", f, states[0].Law, states[0].MeanH, want)
		}
		for k, again := range m.RefreshedFaces() {
			if want := m.TemperatureDependentPlanes()[k] || f > stack.Top || f == stack.Bottom && k == 0 ||
				f == stack.Top && k == m.NZ()-1; again != want {
				t.Errorf("%s: plane %d formed again: %v", f, k, again)
			}
		}
	}
}

// Planes of which nothing follows the temperature are formed again for the face that does alone.
func TestRefreshedFacesOfConstantMaterials(t *testing.T) {
	for f := range stack.Face(stack.NumFaces) {
		s := warmStack(310)
		s.Boundary = [stack.NumFaces]stack.Boundary{}
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: 5, Temperature: 300,
			Film: stack.Film{Emissivity: 0.9}}
		for k, again := range mustBuild(t, s).RefreshedFaces() {
			if want := f > stack.Top || f == stack.Bottom && k == 0 || f == stack.Top && k == 2; again != want {
				t.Errorf("%s: plane %d formed again: %v", f, k, again)
			}
		}
	}
}

// A patch on an adiabatic face exchanges heat: h A (T - T0) where the half cell behind it hardly resists.
func TestPatchesExchangeHeat(t *testing.T) {
	weak := stack.Boundary{Kind: stack.Convective, H: 1e-3, Temperature: 310}
	m := patchedPlate(t, stack.Boundary{}, rectPatch(1.1e-3, 1.3e-3, 5e-3, 4e-3, weak))
	if !m.Exchanges(stack.Top) || m.Exchanges(stack.Bottom) {
		t.Error("the top has a patch and exchanges, the bottom does not")
	}
	states, err := m.Patches(func(_ int, kelvin []float64) error {
		for n := range kelvin {
			kelvin[n] = 360
		}
		return nil
	})
	if err != nil || len(states) != 2 {
		t.Fatal(states, err)
	}
	if want := 1e-3 * 20e-6 * 50; math.Abs(states[0].Heat-want) > 1e-6*want || states[1].Heat != 0 {
		t.Errorf("%g W leave through the patch and %g beside it, want %g and 0", states[0].Heat, states[1].Heat, want)
	}
}

// What a patch heats by a flux enters, and what the rest of the face cools leaves: each by hand, q A and h A (T - T0).
func TestHeatOfPatchesByKind(t *testing.T) {
	const area, whole = 20e-6, 80e-6
	film := stack.Boundary{Kind: stack.Convective, H: 1e-3, Temperature: 310}
	flux := stack.Boundary{Kind: stack.HeatFlux, Flux: 2e4}
	for _, c := range []struct {
		face, patch stack.Boundary
		want        [2]float64 // W that leave through the patch, and through the rest
	}{
		{film, flux, [2]float64{-2e4 * area, 1e-3 * (whole - area) * 50}},
		{flux, film, [2]float64{1e-3 * area * 50, -2e4 * (whole - area)}},
		{flux, stack.Boundary{}, [2]float64{0, -2e4 * (whole - area)}},
	} {
		m := patchedPlate(t, c.face, rectPatch(1.1e-3, 1.3e-3, 5e-3, 4e-3, c.patch))
		if got := m.Stack.Size[0] * m.Stack.Size[1]; math.Abs(got-whole) > 1e-12 {
			t.Fatalf("the plate has %g m2", got)
		}
		states, err := m.Patches(func(_ int, kelvin []float64) error {
			for n := range kelvin {
				kelvin[n] = 360
			}
			return nil
		})
		if err != nil || len(states) != 2 {
			t.Fatal(states, err)
		}
		for n, want := range c.want {
			if math.Abs(states[n].Heat-want) > 1e-6*math.Abs(want) {
				t.Errorf("patch %+v, row %d: %g W, want %g", c.patch, n, states[n].Heat, want)
			}
		}
	}
}

// Rows of properties are the property cell by cell, also where the heat capacity is the only one that follows the
// temperature.
func TestRowsOfProperties(t *testing.T) {
	s := warmStack(310)
	curve := &stack.Curve{Law: stack.TableLaw, Temperatures: []float64{250, 310, 333, 480},
		Values: []float64{1.2, 1.6, 1.7, 3}, Range: [2]float64{250, 480}}
	s.Materials[0].CCurve = curve
	l := newLaws(s)
	kelvin := []float64{200, 250, 300, 310, 320, 333, 400, 480, 600}
	row := make([]float64, len(kelvin))
	l.Row(row, 0, LawC, kelvin)
	for n, v := range row {
		if want := curve.Of(kelvin[n]); math.Abs(v-want) > 1e-9 {
			t.Errorf("%g K: %g, want %g", kelvin[n], v, want)
		}
	}
	l.MeanRow(row, 0, kelvin, kelvin)
	for n, v := range row {
		if want := curve.Of(kelvin[n]); math.Abs(v-want) > 1e-9 {
			t.Errorf("mean on no way, %g K: %g, want %g", kelvin[n], v, want)
		}
	}
}
