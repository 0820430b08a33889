package fieldfile

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"thermsim/report/field"
)

// readSeries opens what an XDMF file describes, by its attributes alone.
const readSeries = `
import json, numpy, sys, os, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
out = []
for grid in root.find("Domain/Grid"):
    nodes = [int(n) for n in grid.find("Topology").get("Dimensions").split()]
    axes = [[float(v) for v in item.text.split()] for item in grid.find("Geometry")]
    item = grid.find("Attribute/DataItem")
    kind = "<f" + item.get("Precision")
    shape = [int(n) for n in item.get("Dimensions").split()]
    assert [len(a) for a in reversed(axes)] == nodes and [n - 1 for n in nodes] == shape
    assert item.get("Format") == "Binary" and item.get("Endian") == "Little"
    t = numpy.fromfile(os.path.join(os.path.dirname(sys.argv[1]), item.text), kind).reshape(shape)
    time = grid.find("Time")
    out.append({"time": None if time is None else float(time.get("Value")), "x_faces_m": axes[0], "z_faces_m": axes[2],
                "temperature_K": t.astype(float).ravel().tolist(), "shape": shape})
print(json.dumps(out))
`

// An independent reader finds the temperatures and times of raw files by the XDMF file alone: all steps, and a box.
func TestXDMFDescribesRawFiles(t *testing.T) {
	program := python(t, "numpy")
	dir := t.TempDir()
	d := sample(5, 4)
	d.Box, d.Single = field.Box{I0: 1, I1: 4, J0: 0, J1: 4, K0: 1, K1: 5}, true
	moments := []Moment{{"a.bin", 1e-3}, {"b.bin", 2.5e-3}}
	for _, m := range moments {
		save(t, filepath.Join(dir, m.File), func(f *os.File) error { return WriteRaw(f, d) })
	}
	index := save(t, filepath.Join(dir, "s.xdmf"), func(f *os.File) error { return WriteXDMF(f, d, moments) })
	out, err := exec.Command(program, "-c", readSeries, index).Output()
	if err != nil {
		t.Fatal(err)
	}
	var views []struct {
		Time         float64
		XFaces       []float64 `json:"x_faces_m"`
		ZFaces       []float64 `json:"z_faces_m"`
		TemperatureK []float64 `json:"temperature_K"`
	}
	if err := json.Unmarshal(out, &views); err != nil {
		t.Fatal(err)
	}
	if len(views) != 2 || views[0].Time != 1e-3 || views[1].Time != 2.5e-3 {
		t.Fatalf("%d steps: %+v", len(views), views)
	}
	expect(t, "raw by XDMF", d, views[1].TemperatureK, 340*0x1p-24)
	equal(t, "x faces", views[1].XFaces, d.Grid.X[1:5], 0)
	equal(t, "z faces", views[1].ZFaces, d.Grid.Z[1:6], 0)
	steady := save(t, filepath.Join(dir, "t.xdmf"), func(f *os.File) error {
		return WriteXDMF(f, d, []Moment{{"a.bin", math.NaN()}})
	})
	if out, err := exec.Command(program, "-c", readSeries, steady).Output(); err != nil || len(out) == 0 {
		t.Errorf("a steady state: %v", err)
	}
}
