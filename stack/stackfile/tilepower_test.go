package stackfile

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/internal/npy"
)

// archive packs files with gzip, a tar file in it.
func archive(files map[string][]byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w.WriteHeader(&tar.Header{Name: "ctm/" + name, Mode: 0o644, Size: int64(len(files[name]))})
		w.Write(files[name])
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func little(values any) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, values)
	return b.Bytes()
}

// ctmFiles are those of a chip thermal model of 2 x 1 tiles of 500 um by 1000 um, 1 and 2 W at 25 degC, the eastern
// tile first.
func ctmFiles() map[string][]byte {
	tile := func(number int32, x float32) []byte {
		return append(little(number), little([]float32{x, 0, x + 500, 1000, 0.3, 0.4})...)
	}
	return map[string][]byte{
		"CTM_header.txt": []byte("#Version 1.0 made by hand\nLAYER 2 M1 0.1 M2 0.2\nDIE 0 0 1000 1000\n" +
			"TEMP 25 45 65\nTILE 2 1\nRESOLUTION 500\nMETAL_LAYERS {\nM1 0.1 1\n}\n"),
		"metal_density.ctm": append(tile(0, 500), tile(1, 0)...),
		"power_T[1].ctm":    little([]float32{2, 1}),
		"power_T[2].ctm":    little([]float32{4, 1}),
		"power_T[3].ctm":    little([]float32{8, 0.5}),
	}
}

// npz packs arrays as numpy.savez_compressed does.
func npz(arrays map[string][]byte) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		w, _ := z.Create(name + ".npy")
		w.Write(arrays[name])
	}
	z.Close()
	return b.String()
}

func tileInputs() files {
	planes := append(npy.Header("<f8", []int{3, 1, 2}), little([]float64{1, 2, 1, 4, 0.5, 8})...)
	kelvin := append(npy.Header("<f8", []int{3}), little([]float64{298.15, 318.15, 338.15})...)
	return files{
		"a.csv": "1,2\n", "b.csv": "1,4\n", "c.csv": "0.5,8\n", "abc.csv": "1,2\n1,4\n0.5,8\n", "wide.csv": "1,2,3\n",
		"abc.npy": string(planes), "abc.npz": npz(map[string][]byte{"power": planes, "temperature_K": kelvin}),
		"few.npz": npz(map[string][]byte{"power": planes}), "bad.npz": "PK",
		"many.npz": npz(map[string][]byte{
			"power":         append(npy.Header("<f8", []int{101, 1, 1}), make([]byte, 808)...),
			"temperature_K": append(npy.Header("<f8", []int{101}), make([]byte, 808)...)}),
		"chip.tar.gz": string(archive(ctmFiles())), "bad.tgz": "\x1f\x8b",
	}
}

// parseTiles reads a stack of 1 mm x 1 mm with a power.
func parseTiles(f files, power string) (values, hotter string, _ error) {
	f["stack.toml"] = "schema = 1\nsize = ['1 mm', '1 mm']\n[[layer]]\nname = 'a'\nmaterial = 'silicon'\n" +
		"thickness = '1 mm'\npower_at = 'volume'\npower = { " + power + " }\n"
	s, err := Parse("stack.toml", []byte(f["stack.toml"]), f.open)
	if err != nil {
		return "", "", err
	}
	m := s.Layers[0].Powers[0].Map
	again, printed, err := reload(s)
	if diff := cmp.Diff(s, again, sameStack); err != nil || diff != "" {
		return "", "", fmt.Errorf("changed: %v\n%s\n%s", err, diff, printed)
	}
	return fmt.Sprint(m.NX, m.NY, m.Values), fmt.Sprintf("%.2f %g", m.Temperatures, m.Hotter), nil
}

// The same powers of two tiles at three temperatures, in every form.
func TestPowersAtTemperatures(t *testing.T) {
	const keys = `, unit = "W", orientation = "south-first"`
	const degrees = keys + `, temperatures = ["25 degC", "45 degC", 338.15]`
	for _, entry := range []string{
		`map = ["a.csv", "b.csv", "c.csv"]` + degrees,
		`map = ["a.csv", "b.csv", "c.csv"], scale = 1000` + strings.Replace(degrees, `"W"`, `"mW"`, 1),
		`map = "abc.csv"` + degrees,
		`map = "abc.npy"` + degrees,
		`map = [[1, 2], [1, 4], [0.5, 8]]` + degrees,
		`map = "abc.npz"` + keys,
		`map = "chip.tar.gz"`,
	} {
		values, hotter, err := parseTiles(tileInputs(), entry)
		if err != nil || values != "2 1 [1 2]" || hotter != "[298.15 318.15 338.15] [[1 4] [0.5 8]]" {
			t.Errorf("%s: %v, %s, %s", entry, err, values, hotter)
		}
	}
	for entry, want := range map[string]string{
		`map = ["a.csv", "b.csv"]` + degrees:                "the map has 2 rows in 2 planes for 3 temperatures",
		`map = ["a.csv", "b.csv"]` + keys:                   "the map has 2 rows in 2 planes for 0 temperatures; add temp",
		`map = "abc.npy"` + keys:                            "the map has 3 rows in 3 planes for 0 temperatures",
		`map = ["a.csv", "wide.csv"]` + degrees:             "3 by 1 tiles, the first file has 2 by 1",
		`map = ["a.csv", 1]` + degrees:                      "map must be an array, got",
		`map = "abc.npz", temperatures = [300, 400]` + keys: "temperatures are in addition to those in abc.npz; remove it",
		`map = "few.npz"` + keys: `no array "temperature_K" among ["power"]; save it with numpy.savez(file, ` +
			"temperature_K=...)",
		`map = "many.npz"` + keys:    "a power map has 100 temperatures at most, this one 101",
		`map = "bad.npz"` + keys:     "not an NPZ file",
		`map = "bad.tgz"`:            "bad.tgz: unexpected EOF",
		`map = "chip.tar.gz"` + keys: "unit is fixed in a chip thermal model; remove it",
		`map = "chip.tar.gz", area = [0, 0, 1e-3, 5e-4]`: "the tiles of chip.tar.gz are 1 times as wide as high together, " +
			"the area is 2 times; give the area of the die",
		`map = "a.csv", temperatures = [300, 300]` + keys:       "the map has 1 rows in 1 planes for 2 temperatures",
		`map = [[1], [2]], temperatures = [400, 300]` + keys:    "needs as many ascending temperatures above 0 K",
		`map = [[1], [2]], temperatures = ["25 degC"]` + keys:   "temperatures has 2 entries at least, this one 1",
		`uniform = 1, temperatures = ["25 degC", "26 degC"]`:    "temperatures has no effect on a power with uniform",
		`map = [[1], [2e20]], temperatures = [300, 400]` + keys: "must not exceed 1e+13 W",
	} {
		if _, _, err := parseTiles(tileInputs(), entry); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}

// Chip thermal models that are obfuscated, incomplete or of another version are refused.
func TestRefusedChipThermalModels(t *testing.T) {
	nan := math.Float32frombits(0x7fc00000)
	for _, c := range []struct{ file, old, replaced, want string }{
		{"CTM_header.txt", "made by hand", "(Encrypted)", "the header is encrypted; export the model without"},
		{"CTM_header.txt", "1.0", "2.1", `version ["2.1" "made" "by" "hand"] of a chip thermal model; expected 1`},
		{"CTM_header.txt", "TILE 2 1", "TILE 2", "a number is missing"},
		{"CTM_header.txt", "TILE 2 1", "TILE 99999999999 1", "expected a whole number from 1 to"},
		{"CTM_header.txt", "TILE 2 1", "TILE 200000 200000", "has 200000 x 200000 tiles at 3 temperatures"},
		{"CTM_header.txt", "TILE 2 1", "TILE 1 2", "is not one of 1 x 2 equal tiles"},
		{"CTM_header.txt", "LAYER 2", "LAYER 1", "metal_density.ctm has 56 bytes; expected 48"},
		{"CTM_header.txt", "25 45 65", "25", "has 2 x 1 tiles at 1 temperatures"},
		{"CTM_header.txt", "25 45 65", "25 x", "line \"TEMP 25 x\""},
		{"CTM_header.txt", "25 45 65", "25 65 45", "ascending"},
		{"metal_density.ctm", string(little(float32(500))), string(little(nan)), "is not one of 2 x 1 equal tiles"},
		{"power_T[2].ctm", string(little(float32(1))), "", "power_T[2].ctm has 4 bytes; expected 8"},
		{"power_T[2].ctm", string(little(float32(1))), string(little(nan)), "finite and not negative, got NaN"},
	} {
		model := ctmFiles()
		model[c.file] = bytes.Replace(model[c.file], []byte(c.old), []byte(c.replaced), 1)
		_, _, err := parseTiles(files{"m.tgz": string(archive(model))}, `map = "m.tgz"`)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %s", c.file, c.replaced, err, c.want)
		}
	}
	for name := range ctmFiles() {
		model := ctmFiles()
		delete(model, name)
		_, _, err := parseTiles(files{"m.tgz": string(archive(model))}, `map = "m.tgz"`)
		if want := "no file " + name + " in the archive"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Broken archives are reported, never panic.
func FuzzPowerArchives(f *testing.F) {
	f.Add(archive(ctmFiles()))
	f.Add([]byte(tileInputs()["abc.npz"]))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(rows [][]float64, kelvin []float64, err error) {
			if err == nil && (len(kelvin) < 2 || len(rows)%len(kelvin) != 0) {
				t.Errorf("%d rows at %d temperatures", len(rows), len(kelvin))
			}
		}
		rows, kelvin, _, err := readChipThermalModel(data)
		check(rows, kelvin, err)
		check(readPowerArchive(data))
	})
}
