package fourier

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
)

// gpuStack is what the column kernels know of planes: their numbers, and which sheets heat them.
type gpuStack struct {
	parts, share cudriver.Ptr[float64]
	first, sheet cudriver.Ptr[int32]
	sheets       cudriver.Ptr[float64] // spectra
}

// longestClass is the length of the longest columns that stay in registers.
const longestClass = 32

// blocksPerMultiprocessor of the general path, which keeps values in memory for each thread.
const blocksPerMultiprocessor = 8

// columnNumbers are the planes' numbers, those of the system and then those with the right-hand side given as modes.
func (g *gpuOperations) columnNumbers() []float64 {
	n := g.NZ * ColumnsParts
	if g.planeParts == nil {
		g.planeParts = make([]float64, 2*n)
	}
	for k := range g.NZ {
		p := g.planeParts[k*ColumnsParts : (k+1)*ColumnsParts]
		p[ColumnsAlongX], p[ColumnsAlongY], p[ColumnsRest], p[ColumnsUpwards], p[ColumnsGain] = g.GX[k], g.GY[k],
			g.ground(k), 0, 0
		if k < g.NZ-1 {
			p[ColumnsUpwards] = g.GZ[k+1]
		}
		if g.Capacity != nil {
			p[ColumnsGain] = g.Capacity[k]
		}
	}
	copy(g.planeParts[n:], g.planeParts[:n])
	for k := range g.NZ {
		g.planeParts[n+k*ColumnsParts+ColumnsGain] = 1
	}
	return g.planeParts
}

func (g *gpuOperations) Refresh() { cuda.Send(g.on.Space, g.system.parts, g.columnNumbers()) }

func (g *gpuOperations) Solve(x, old Modes, steps int) {
	var from cudriver.Ptr[float64]
	if old != nil {
		from = old.(*gpuModes).at
	}
	x.(*gpuModes).changes++
	g.solve(&g.system, x.(*gpuModes).at, from, steps)
}

func (g *gpuOperations) anyBlocks() uint32 {
	return min(cuda.Blocks(int(g.sheet), ColumnsThreads), uint32(blocksPerMultiprocessor*g.on.Multiprocessors))
}

// solve launches a kernel of the class of the columns' length; long columns take a launch for each step.
func (g *gpuOperations) solve(s *gpuStack, x, old cudriver.Ptr[float64], steps int) {
	if !g.on.Ready() {
		return
	}
	grid := [3]uint32{cuda.Blocks(int(g.sheet), ColumnsThreads), 1, 1}
	a := ColumnsSolveArgs{
		Nx: int32(g.width), Ny: int32(g.NY), Nz: int32(g.NZ), Lambda: g.x.eigenvalues.Add(int64(g.waves[g.rank])),
		Mu: g.y.eigenvalues, Planes: s.parts, Share: s.share,
		Sheets: s.sheets, First: s.first, Sheet: s.sheet, Old: old, X: x,
	}
	if g.NZ > longestClass {
		for range steps {
			cuda.Launch(g.on.Space, &g.columns.SolveAny, [3]uint32{g.anyBlocks(), 1, 1}, ColumnsSolveAnyArgs{
				Nx: a.Nx, Ny: a.Ny, Nz: a.Nz, Lambda: a.Lambda, Mu: a.Mu, Planes: a.Planes, Share: a.Share,
				Sheets: a.Sheets, First: a.First, Sheet: a.Sheet, Old: a.Old, X: a.X, Kept: g.kept,
			})
			a.Old = a.X
		}
		return
	}
	once, often := g.class()
	if steps == 1 {
		cuda.Launch(g.on.Space, once, grid, a)
		return
	}
	cuda.Launch(g.on.Space, often, grid, ColumnsMarchArgs{
		Nx: a.Nx, Ny: a.Ny, Nz: a.Nz, Lambda: a.Lambda, Mu: a.Mu, Planes: a.Planes, Share: a.Share, Sheets: a.Sheets,
		First: a.First, Sheet: a.Sheet, Old: a.Old, X: a.X, Steps: int32(steps),
	})
}

// class is the kernels for the columns' length.
func (g *gpuOperations) class() (*launch.Kernel[ColumnsSolveArgs], *launch.Kernel[ColumnsMarchArgs]) {
	switch c := g.columns; {
	case g.NZ <= 4:
		return &c.Solve4, &c.March4
	case g.NZ <= 10:
		return &c.Solve10, &c.March10
	case g.NZ <= 16:
		return &c.Solve16, &c.March16
	default:
		return &c.Solve32, &c.March32
	}
}
