package report

import (
	"errors"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/samples"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// lostField cannot be read.
type lostField struct{ error }

func (l lostField) Plane(int, []float64) error { return l.error }

// leakyRun has a block that leaks 2 W at 300 K, and twice that for every 50 K more, in a field of 350 K.
func leakyRun(t *testing.T) *Run {
	s := samples.Stack(20, 16)
	law := &stack.Curve{Law: stack.TableLaw, Temperatures: []float64{300, 350, 400}, Values: []float64{1, 2, 4},
		Range: [2]float64{300, 400}}
	s.Layers[1].Powers[0].Blocks[0].Leakage = stack.Leakage{Watts: 2, Factor: law}
	r := sampleRun(t, 20, 16)
	r.Mesh = samples.Build(t, s)
	r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: func(float64, float64, float64) float64 { return 350 }}
	return r
}

// What a block leaks is its watts by its law at the temperature of the field, and part of the power of block and layer.
func TestLeakageOfBlocks(t *testing.T) {
	s := summarise(t, leakyRun(t))
	near(t, "leakage of the block", s.Blocks[0].LeakageW, 4, 1e-9)
	near(t, "power of the block", s.Blocks[0].PowerW, 16, 1e-9)
	near(t, "leakage of the layer", s.Layers[1].LeakageW, 4, 1e-9)
	near(t, "power of the layer", s.Layers[1].PowerW, 20, 1e-9)
	if s.Blocks[1].LeakageW != 0 || s.Layers[0].LeakageW != 0 {
		t.Errorf("%+v and %+v leak", s.Blocks[1], s.Layers[0])
	}
}

// A field that cannot be read is told while leakage is added up.
func TestLeakageOfALostField(t *testing.T) {
	r := leakyRun(t)
	lost := lostField{errors.New("lost")}
	r.Solution.Field = lost
	if _, err := statistics.LeaksOf(r.Mesh, r.Solution); !errors.Is(err, lost.error) {
		t.Errorf("%v", err)
	}
	if err := (building{&summary.Summary{}}).addLeakage(r.Mesh, nil, r.Solution); !errors.Is(err, lost.error) {
		t.Errorf("%v", err)
	}
}

// Readings of layers are means by volume, also over planes of unequal thickness.
func TestReadingsOfLayers(t *testing.T) {
	s := samples.Stack(10, 8)
	s.Layers[1].PowerAt, s.Layers[1].PowerDepth = stack.HeatedTop, 0.5e-6
	m := samples.Build(t, s)
	r, err := statistics.NewReadings(m)
	if err != nil {
		t.Fatal(err)
	}
	var field solution.Field = samples.Field{Mesh: m, Of: samples.Linear}
	got, err := r.Layers(field)
	if err != nil || len(got) != len(s.Layers) {
		t.Fatal(len(got), err)
	}
	for l, z := range []float64{100e-6, 201e-6, 227e-6, 752e-6} {
		near(t, s.Layers[l].Name, got[l].MeanK, samples.Linear(5e-3, 4e-3, z), 1e-9)
	}
}

// The temperature of a surface that stands farthest from the ambient makes the Rayleigh number, below as well as above
// it.
func TestRayleighOfTheFarthest(t *testing.T) {
	rayleigh := func(low, high float64) float64 {
		s := samples.Stack(8, 6)
		for i := range s.Materials {
			s.Materials[i].K = [3]float64{1e9, 1e9, 1e9}
		}
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, Temperature: 300,
			Film: stack.Film{Natural: "up", Length: 1e-2}}
		m := samples.Build(t, s)
		films, err := summariseFilms(m, samples.Field{Mesh: m, Of: func(x, _, _ float64) float64 {
			if x < 5e-3 {
				return low
			}
			return high
		}}.Plane)
		if err != nil || len(films) != 1 {
			t.Fatal(films, err)
		}
		return films[0].Rayleigh
	}
	near(t, "colder", rayleigh(260, 310), rayleigh(260, 260), 1e-6*rayleigh(260, 260))
	near(t, "hotter", rayleigh(290, 340), rayleigh(340, 340), 1e-6*rayleigh(340, 340))
}
