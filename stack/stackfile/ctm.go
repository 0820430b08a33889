package stackfile

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/internal/npy"
)

// readPowerArchive reads the planes power[t, y, x] and their temperature_K[t] from a NumPy archive.
func readPowerArchive(data []byte) (rows [][]float64, kelvin []float64, err error) {
	member, err := npy.Member(data, "temperature_K")
	if err != nil {
		return nil, nil, err
	}
	column, _, err := npy.Columns(member, maxTiles)
	if err != nil {
		return nil, nil, fmt.Errorf("temperature_K: %w", err)
	}
	if member, err = npy.Member(data, "power"); err != nil {
		return nil, nil, err
	}
	rows, planes, err := npy.Planes(member, maxTiles)
	if err != nil {
		return nil, nil, fmt.Errorf("power: %w", err)
	}
	if planes != len(column) || planes < 2 {
		return nil, nil, fmt.Errorf("power has %d planes for %d values of temperature_K; expected one each, and at "+
			"least 2", planes, len(column))
	}
	return rows, slices.Concat(column...), nil
}

// isChipThermalModel recognizes an archive by its name.
func isChipThermalModel(path string) bool {
	path = strings.ToLower(path)
	return strings.HasSuffix(path, ".tar.gz") || strings.HasSuffix(path, ".tgz")
}

// chipThermalModel is an archive of version 1. Its files are
//
//	CTM_header.txt     lines: #Version, LAYER n (name thickness)..., DIE x0 y0 x1 y1, TEMP degC..., TILE nx ny
//	power_T[i].ctm     W of every tile at temperature i, FP32
//	metal_density.ctm  of every tile its number (int32), and in FP32 x0 y0 x1 y1 in um and a density for each LAYER
//
// All numbers are little-endian. Tiles are in the order of metal_density.ctm.
type chipThermalModel struct {
	files   map[string][]byte
	layers  int
	celsius []float64
	nx, ny  int
	order   []int   // of the tiles: their numbers with x running fastest, from the south
	dx, dy  float64 // of a tile, um
}

// readChipThermalModel reads the powers of a chip thermal model: the rows of all planes, each from the north, their
// temperatures in K, and the ratio of width to height of the die.
func readChipThermalModel(data []byte) (rows [][]float64, kelvin []float64, aspect float64, err error) {
	m := chipThermalModel{files: map[string][]byte{}}
	if err := m.unpack(data); err != nil {
		return nil, nil, 0, err
	}
	for _, read := range []func() error{m.header, m.tiles} {
		if err := read(); err != nil {
			return nil, nil, 0, err
		}
	}
	const zeroCelsius = 273.15
	for i, t := range m.celsius {
		plane, err := m.power(fmt.Sprintf("power_T[%d].ctm", i+1))
		if err != nil {
			return nil, nil, 0, err
		}
		rows, kelvin = append(rows, plane...), append(kelvin, t+zeroCelsius)
	}
	return rows, kelvin, m.dx * float64(m.nx) / (m.dy * float64(m.ny)), nil
}

// unpack reads the files of the archive.
func (m *chipThermalModel) unpack(data []byte) error {
	data, err := inputfile.Unpacked(data)
	if err != nil {
		return err
	}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a tar archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if m.files[path.Base(h.Name)], err = io.ReadAll(r); err != nil {
			return err
		}
	}
}

func (m *chipThermalModel) file(name string) ([]byte, error) {
	data, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("no file %s in the archive; expected a chip thermal model of version 1", name)
	}
	return data, nil
}

// errObfuscated refuses headers whose numbers are obfuscated.
var errObfuscated = errors.New("the header is encrypted; export the model without encryption, or write the power of " +
	"its tiles at each temperature to CSV or NPZ files with the program that made it, and list these")

// header reads the lines that concern the power.
func (m *chipThermalModel) header() error {
	text, err := m.file("CTM_header.txt")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(line, "#Version"):
			if strings.Contains(strings.ToLower(line), "encrypted") {
				return errObfuscated
			}
			if len(words) < 2 || !strings.HasPrefix(words[1], "1") {
				return fmt.Errorf("version %.40q of a chip thermal model; expected 1", words[1:])
			}
		case words[0] == "LAYER":
			m.layers, err = wholeAt(words, 1, 0)
		case words[0] == "TILE":
			if m.nx, err = wholeAt(words, 1, 1); err == nil {
				m.ny, err = wholeAt(words, 2, 1)
			}
		case words[0] == "TEMP":
			m.celsius = nil
			for _, w := range words[1:] {
				var t float64
				if t, err = inputfile.Number(w); err != nil {
					break
				}
				m.celsius = append(m.celsius, t)
			}
		}
		if err != nil {
			return fmt.Errorf("CTM_header.txt: line %.60q: %w", strings.TrimSpace(line), err)
		}
	}
	if m.nx == 0 || len(m.celsius) < 2 || m.nx > maxTiles/m.ny {
		return fmt.Errorf("CTM_header.txt has %d x %d tiles at %d temperatures; expected at most %d tiles, and "+
			"at least two temperatures", m.nx, m.ny, len(m.celsius), maxTiles)
	}
	return nil
}

// wholeAt reads a whole number of a line.
func wholeAt(words []string, at, least int) (int, error) {
	if at >= len(words) {
		return 0, errors.New("a number is missing")
	}
	n, err := strconv.Atoi(words[at])
	if err != nil || n < least || n > maxTiles {
		return 0, fmt.Errorf("got %.20q; expected a whole number from %d to %d", words[at], least, maxTiles)
	}
	return n, nil
}

// tiles finds the order of the tiles from their boxes.
func (m *chipThermalModel) tiles() error {
	data, err := m.file("metal_density.ctm")
	if err != nil {
		return err
	}
	record, n := 20+4*m.layers, m.nx*m.ny
	if len(data) != n*record {
		return fmt.Errorf("metal_density.ctm has %d bytes; expected %d for %d x %d tiles of %d layers", len(data),
			n*record, m.nx, m.ny, m.layers)
	}
	box := func(tile, side int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[tile*record+4+4*side:])))
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for tile := range n {
		for axis := range low {
			low[axis], high[axis] = min(low[axis], box(tile, axis)), max(high[axis], box(tile, 2+axis))
		}
	}
	m.dx, m.dy = (high[0]-low[0])/float64(m.nx), (high[1]-low[1])/float64(m.ny)
	m.order = slices.Repeat([]int{-1}, n)
	for tile := range n {
		// Comparisons with NaN are false.
		i, j := math.Round((box(tile, 0)-low[0])/m.dx), math.Round((box(tile, 1)-low[1])/m.dy)
		even := i >= 0 && i < float64(m.nx) && j >= 0 && j < float64(m.ny)
		for side, want := range [4]float64{low[0] + i*m.dx, low[1] + j*m.dy, low[0] + (i+1)*m.dx, low[1] + (j+1)*m.dy} {
			even = even && math.Abs(box(tile, side)-want) <= 0.01*[2]float64{m.dx, m.dy}[side%2]
		}
		if !even || m.order[int(j)*m.nx+int(i)] >= 0 {
			return fmt.Errorf("tile %d of metal_density.ctm, from %g, %g to %g, %g um, is not one of %d x %d equal "+
				"tiles", tile+1, box(tile, 0), box(tile, 1), box(tile, 2), box(tile, 3), m.nx, m.ny)
		}
		m.order[int(j)*m.nx+int(i)] = tile
	}
	return nil
}

// power reads a plane, its rows from the north.
func (m *chipThermalModel) power(name string) (rows [][]float64, err error) {
	data, err := m.file(name)
	if err != nil {
		return nil, err
	}
	if len(data) != 4*len(m.order) {
		return nil, fmt.Errorf("%s has %d bytes; expected %d for %d x %d tiles", name, len(data), 4*len(m.order), m.nx,
			m.ny)
	}
	for tiles := range slices.Chunk(m.order, m.nx) {
		rows = append(rows, each(tiles, func(tile int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*tile:])))
		}))
	}
	slices.Reverse(rows)
	return rows, nil
}
