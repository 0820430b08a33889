package report

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/internal/staging"
	"thermsim/internal/testtier"
	"thermsim/report/picture"
	"thermsim/report/samples"
)

// binnedField shows its planes in bins; broken makes it fail after the first time.
type binnedField struct {
	samples.Field
	broken error
	asked  *int
}

func (f binnedField) Maxima(m *reduction.Maxima, dst []float64) (bool, error) {
	if *f.asked++; *f.asked > 1 && f.broken != nil {
		return false, f.broken
	}
	nx := f.Mesh.NX()
	var planes [][]float64
	for k := m.Planes[0]; k < m.Planes[1]; k++ {
		plane := make([]float64, nx*f.Mesh.NY())
		if err := f.Plane(k, plane); err != nil {
			return false, err
		}
		planes = append(planes, plane)
	}
	for q := range m.Y.First {
		for p := range m.X.First {
			best := math.Inf(-1)
			for _, plane := range planes {
				for j := m.Y.First[q]; j <= m.Y.Last[q]; j++ {
					for i := m.X.First[p]; i <= m.X.Last[p]; i++ {
						best = max(best, plane[int(j)*nx+int(i)])
					}
				}
			}
			dst[q*len(m.X.First)+p] = best
		}
	}
	return true, nil
}

// The hottest cell of planes is the first of those that are as hot, also where it is cell 0.
func TestHottestOfPlanes(t *testing.T) {
	r := &Run{planePeaks: []reduction.Peak{{Max: 500}, {Max: 400, Cell: 3}, {Max: 400}, {Max: 390, Cell: 1},
		{Max: math.NaN()}}}
	b := &binnedMaps{Figures: &Figures{Run: r}}
	if got := b.hottest([2]int{1, 5}); got != (hotCell{0, 400}) {
		t.Errorf("hottest: %+v", got)
	}
}

// A map of bins has the pixels of a map of planes, finer than the picture and coarser.
func TestMapsOfBinsAreMapsOfPlanes(t *testing.T) {
	for _, n := range [][2]int{{10, 8}, {850, 650}} {
		r := sampleRun(t, n[0], n[1])
		r.Solution.Field = binnedField{samples.Field{Mesh: r.Mesh, Of: samples.Bumps}, nil, new(int)}
		s := summarise(t, r)
		o := &Options{}
		b := binnedMapsOf(&Figures{Run: r, Options: *o, Summary: s})
		for _, v := range views(r.Mesh, testtier.Pick([]int{0}, []int{0, 1, 2, 3})) {
			lo, hi := colorRange(s, []int{0, 1, 2, 3})
			kelvin := make([]float64, n[0]*n[1])
			if err := new(planeReader).planes(r.Solution.Field, v.planes, kelvin); err != nil {
				t.Fatal(err)
			}
			drawn := &layerPicture{b.Figures, v, kelvin, lo, hi, s.Caveat(), s.LastStepNote()}
			for _, format := range []picture.Format{picture.PNG, picture.SVG} {
				var want, got bytes.Buffer
				if err := errors.Join(drawn.draw().Write(&want, format),
					b.picture(v, [2]float64{lo, hi}).Write(&got, format)); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%v cells: %s as %s differs", n, v.what, format)
				}
			}
		}
	}
}

// A field that fails while a map is drawn fails the map.
func TestMapsOfBinsTellOfFailures(t *testing.T) {
	r := sampleRun(t, 10, 8)
	s := summarise(t, r)
	broken := errors.New("the device is gone")
	r.Solution.Field = binnedField{samples.Field{Mesh: r.Mesh, Of: samples.Bumps}, broken, new(int)}
	b := binnedMapsOf(&Figures{Run: r, Summary: s})
	_, err := staging.Do(context.Background(), filepath.Join(t.TempDir(), "out"), staging.Options{},
		func(files *staging.Transaction) error {
			return b.write(context.Background(), files, views(r.Mesh, []int{1}), [2]float64{300, 400})
		})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
