package verify

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// celsiusRow is a row of docs/measurements/celsius.json: the differences of one power map on a grid of cells x cells x
// cells/2, and those of DeepOHeat, the neural operator that the maps were published with.
type celsiusRow struct {
	Map       string  `json:"map"`
	Cells     int     `json:"cells"`
	Points    int     `json:"points"`
	Rise      float64 `json:"rise_K"`    // the largest, by Celsius
	Mean      float64 `json:"mean_K"`    // difference of thermsim from Celsius
	Largest   float64 `json:"largest_K"` // difference
	Perturbed float64 `json:"mean_with_k_2_percent_higher_K"`

	// Differences from the exact solution.
	ExactMean      float64 `json:"exact_mean_K"`
	ExactLargest   float64 `json:"exact_largest_K"`
	CelsiusMean    float64 `json:"celsius_exact_mean_K"`
	CelsiusLargest float64 `json:"celsius_exact_largest_K"`

	DeepOHeatMean    float64 `json:"deepoheat_mean_K"`
	DeepOHeatLargest float64 `json:"deepoheat_largest_K"`
}

// celsiusRounding is the distance from the figures of the file that rounding them allows.
const celsiusRounding = 6e-5

var celsiusSolver = solver{options: gpusolve.Options{Device: "cpu", Tol: 1e-5}}

// Celsius is a finite-element solver: its scattered points are compared with the interpolated field and with the exact
// solution, on all ten maps. Differences must be those of the file. The mean difference from the exact solution must
// be below a share of the largest rise, and above it with a conductivity 2 % too high, which must also raise that from
// Celsius by half at least.
func TestCelsius(t *testing.T) {
	rows := celsiusRows(t, testtier.Pick(40, 80))
	limit := testtier.Pick(1e-3, 3e-4)
	points := readPoints(t)
	blocks := map[string]*tiledBlock{}
	for _, r := range rows {
		blocks[r.Map] = newTiledBlock(celsiusStack(t, r.Map, r.Cells), testtier.Pick(100, 400))
	}
	exactRises := seriesRises(blocks, points)
	for _, want := range rows {
		st := celsiusStack(t, want.Map, want.Cells)
		got := want
		celsius, exactly := make([]float64, len(points[want.Map])), exactRises[want.Map]
		for n, p := range points[want.Map] {
			celsius[n] = p[3] - st.Ambient
		}
		got.Points, got.Rise = len(celsius), slices.Max(celsius)
		rises := risesAt(t, st, points[want.Map])
		got.Mean, got.Largest = differences(rises, celsius)
		got.ExactMean, got.ExactLargest = differences(rises, exactly)
		got.CelsiusMean, got.CelsiusLargest = differences(celsius, exactly)
		perturbConductivity(&st.Materials[0])
		perturbed := risesAt(t, st, points[want.Map])
		got.Perturbed, _ = differences(perturbed, celsius)
		row, _ := json.Marshal(got)
		t.Logf("%s", row)
		for _, d := range []float64{got.Rise - want.Rise, got.Mean - want.Mean, got.Largest - want.Largest,
			got.Perturbed - want.Perturbed, float64(got.Points - want.Points), got.ExactMean - want.ExactMean,
			got.ExactLargest - want.ExactLargest, got.CelsiusMean - want.CelsiusMean,
			got.CelsiusLargest - want.CelsiusLargest} {
			if !(math.Abs(d) <= celsiusRounding) {
				t.Errorf("%s: %+v, the file has %+v", want.Map, got, want)
				break
			}
		}
		if !(got.Perturbed > 1.5*got.Mean) {
			t.Errorf("%s: a mean difference of %g K with k 2 %% higher, of %g K without", want.Map, got.Perturbed,
				got.Mean)
		}
		off, _ := differences(perturbed, exactly)
		if !(got.ExactMean < limit*got.Rise) || !(off > limit*got.Rise) {
			t.Errorf("%s: a mean difference of %g K from the exact solution, %g K with k 2 %% higher; limit %g K",
				want.Map, got.ExactMean, off, limit*got.Rise)
		}
	}
}

// celsiusRows are those of all ten maps on one grid.
func celsiusRows(t *testing.T, cells int) []celsiusRow {
	t.Helper()
	data, err := os.ReadFile("../../docs/measurements/celsius.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Rows []celsiusRow }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	rows := slices.DeleteFunc(file.Rows, func(r celsiusRow) bool { return r.Cells != cells })
	if len(rows) != 10 {
		t.Fatalf("%d maps are compared", len(rows))
	}
	return rows
}

// The orientation of the published maps is the one in which Celsius and thermsim agree: any other of the eight makes
// the mean difference of the least symmetric map at least thirty times as large.
func TestCelsiusOrientation(t *testing.T) {
	const tiles = 20
	points := readPoints(t)["c6"]
	celsius := make([]float64, len(points))
	for n, p := range points {
		celsius[n] = p[3] - 298.15
	}
	var mean [8]float64
	for turn := range mean {
		st := celsiusStack(t, "c6", tiles)
		tile := st.Layers[0].Powers[0].Map
		published := append([]float64(nil), tile.Values...)
		for j := range tiles {
			for i := range tiles {
				x, y := i, j
				if turn&1 != 0 {
					x = tiles - 1 - x
				}
				if turn&2 != 0 {
					y = tiles - 1 - y
				}
				if turn&4 != 0 {
					x, y = y, x
				}
				tile.Values[j*tiles+i] = published[y*tiles+x]
			}
		}
		mean[turn], _ = differences(risesAt(t, st, points), celsius)
		if turn > 0 && !(mean[turn] > 30*mean[0]) {
			t.Errorf("orientation %d: mean difference %g K, as published %g K", turn, mean[turn], mean[0])
		}
	}
	t.Logf("mean differences by orientation: %.3f K", mean)
}

// celsiusStack is the block with a power map, on cells x cells x cells/2.
func celsiusStack(t *testing.T, name string, cells int) *stack.Stack {
	t.Helper()
	power, err := stackfile.NewOverride("layer.block.power.map", filepath.Join("testdata", "celsius", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := stackfile.Load(filepath.Join("testdata", "celsius", "block.toml"), power)
	if err != nil {
		t.Fatal(err)
	}
	st.Grid.X.Cells, st.Grid.Y.Cells = cells, cells
	block := &st.Layers[0]
	block.Cells, block.PowerDepth = cells/2-1, block.Thickness/float64(cells/2)
	return st
}

// risesAt are the interpolated rises at points.
func risesAt(t *testing.T, st *stack.Stack, points [][4]float64) []float64 {
	t.Helper()
	f, err := celsiusSolver.steady(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	rises := make([]float64, len(points))
	for n, p := range points {
		rises[n] = interpolate(f, p[0], p[1], p[2])
	}
	return rises
}

// differences are the mean and the largest.
func differences(a, b []float64) (mean, largest float64) {
	for n := range a {
		d := math.Abs(a[n] - b[n])
		mean += d / float64(len(a))
		largest = math.Max(largest, d)
	}
	return mean, largest
}

// readPoints reads x, y, z (m) and temperature (K) of the points of each map.
func readPoints(t *testing.T) map[string][][4]float64 {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "celsius", "points.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := map[string][][4]float64{}
	for _, r := range records[1:] {
		var p [4]float64
		for i, unit := range []float64{1e6, 1e6, 1e6, 1e3} {
			v, err := strconv.Atoi(r[i+1])
			if err != nil {
				t.Fatal(fmt.Errorf("points.csv.gz: %w", err))
			}
			p[i] = float64(v) / unit
		}
		points[r[0]] = append(points[r[0]], p)
	}
	return points
}

// interpolate is trilinear between cell centres and continues the outermost pair of cells up to the surface.
func interpolate(f *field, x, y, z float64) float64 {
	i, fx := bracket(f.X, x)
	j, fy := bracket(f.Y, y)
	k, fz := bracket(f.Z, z)
	sum := 0.0
	for c := range 8 {
		a, b, d := c&1, c>>1&1, c>>2
		sum += weightOf(a, fx) * weightOf(b, fy) * weightOf(d, fz) * f.at(i+a, j+b, k+d)
	}
	return sum
}

func weightOf(side int, fraction float64) float64 {
	if side == 1 {
		return fraction
	}
	return 1 - fraction
}

// bracket finds the pair of cells whose centres enclose x, or the outermost pair, and the weight of the second.
func bracket(faces []float64, x float64) (first int, fraction float64) {
	centre := func(i int) float64 { return (faces[i] + faces[i+1]) / 2 }
	last := len(faces) - 3
	for first < last && centre(first+1) < x {
		first++
	}
	return first, (x - centre(first)) / (centre(first+1) - centre(first))
}
