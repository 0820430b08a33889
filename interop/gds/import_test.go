package gds

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/internal/inputfile"
	"thermsim/interop/eda"
	"thermsim/stack/stackfile"
)

const stackupXML = `<?xml version="1.0"?>
<Stackup schemaVersion="3.1">
 <Variables><Variable Name="bulk" Value="180"/><Variable Name="below" Value="= bulk + 3.75"/></Variables>
 <Materials>
  <Material Name="Metal" Type="Conductor" ThermalConductivity="237"/><Material Name="Tungsten Via" Type="Conductor"/>
  <Material Name="SiO2" Type="Dielectric"/><Material Name="EPI" Type="Semiconductor"/>
  <Material Name="Bulk" Type="Semiconductor" ThermalConductivityTable="Si"/><Material Name="AIR" Type="Dielectric"/>
 </Materials>
 <Tables><Table Name="Si"><Point Temperature="280" Value="163"/><Point Temperature="300" Value="148"/></Table></Tables>
 <ELayers LengthUnit="um">
  <Dielectrics>
   <Dielectric Name="AIR" Material="AIR" Thickness="200"/><Dielectric Name="Oxide" Material="SiO2" Thickness="10"/>
   <Dielectric Name="EPI" Material="EPI" Thickness="3.75"/><Dielectric Name="Bulk" Material="Bulk" Thickness="=bulk"/>
  </Dielectrics>
  <Layers><Substrate Offset="=below"/>
   <Layer Name="M1" Type="conductor" Zmin="1" Zmax="1.5" Material="Metal" Layer="8"/>
   <Layer Name="V1" Type="via" Zmin="1.5" Zmax="2.5" Material="Tungsten Via" Layer="19"/>
   <Layer Name="MIM" Type="conductor" Zmin="1.75" Zmax="2" Material="Metal" Layer="36"/>
   <Layer Name="Sheet" Type="sheet" Zmin="1" Zmax="1" Material="Metal" Layer="9"/>
   <Layer Name="M9" Type="conductor" Zmin="4" Zmax="5" Material="Metal" Layer="99"/>
  </Layers>
 </ELayers>
</Stackup>`

const layersCSV = "# from the bottom\nname,thickness [um],material,gds,inclusion,rule\nbulk,300,silicon,,,\n" +
	"m1,0.5,sio2,8/0 36,aluminium,lines-x\n"

// importFiles imports a layout of 10 um by 10 um with a layer table.
func importFiles(t *testing.T, table string, q Request) (*Result, error) {
	t.Helper()
	s := library().cell("TOP").rect(8, 0, 0, 5000, 10_000).rect(36, 0, 0, 10_000, 2500).rect(19, 0, 0, 1000, 1000)
	s.rect(8, 0, 0, 5000, 5000).rect(5, 0, 0, 77_000, 1).ref("LOST", false, 1, 0, 1, 1, point{}).end()
	dir := t.TempDir()
	q.File, q.Table = filepath.Join(dir, "chip.gds"), filepath.Join(dir, "table")
	for name, text := range map[string]string{q.File: string(s.bytes()), q.Table: table} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if q.NX == 0 {
		q.NX, q.NY, q.Datatypes = 2, 2, []int{0}
	}
	return Import(context.Background(), q)
}

func TestImport(t *testing.T) {
	for table, c := range map[string]struct {
		maps   map[string][]float64 // by layer
		layers string               // names and thicknesses in um
		notes  []string
	}{
		layersCSV: {map[string][]float64{"m1": {1, 0.5, 1, 0}}, "bulk 300, m1 0.5",
			[]string{"adapted: the die is the bounds", "5/0 (1), 19/0 (1)", `structure "LOST" is not in the file`}},
		stackupXML: {map[string][]float64{"M1": {1, 0, 1, 0}, "V1": {0.04, 0, 0, 0}, "V1_2": {0.5, 0.5, 0, 0}},
			"Bulk 180, EPI 3.75, Oxide 1, M1 0.5, V1 0.25, V1_2 0.25, V1_3 0.5, Oxide_2 7.5",
			[]string{`"Tungsten Via" has no thermal conductivity; taken as tungsten`, `"SiO2" has no thermal conductivity; taken ` +
				`as sio2`, `layer "M9" has no shapes`, `layer "Sheet" is a sheet`, `"V1" and "MIM" share heights`, `"AIR": air`}},
	} {
		r, err := importFiles(t, table, Request{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Maps) != len(c.maps) || r.Die != (eda.Box{X1: 10, Y1: 10}) {
			t.Errorf("%d maps, die %v", len(r.Maps), r.Die)
		}
		for _, m := range r.Maps {
			for k, v := range c.maps[m.Name] {
				if math.Abs(v-m.Values[k]) > 1e-12 {
					t.Errorf("%s: got %v, want %v", m.Name, m.Values, c.maps[m.Name])
				}
			}
		}
		all := fmt.Sprint(r.Notes)
		for _, n := range c.notes {
			if !strings.Contains(all, n) {
				t.Errorf("no note %q in %s", n, all)
			}
		}
		var b bytes.Buffer
		if err := r.WriteStack(&b, func(m *Map) string { return m.Name + ".csv" }); err != nil {
			t.Fatal(err)
		}
		s, err := stackfile.Parse("stack.toml", b.Bytes(), func(path string) ([]byte, error) {
			for i := range r.Maps {
				if m := &r.Maps[i]; path == m.Name+".csv" {
					var b bytes.Buffer
					err := r.WriteMap(&b, m)
					return b.Bytes(), err
				}
			}
			return inputfile.Read(path)
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		var layers []string
		for _, l := range s.Layers {
			layers = append(layers, fmt.Sprintf("%s %.6g", l.Name, l.Thickness*1e6))
		}
		if got := strings.Join(layers, ", "); got != c.layers {
			t.Errorf("got layers %s, want %s", got, c.layers)
		}
	}
}

// Datatypes and the die area come from the request; the conductivity of a stackup is that nearest to 300 K.
func TestImportChoices(t *testing.T) {
	r, err := importFiles(t, layersCSV, Request{NX: 1, NY: 1, Datatypes: []int{1}, Die: eda.Box{X0: 4, X1: 6, Y1: 10},
		Cell: "TOP"})
	if err != nil || len(r.Maps) != 1 || r.Maps[0].Layers != "8/0" || math.Abs(r.Maps[0].Values[0]-0.5) > 1e-12 {
		t.Errorf("%+v, %v", r, err)
	}
	bulk := material{"Bulk", "table Si of the stackup at 300 K", 148, 1.65e6}
	if r, err = importFiles(t, stackupXML, Request{}); err != nil || r.table.materials[0] != bulk {
		t.Errorf("%+v, %v", r.table.materials, err)
	}
}

func TestTableFaults(t *testing.T) {
	replaced := func(old, with string) string { return strings.Replace(stackupXML, old, with, 1) }
	for _, c := range [][2]string{
		{"", "table:1:1: the file is empty; expected a line of column names"},
		{"name,thickness [um],material\n", `no column "gds"`},
		{"name,thickness [um],material,gds\n", "no layers"},
		{"name,thickness [um],material,gds\nm1,0,sio2,8\n", "table:2: expected a name, a material and a thickness"},
		{"name,thickness [um],material,gds\nm1,1,sio2,8/x\n", `table:2: layers: got "8/x"`},
		{"name,thickness [um],material,gds\nm1,1,sio2,70000\n", `got "70000"`},
		{"name,thickness [um],material,gds,rule\nm1,1,sio2,8,diagonal\n", `rule: got "diagonal"`},
		{"name,thickness [um],material,gds\nm1,1,sio2,7\n", "no layer of the table has shapes in the layout, which " +
			"has 5/0 (1)"},
		{"name,thickness [um],material,gds\nm1,1\n", "table:2:1: row has 2 values, the first has 4"},
		{"name,thickness [um],material,gds\nm1,1,sio2,8,9\n", "table:2:13: row has 5 values, the first has 4"},
		{"<html/>", "not an XML stackup"},
		{replaced("= bulk + 3.75", "=below"), "too deep"},
		{replaced("= bulk + 3.75", "=bulk*2"), "expected a number"},
		{replaced(`Zmax="1.5"`, `Zmax="1e9"`), "heights of 1 and 1e+09 um"},
		{replaced(`Material="Metal" Layer="8"`, `Material="Gold" Layer="8"`), `no material "Gold"`},
		{replaced(`Name="M1"`, `Name="M1" Reference="EPI"`), "Reference"},
		{replaced(`="237"`, `="-3"`), "thermal conductivity of -3"},
		{strings.Repeat(" ", 1<<20+1), "more than 1 MiB"},
	} {
		if _, err := importFiles(t, c[0], Request{}); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("got %v, want %q", err, c[1])
		}
	}
	if _, err := importFiles(t, layersCSV, Request{NX: 1, NY: 1, Cell: "OTHER"}); err == nil ||
		!strings.Contains(err.Error(), `no structure "OTHER"`) {
		t.Error(err)
	}
}
