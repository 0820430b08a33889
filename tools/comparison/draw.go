package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"thermsim/report/picture"
	"thermsim/stack"
)

// draw makes a picture of the difference between thermsim's own arithmetic and the simulator's, where it is largest.
// Maps in lists of cells, of one row, have no picture.
func (f *finding) draw(o options, s *stack.Stack, peer, plain []peerMap) error {
	var worst *peerMap
	largest, instant := 0.0, 0
	for i := range peer {
		p := &peer[i]
		if d, n, err := named(plain, p.name).apart(p); err == nil && d > largest && p.ny > 1 {
			worst, largest, instant = p, d, n
		}
	}
	if worst == nil {
		return nil
	}
	m := picture.HeatMap{
		Title:    f.study.name + ": thermsim minus " + "the simulator",
		Subtitle: fmt.Sprintf("%s, at most %.3g K", worst.name, largest),
		X:        faces(s.Size[0], worst.nx), Y: faces(s.Size[1], worst.ny),
		Kelvin: make([]float64, worst.nx*worst.ny), Difference: true, Look: picture.Look{Width: 480},
		Lo: math.Inf(1), Hi: math.Inf(-1),
	}
	own := named(plain, worst.name).instants[instant]
	for c, v := range worst.instants[instant] {
		m.Kelvin[c] = own[c] - v
		m.Lo, m.Hi = math.Min(m.Lo, m.Kelvin[c]), math.Max(m.Hi, m.Kelvin[c])
	}
	if err := os.MkdirAll(o.images, 0o777); err != nil {
		return err
	}
	f.image, f.imageOf = filepath.Join(o.images, f.study.name+".png"), worst.name
	if len(worst.instants) > 1 {
		f.imageOf += fmt.Sprintf(", instant %d of %d", instant+1, len(worst.instants))
	}
	file, err := os.Create(f.image)
	if err != nil {
		return err
	}
	return errors.Join(m.WritePNG(file), file.Close())
}

func faces(length float64, cells int) []float64 {
	f := make([]float64, cells+1)
	for i := range f {
		f[i] = length * float64(i) / float64(cells)
	}
	return f
}
