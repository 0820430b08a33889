package fourier

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/powermap"
)

// tenLayers is a package's stack over a square of 1 cm: dies, bonds, interface material, lid, all of ten planes or of
// repetitions of them, cooled at the top.
func tenLayers(n, nz int) *Layered {
	thickness := []float64{50e-6, 2e-6, 4e-6, 1e-6, 4e-6, 2e-6, 20e-6, 20e-6, 500e-6, 2000e-6}
	k := []float64{120, 120, 10, 60, 10, 120, 120, 5, 390, 390}
	side := 0.01 / float64(n)
	l := &Layered{NX: n, NY: n, NZ: nz, GZ: make([]float64, nz+1)}
	for z := range nz {
		i := z * 10 / nz
		t := thickness[i] * 10 / float64(nz)
		l.GX, l.GY = append(l.GX, k[i]*t), append(l.GY, k[i]*t)
		half := t / (2 * k[i])
		if z > 0 {
			b := (z - 1) * 10 / nz
			l.GZ[z] = side * side / (half + thickness[b]*10/float64(nz)/(2*k[b]))
		}
		l.GZ[nz] = side * side / (half + 1e-3)
	}
	return l
}

func (l *Layered) inTime(dt float64) *Layered {
	side := 0.01 / float64(l.NX)
	for z := range l.NZ {
		t := l.GX[z] / 120
		l.Capacity = append(l.Capacity, side*side*t*1.7e6/dt)
	}
	return l
}

// floorplans are 49 blocks in each of two planes.
func floorplans(l *Layered) []Load {
	rng := rand.New(rand.NewPCG(1, 2))
	var loads []Load
	for _, z := range []int{l.NZ / 10, l.NZ / 2} {
		o := &powermap.Outline{}
		var watts []float64
		for j := range 7 {
			for i := range 7 {
				f := powermap.Footprint{I: i * l.NX / 7, J: j * l.NY / 7, X: make([]float64, l.NX/7),
					Y: make([]float64, l.NY/7)}
				for c := range f.X {
					f.X[c] = 1 / float64(len(f.X))
				}
				for c := range f.Y {
					f.Y[c] = 1 / float64(len(f.Y))
				}
				o.Footprints = append(o.Footprints, f)
				watts = append(watts, 3*rng.Float64())
			}
		}
		loads = append(loads, Load{powermap.Drawing{Outline: o, Watts: watts}, z, []float64{1}})
	}
	return loads
}

// rate is what the benchmark finds of a piece of work.
type rate struct {
	Size   string  `json:"size"`
	Work   string  `json:"work"`
	MS     float64 `json:"ms"`
	BPC    float64 `json:"bytes_per_cell,omitempty"` // of the work's own planes
	TBS    float64 `json:"tb_s,omitempty"`
	Share  float64 `json:"share_of_copy,omitempty"`
	Remark string  `json:"remark,omitempty"`
}

type meter struct {
	b     *testing.B
	copy  float64
	rates []rate
	size  string
}

func (m *meter) add(work string, ms, bytes float64, remark string) {
	r := rate{Size: m.size, Work: work, MS: ms, Remark: remark}
	if bytes > 0 {
		r.TBS = bytes / ms * 1e-9
		r.Share = r.TBS * 1e12 / m.copy
	}
	m.rates = append(m.rates, r)
	fmt.Printf("%-16s %-34s %9.4f ms  %6.2f TB/s  %5.2f of copy  %s\n", r.Size, work, ms, r.TBS, r.Share, remark)
}

// device times work between events, best of several.
func (m *meter) device(g *gpuOperations, work string, bytes float64, body func()) {
	best := 1e9
	for range 6 {
		s, err := g.on.Time(body)
		if err != nil {
			m.b.Fatal(err)
		}
		best = min(best, s*1e3)
	}
	m.add(work, best, bytes, "")
}

// wall times work by the clock, waiting for the device, best of several.
func (m *meter) wall(g *gpuOperations, work string, times int, body func()) {
	best := 1e9
	for range times {
		g.on.Wait()
		start := time.Now()
		body()
		g.on.Wait()
		best = min(best, time.Since(start).Seconds()*1e3)
	}
	m.add(work, best, 0, "")
}

// BenchmarkOnGPU measures each kernel, and whole solves, against the GPU's copy rate. FOURIER_JSON names a file for the
// figures.
func BenchmarkOnGPU(b *testing.B) {
	d := devices.GPU(b)
	defer d.Close()
	defer d.Bind()()
	rate, err := d.CopyBandwidth()
	if err != nil {
		b.Fatal(err)
	}
	m := &meter{b: b, copy: rate}
	fmt.Printf("%s copies %.3f TB/s\n", d.Name(), rate*1e-12)
	sizes := []int{512, 512, 1024, 1871, 2048, 10000, 1000, 3001}
	if few := os.Getenv("FOURIER_SIZES"); few != "" {
		must(b, json.Unmarshal([]byte(few), &sizes))
	}
	for _, n := range sizes {
		m.steady(d, n)
	}
	if os.Getenv("FOURIER_SIZES") != "" {
		return
	}
	m.inTime(d, 1871, 50)
	m.inTime(d, 512, 1000)
	m.many(d, 512, 1000)
	m.streamed(d)
	if path := os.Getenv("FOURIER_JSON"); path != "" {
		text, err := json.MarshalIndent(m.rates, "", " ")
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func (m *meter) steady(d *cuda.Device, n int) {
	const nz = 10
	l := tenLayers(n, nz)
	m.size = fmt.Sprintf("%dx%dx%d", n, n, nz)
	loads := floorplans(l)
	start := time.Now()
	e, err := newOnGPU(d, l, nil, whole(l))
	must(m.b, err)
	g := e.(*gpuOperations)
	defer g.Close()
	x, err := g.NewModes()
	must(m.b, err)
	p, err := g.NewPlanes(nz)
	must(m.b, err)
	g.on.Wait()
	made := time.Since(start)
	g.SetLoads(loads)
	g.Solve(x, nil, 1)
	g.Inverse(p, 0, x, 0, nz)
	g.on.Wait()
	m.add("set-up and first solve, wall", time.Since(start).Seconds()*1e3, 0,
		fmt.Sprintf("until memory is there %.2f ms; %d B/cell", made.Seconds()*1e3, d.Allocated()/(g.sheet*nz)))
	plane := float64(8 * g.sheet)
	m.device(g, "products", 2*plane, g.spectra)
	m.device(g, "columns", (nz+2)*plane, func() { g.Solve(x, nil, 1) })
	some := g.atOnce
	m.device(g, "y inverse to tiles", 2*plane*float64(some), func() {
		g.run(g.y, rows{in: x.(*gpuModes).at, from: g.sheet, out: g.tiles, to: g.tile, tiles: true, planes: some,
			rows: g.NX, inverse: true})
	})
	m.device(g, "x inverse from tiles", 2*plane*float64(some), func() {
		g.run(g.x, rows{in: g.tiles, from: g.tile, tilesIn: true, out: g.plane(p, 0), to: g.sheet, planes: some,
			rows: g.NY, inverse: true})
	})
	for _, at := range []int{1, 2, 5, 10} {
		if at <= some || n == 10000 && at <= 2 {
			keep := g.atOnce
			g.atOnce = min(at, keep)
			m.device(g, fmt.Sprintf("inverse of 10, %d at once", g.atOnce), 4*plane*nz, func() {
				g.Inverse(p, 0, x, 0, nz)
			})
			g.atOnce = keep
		}
	}
	m.device(g, "forward of 2", 4*plane*2, func() { g.Forward(x, 0, 2, p) })
	m.device(g, "largest of 2", plane*2, func() { g.Max(p, 0, 2) })
	m.device(g, "whole solve, events", 0, func() { g.spectra(); g.Solve(x, nil, 1); g.Inverse(p, 0, x, 0, nz) })
	m.wall(g, "whole solve, wall", 6, func() {
		loads[0].Watts = slices.Clone(loads[0].Watts)
		loads[0].Watts[0]++
		g.SetLoads(loads)
		g.Solve(x, nil, 1)
		g.Inverse(p, 0, x, 0, nz)
	})
	norms := g.Residual(x, nil, p)
	m.device(g, "residual from planes", plane*(nz+2), func() { g.Residual(x, nil, p) })
	m.add("residual / source", norms.Residual/norms.Source, 0,
		fmt.Sprintf("floor / source %.2g", norms.Floor/norms.Source))
	if n <= 2048 {
		r, z := cuda.NewVector[float32](g.on.Space, g.sheet*nz, int64(n)),
			cuda.NewVector[float32](g.on.Space, g.sheet*nz, int64(n))
		g.rough = g.newModes()
		m.device(g, "precondition", (4+6*8+2*8+4)*float64(g.sheet*nz), func() { g.Precondition(z, r) })
	}
	must(m.b, g.Err())
}

func (m *meter) inTime(d *cuda.Device, n, steps int) {
	const nz = 10
	l := tenLayers(n, nz).inTime(1e-3)
	m.size = fmt.Sprintf("%dx%dx%d", n, n, nz)
	e, err := newOnGPU(d, l, nil, whole(l))
	must(m.b, err)
	g := e.(*gpuOperations)
	defer g.Close()
	x, err := g.NewModes()
	must(m.b, err)
	p, err := g.NewPlanes(2)
	must(m.b, err)
	loads := floorplans(l)
	g.SetLoads(loads)
	plane := float64(8 * g.sheet)
	m.device(g, "a step", (2*nz+2)*plane, func() { g.Solve(x, x, 1) })
	m.device(g, "10 steps in a pass", (2*nz+2)*plane, func() { g.Solve(x, x, 10) })
	m.wall(g, fmt.Sprintf("%d steps, 2 planes and maximum each", steps), 2, func() {
		for range steps {
			for i := range loads {
				loads[i].Watts = slices.Clone(loads[i].Watts)
				loads[i].Watts[3] += 0.1
			}
			g.SetLoads(loads)
			g.Solve(x, x, 1)
			g.Inverse(p, 0, x, nz/10, 1)
			g.Inverse(p, 0, x, nz/2, 1)
			g.Max(p, 0, 1)
		}
	})
	m.wall(g, fmt.Sprintf("%d steps without a look", steps), 2, func() { g.Solve(x, x, steps) })
	must(m.b, g.Err())
}

func (m *meter) many(d *cuda.Device, n, count int) {
	l := tenLayers(n, 10)
	m.size = fmt.Sprintf("%dx%dx%d", n, n, 10)
	e, err := newOnGPU(d, l, nil, whole(l))
	must(m.b, err)
	g := e.(*gpuOperations)
	defer g.Close()
	x, err := g.NewModes()
	must(m.b, err)
	p, err := g.NewPlanes(2)
	must(m.b, err)
	loads := floorplans(l)
	g.SetLoads(loads)
	m.wall(g, fmt.Sprintf("%d right sides, 2 planes and maxima", count), 2, func() {
		for range count {
			for i := range loads {
				loads[i].Watts[3] += 0.1
			}
			g.SetLoads(loads)
			g.Solve(x, nil, 1)
			g.Inverse(p, 0, x, 1, 1)
			g.Max(p, 0, 1)
			g.Inverse(p, 0, x, 5, 1)
			g.Max(p, 0, 1)
		}
	})
	must(m.b, g.Err())
}

// streamed is 1e10 cells, where the GPU has room for the modes.
func (m *meter) streamed(d *cuda.Device) {
	if _, total, err := d.MemInfo(); err != nil || total < 100e9 {
		return
	}
	l := tenLayers(10000, 100)
	m.size = "10000x10000x100"
	start := time.Now()
	e, err := newOnGPU(d, l, nil, whole(l))
	must(m.b, err)
	g := e.(*gpuOperations)
	defer g.Close()
	x, err := g.NewModes()
	must(m.b, err)
	p, err := g.NewPlanes(10)
	must(m.b, err)
	g.SetLoads(floorplans(l))
	g.on.Wait()
	m.add("set-up, wall", time.Since(start).Seconds()*1e3, 0, fmt.Sprintf("%.1f GB", float64(d.Allocated())*1e-9))
	plane := float64(8 * g.sheet)
	m.device(g, "columns", 100*plane, func() { g.Solve(x, nil, 1) })
	m.device(g, "inverse of 100, 10 kept", 400*plane, func() {
		for k := 0; k < 100; k += 10 {
			g.Inverse(p, 0, x, k, 10)
		}
	})
	must(m.b, g.Err())
}
