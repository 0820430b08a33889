package gds

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// writeChip writes a layout of about size bytes: 100 cells of 20 shapes, placed in rows, and nets of boundaries and
// paths in random order, each near its location.
func writeChip(w io.Writer, size int) error {
	r := rand.New(rand.NewPCG(1, 2))
	out := bufio.NewWriterSize(w, 1<<20)
	s := library()
	for n := range 100 {
		s.cell(fmt.Sprintf("CELL_%02d", n))
		for range 20 {
			x, y := 10*r.IntN(90), 10*r.IntN(180)
			s.rect(r.IntN(3), x, y, x+50+10*r.IntN(30), y+60)
		}
		s.end()
	}
	s.cell("CHIP")
	written, side := 0, 1
	for ; side*side*100 < size; side++ {
	}
	for y := range side / 2 { // about a quarter of the bytes
		for x := range side {
			angle, mirror := 0.0, y%2 == 1
			if r.IntN(2) == 0 {
				angle = 180
			}
			at := point{float64(x * 1200), float64(y * 2000)}
			s.ref(fmt.Sprintf("CELL_%02d", r.IntN(100)), mirror, 1, angle, 1, 1, at)
		}
		written += len(s.b)
		if _, err := out.Write(s.b); err != nil {
			return err
		}
		s.b = s.b[:0]
	}
	for written < size {
		x, y := float64(r.IntN(side*1200)), float64(r.IntN(side*1000))
		for range 4 + r.IntN(8) {
			layer := 2 + r.IntN(4)
			length := float64(200 + r.IntN(20000)*(1+r.IntN(2)))
			to := point{x + length, y}
			if layer%2 == 0 {
				to = point{x, y + length}
			}
			if layer < 4 {
				s.path(layer, 2, 100, point{x, y}, to)
			} else {
				s.rect(layer, int(min(x, to.x))-50, int(min(y, to.y))-50, int(max(x, to.x))+50, int(max(y, to.y))+50)
			}
			x, y = to.x, to.y
		}
		written += len(s.b)
		if _, err := out.Write(s.b); err != nil {
			return err
		}
		s.b = s.b[:0]
	}
	if _, err := out.Write(s.end().bytes()); err != nil {
		return err
	}
	return out.Flush()
}

// BenchmarkChip measures the densities of a large layout: go test ./interop/gds -run - -bench Chip -benchtime 1x, with
// the size in MB in THERMSIM_GDS_MB (default 100).
func BenchmarkChip(b *testing.B) {
	size := 100
	if n, err := strconv.Atoi(os.Getenv("THERMSIM_GDS_MB")); err == nil {
		size = n
	}
	name := filepath.Join(b.TempDir(), "chip.gds")
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := writeChip(f, size*1e6); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size) * 1e6)
	b.ResetTimer()
	for range b.N {
		l, p, top := indexed(b, f, int64(size)*2e6, 6)
		d, err := l.densities(p, top, &grid{box: l.cells[top].bounds, nx: 256, ny: 256}, 6)
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%.3g shapes flattened, a density of %.3g", l.cells[top].shapes, d[5][256*128+128])
	}
}
