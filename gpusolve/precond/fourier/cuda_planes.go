package fourier

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuModes are modes on the GPU.
type gpuModes struct {
	at      cudriver.Ptr[float64]
	count   int64
	changes int // times that they were set
}

// Bytes of the coefficients.
func (m *gpuModes) Bytes() int64 { return 8 * m.count }

// NewModes makes a state of zeros.
func (g *gpu) NewModes() (Modes, error) { return g.newModes(), g.on.Err() }

func (g *gpu) newModes() *gpuModes {
	n := g.sheet * int64(g.NZ)
	return &gpuModes{at: cuda.Alloc[float64](g.on.Space, n), count: n}
}

// Combine takes all coefficients alike.
func (g *gpu) Combine(dst Modes, a float64, x Modes, b float64, y Modes) {
	to := dst.(*gpuModes)
	to.changes++
	g.on.CombineValues(to.count, to.at, a, x.(*gpuModes).at, b, y.(*gpuModes).at)
}

// gpuPlanes are planes in space on the GPU, one behind the other.
type gpuPlanes struct {
	ops.Vector
	count int
}

// Count is the number of planes.
func (p *gpuPlanes) Count() int { return p.count }

// NewPlanes makes room for n planes.
func (g *gpu) NewPlanes(n int) (Planes, error) {
	return &gpuPlanes{cuda.NewRawVector[float64](g.on.Space, g.sheet*int64(n)), n}, g.on.Err()
}

// plane is where plane i of p begins.
func (g *gpu) plane(p Planes, i int) cudriver.Ptr[float64] {
	return cuda.F64(p.(*gpuPlanes).Vector).Add(int64(i) * g.sheet)
}

// Read copies plane i to the host.
func (g *gpu) Read(p Planes, i int, dst []float64) {
	cuda.Receive(g.on.Space, dst[:g.sheet], g.plane(p, i))
}

// Write copies a plane to the device.
func (g *gpu) Write(p Planes, i int, src []float64) {
	cuda.Send(g.on.Space, g.plane(p, i), src[:g.sheet])
}

// ReadModes copies the coefficients to the host.
func (g *gpu) ReadModes(m Modes, dst []float64) {
	from := m.(*gpuModes)
	cuda.Receive(g.on.Space, dst[:from.count], from.at)
}

// WriteModes copies coefficients to the device.
func (g *gpu) WriteModes(m Modes, src []float64) {
	to := m.(*gpuModes)
	to.changes++
	cuda.Send(g.on.Space, to.at, src[:to.count])
}

// Inverse goes from modes to space, first along y.
func (g *gpu) Inverse(dst Planes, at int, m Modes, first, n int) {
	g.inverse(rows{out: g.plane(dst, at)}, m.(*gpuModes).at.Add(int64(first)*g.sheet), n)
}

// inverse brings n planes of modes to out or out32 of r.
func (g *gpu) inverse(r rows, m cudriver.Ptr[float64], n int) {
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*g.sheet
		g.run(g.y, rows{in: m.Add(at), from: g.sheet, out: g.tiles, to: g.tile, tiles: true, planes: some, rows: g.NX, inverse: true})
		last := rows{in: g.tiles, from: g.tile, tilesIn: true, to: g.sheet, planes: some, rows: g.NY, inverse: true}
		if r.out32.IsNil() {
			last.out = r.out.Add(at)
		} else {
			last.out32 = r.out32.Add(at)
		}
		g.run(g.x, last)
	}
}

// Forward goes from space to modes, first along x.
func (g *gpu) Forward(m Modes, first, n int, src Planes) {
	m.(*gpuModes).changes++
	g.forward(m.(*gpuModes).at.Add(int64(first)*g.sheet), rows{in: g.plane(src, 0)}, n)
}

// forward sets n planes of modes from in or in32 of r.
func (g *gpu) forward(m cudriver.Ptr[float64], r rows, n int) {
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*g.sheet
		first := rows{from: g.sheet, out: g.tiles, to: g.tile, tiles: true, planes: some, rows: g.NY, unit: 1 / float64(g.NX)}
		if r.in32.IsNil() {
			first.in = r.in.Add(at)
		} else {
			first.in32 = r.in32.Add(at)
		}
		g.run(g.x, first)
		g.run(g.y, rows{in: g.tiles, from: g.tile, tilesIn: true, out: m.Add(at), to: g.sheet, planes: some, rows: g.NX, unit: 1 / float64(g.NY)})
	}
}

// Precondition solves with the right side r.
func (g *gpu) Precondition(z, r ops.Vector) {
	g.forward(g.rough.at, rows{in32: cuda.F32(r)}, g.NZ)
	g.solve(&g.plain, g.rough.at, g.rough.at, 1)
	g.inverse(rows{out32: cuda.F32(z)}, g.rough.at, g.NZ)
}
