package eda

// Sizes reads the widths and heights in um of all cells of LEF files, by name. open is as in [Request].
func Sizes(lef []string, open Opener) (map[string][2]float64, error) {
	m := &reading{open: open}
	lib := m.lefs(lef)
	if err := m.Faults.Err(""); err != nil {
		return nil, err
	}
	sizes := make(map[string][2]float64, len(lib.macros))
	for i, one := range lib.macros {
		sizes[string(lib.names.at(int32(i)))] = [2]float64{one.width, one.height}
	}
	return sizes, nil
}

// Density is the fraction of each of nx by ny tiles over an area that boxes cover; overlapping boxes add. The tiles are
// ordered as those of [Map].
func Density(boxes []Box, area Box, nx, ny int) []float64 {
	s := newBinner(nx, ny, area)
	for _, b := range boxes {
		if b = b.intersect(area); b.valid() {
			s.add(b, b.Area())
		}
	}
	covered := s.finish().Watts
	tile := area.Area() / float64(nx*ny)
	for i := range covered {
		covered[i] /= tile
	}
	return covered
}
