package fourier

import (
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/precond/fourier/fft"
)

// plannedAxis is an axis without its tables.
type plannedAxis struct {
	gpuPlan
	of axis
	// weighted says that an axis of the grid is graded: the residual then needs the widths and couplings of both.
	weighted bool
}

// plannedAxes are those of a grid, for blocks with shared bytes of memory.
func plannedAxes(x, y axis, shared int) (px, py plannedAxis) {
	plan := func(a axis) plannedAxis {
		p := plannedAxis{gpuPlan{n: a.n, m: a.n}, a, x.graded() || y.graded()}
		if !a.graded() {
			p.gpuPlan = planFor(a.n, shared)
		}
		return p
	}
	return plan(x), plan(y)
}

// axesOf are those of an operator.
func axesOf(l *Layered, shared int) (x, y plannedAxis) {
	ax, ay := l.axes()
	return plannedAxes(ax, ay, shared)
}

// like says that two axes have the same tables.
func (p plannedAxis) like(q plannedAxis) bool { return p.of.like(q.of) }

// gpuAxis is an axis with the tables of its transforms. Coefficients of sines stand in reversed order: slot p belongs
// to wave number n-1-p.
type gpuAxis struct {
	plannedAxis
	turns, halves, chirps, filters, rootsOnDevice cudriver.Ptr[float64]
	eigenvalues                                   cudriver.Ptr[float64] // of each slot
	vectors, widths, couplings                    cudriver.Ptr[float64] // of a graded axis, and beside one
	placesOnDevice, radicesOnDevice               cudriver.Ptr[int32]
}

// axisTables are the tables of an axis on the host.
type axisTables struct {
	turns, halves, chirp, filter, roots []complex128
	eigenvalues                         []float64
	vectors, widths, couplings          []float64
	places, radices                     []int32
	err                                 error
}

func tablesOf(p plannedAxis) *axisTables {
	t := &axisTables{}
	if p.weighted {
		t.widths, t.couplings = p.of.weights(), p.of.couplings()
	}
	if !p.of.graded() {
		t.setTransforms(p)
		return t
	}
	b, err := p.of.eigenbasis()
	t.err, t.eigenvalues, t.vectors = err, b.eigenvalues, b.vectors
	return t
}

// setTransforms makes the tables of fast transforms.
func (t *axisTables) setTransforms(p plannedAxis) {
	ends, n := p.of.ends, p.n
	t.roots = p.roots()
	if ends.fourth() {
		t.turns, t.halves = make([]complex128, n), make([]complex128, n)
		for j := range n {
			t.turns[j], t.halves[j] = root(2*j+1, 8*n), root(j, 2*n)
		}
	} else {
		t.turns = make([]complex128, n/2+1)
		for k := range t.turns {
			t.turns[k] = root(k, 4*n)
		}
	}
	if p.convolves() {
		t.chirp = p.chirp()
		t.filter = p.filter(t.chirp)
	}
	if p.fixed == 0 {
		t.places = p.places()
		for _, r := range p.radices {
			t.radices = append(t.radices, int32(r))
		}
	}
	t.eigenvalues = ends.eigenvalues(n)
	if ends.sines() {
		slices.Reverse(t.eigenvalues)
	}
}

// bytes on the device.
func (t *axisTables) bytes() int64 {
	complexes := len(t.turns) + len(t.halves) + len(t.chirp) + len(t.filter) + len(t.roots)
	doubles := len(t.eigenvalues) + len(t.vectors) + len(t.widths) + len(t.couplings)
	return int64(bytesOfComplex*complexes) + 8*int64(doubles) + cuda.BytesOf(t.places) + cuda.BytesOf(t.radices)
}

// packComplex is nowhere for no table.
func packComplex(p *cuda.Packer, v []complex128) cudriver.Ptr[float64] {
	if len(v) == 0 {
		return cudriver.Ptr[float64]{}
	}
	return cudriver.At[float64](cuda.Pack(p, v).Address())
}

// rows is a launch of transforms: a number of rows of each plane along an axis. from and to are the distances between
// planes in and out, in values. in32 and out32 replace in and out where the values are FP32.
type rows struct {
	in, out        cudriver.Ptr[float64]
	in32, out32    cudriver.Ptr[float32]
	from, to       int64
	planes, rows   int
	inverse        bool
	field          bool    // forward: a field in space, not the heat of cells
	tilesIn, tiles bool    // the layouts of in and out
	unit           float64 // factor of forward transforms
}

// mode and scale are the kernel's.
func (r *rows) mode(ends Ends) (mode int32, scale float64) {
	set := func(on bool, bit int32) {
		if on {
			mode |= bit
		}
	}
	set(r.tilesIn, TransformFromTiles)
	set(r.tiles, TransformToTiles)
	set(r.inverse, TransformInverse)
	set(r.field, TransformScaled)
	set(ends.fourth(), TransformFourthKind)
	set(ends.sines(), TransformSines)
	switch {
	case !r.inverse:
		return mode, r.unit
	case ends.fourth():
		return mode, 2
	}
	return mode, 1
}

// run launches the transforms of rows along the axis.
func (g *gpuOperations) run(a *gpuAxis, r rows) {
	if !g.on.Ready() || r.rows == 0 || r.planes == 0 {
		return
	}
	switch {
	case a.of.graded():
		g.multiply(a, r)
		return
	case a.long:
		g.runLong(a, r)
		return
	}
	mode, scale := r.mode(a.of.ends)
	grid := [3]uint32{cuda.Blocks((r.rows+1)/2, a.together) * uint32(r.planes), 1, 1}
	shared := uint32(a.sharedBytes())
	if a.fixed == 0 {
		cuda.LaunchShared(g.on.Space, &g.transform.Listed, grid, shared, TransformListedArgs{
			In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n),
			Rows: int32(r.rows), Mode: mode, Scale: scale, Turns: a.turns, Halves: a.halves, Chirp: a.chirps,
			Filter: a.filters, Roots: a.rootsOnDevice, Places: a.placesOnDevice, Length: int32(a.m),
			Threads: int32(a.threads), Together: int32(a.together), Count: int32(len(a.radices)),
			Radices: a.radicesOnDevice,
		})
		return
	}
	cuda.LaunchShared(g.on.Space, g.fixed(a.fixed), grid, shared, TransformLengthArgs{
		In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n), Rows: int32(r.rows),
		Mode: mode, Scale: scale,
		Turns: a.turns, Halves: a.halves, Chirp: a.chirps, Filter: a.filters, Roots: a.rootsOnDevice,
	})
}

// multiply launches the transforms of rows along a graded axis.
func (g *gpuOperations) multiply(a *gpuAxis, r rows) {
	mode, _ := r.mode(Adiabatic)
	patches := cuda.Blocks(a.n, TransformPatch) * cuda.Blocks(r.rows, TransformPatch)
	cuda.Launch(g.on.Space, &g.transform.Multiply, [3]uint32{patches * uint32(r.planes), 1, 1}, TransformMultiplyArgs{
		In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n), Rows: int32(r.rows),
		Mode: mode, Vectors: a.vectors, Widths: a.widths,
	})
}

// fixed is the kernel that is compiled for a length.
func (g *gpuOperations) fixed(length int) *launch.DynamicKernel[TransformLengthArgs] {
	switch k := g.transform; length {
	case 256:
		return &k.Length256
	case 512:
		return &k.Length512
	case 1000:
		return &k.Length1000
	case 1024:
		return &k.Length1024
	case 2048:
		return &k.Length2048
	case 4096:
		return &k.Length4096
	default:
		return &k.Length10000
	}
}

// gpuPlan says how the kernels transform rows of n values: by radices whose product is m, the first with stride 1. m is
// n, or for lengths with large prime factors at least 2n-1, the length of Bluestein's convolution.
type gpuPlan struct {
	n, m    int
	radices []int
	fixed   int // length that a kernel is compiled for, 0 where the listed one serves
	// long says that a pair of rows does not fit into shared memory: it is transformed in global memory.
	long bool
	// threads of a block work on a pair of rows, together pairs share a block.
	threads, together int
}

// compiled are the plans of kernels for one length; see transform.cu.
var compiled = []gpuPlan{
	{m: 256, radices: []int{16, 16}, threads: 16, together: 8},
	{m: 512, radices: []int{8, 8, 8}, threads: 64, together: 4},
	{m: 1000, radices: []int{10, 10, 10}, threads: 100, together: 2},
	{m: 1024, radices: []int{16, 8, 8}, threads: 64, together: 4},
	{m: 2048, radices: []int{8, 16, 16}, threads: 128, together: 2},
	{m: 4096, radices: []int{16, 16, 16}, threads: 256, together: 1},
	{m: 10000, radices: []int{10, 10, 10, 10}, threads: 512, together: 1},
}

const (
	convolvesFrom, convolvesTo = 1024, 4096 // compiled plans of these lengths take convolutions
	// how much longer a compiled convolution may be than needed: the listed kernel is as much slower
	longerPays     = 1.5
	bytesOfComplex = 16
)

// planFor is the plan for rows of n values in blocks with shared bytes of memory.
func planFor(n, shared int) gpuPlan {
	if p, ok := compiledFor(n); ok && p.sharedBytes() <= shared {
		return p
	}
	p := listedFor(n)
	p.long = p.sharedBytes() > shared
	return p
}

// compiledFor is the compiled plan that suits rows of n values, if any does.
func compiledFor(n int) (p gpuPlan, ok bool) {
	for _, c := range compiled {
		if c.m == n {
			c.n, c.fixed = n, n
			return c, true
		}
	}
	if factorise(n) != nil {
		return p, false
	}
	least := 2*n - 1
	for _, c := range compiled {
		if c.m >= max(least, convolvesFrom) && c.m <= convolvesTo && float64(c.m) <= longerPays*float64(least) {
			c.n, c.fixed = n, c.m
			return c, true
		}
	}
	return p, false
}

// listedFor is the plan of the kernel that takes its radices as arguments.
func listedFor(n int) (p gpuPlan) {
	if radices := factorise(n); radices != nil {
		return listedPlan(n, n, radices)
	}
	least := 2*n - 1
	for m := least; m <= least+least/8+16; m++ {
		if radices := factorise(m); radices != nil && (p.radices == nil || m*len(radices) < p.m*len(p.radices)) {
			p = listedPlan(n, m, radices)
		}
	}
	return p
}

// listedPlan gives each thread about eight values.
func listedPlan(n, m int, radices []int) gpuPlan {
	threads := min(max(1<<bits.Len(uint(m-1)/8), 32), TransformListed)
	return gpuPlan{n: n, m: m, radices: radices, threads: threads, together: TransformListed / threads}
}

// factorise gives radices of the listed kernel whose product is m, nil where there are none. 1 has none and needs none.
func factorise(m int) []int {
	radices := []int{}
	for _, r := range []int{16, 13, 11, 9, 7, 5, 8, 4, 3, 2} {
		for m%r == 0 {
			radices = append(radices, r)
			m /= r
		}
	}
	if m > 1 {
		return nil
	}
	// 8 times 4 is quicker than 16 times 2.
	if n := len(radices); n > 1 && radices[n-1] == 2 && slices.Contains(radices, 16) {
		radices[slices.Index(radices, 16)] = 8
		radices[n-1] = 4
	}
	return radices
}

func (p *gpuPlan) convolves() bool { return p.m != p.n }

// pad is where value i stands in shared memory: values a stride apart shall not share a bank.
func (p *gpuPlan) pad(i int) int {
	if p.fixed == 0 {
		return i + i/16
	}
	at, stride := i, 1
	for _, r := range p.radices {
		stride *= r
		if stride < p.m && stride&(stride-1) == 0 {
			at += i / stride
		}
	}
	return at
}

// sharedBytes of a block.
func (p *gpuPlan) sharedBytes() int { return p.together * (p.pad(p.m-1) + 1) * bytesOfComplex }

// places gives where value i of the input of a decimation in time stands: its digits reversed.
func (p *gpuPlan) places() []int32 {
	places := make([]int32, p.m)
	for i := range places {
		rest, stride, at := i, p.m, 0
		for _, r := range slices.Backward(p.radices) {
			stride /= r
			at += rest % r * stride
			rest /= r
		}
		places[i] = int32(at)
	}
	return places
}

// root is exp(-2 pi i k / n), from the angle of the first octant that has the same sine and cosine.
func root(k, n int) complex128 {
	k = ((k % n) + n) % n
	quarter := 4 * k / n
	sin, cos := math.Sincos(2 * math.Pi * (float64(k) - float64(quarter)*float64(n)/4) / float64(n))
	return [...]complex128{complex(cos, -sin), complex(-sin, -cos), complex(-cos, sin), complex(sin, cos)}[quarter]
}

// roots of the stages, one behind the other: exp(-2 pi i j / (radix stride)) for j < stride.
func (p *gpuPlan) roots() []complex128 {
	var all []complex128
	stride := 1
	for _, r := range p.radices {
		for j := range stride {
			all = append(all, root(j, r*stride))
		}
		stride *= r
	}
	return all
}

// transform is what the kernels do to a row of m values in places, in place: decimation in time.
func (p *gpuPlan) transform(v []complex128) {
	all := make([]complex128, p.m)
	for k := range all {
		all[k] = root(k, p.m)
	}
	stride := 1
	for _, r := range p.radices {
		in, turns := make([]complex128, r), make([]complex128, r*r)
		for i := range turns {
			turns[i] = all[i/r*(i%r)%r*(p.m/r)]
		}
		step := p.m / (r * stride)
		for first := 0; first < p.m; first += r * stride {
			for j := range stride {
				for q := range r {
					in[q] = v[first+j+q*stride] * all[q*j*step]
				}
				for k := range r {
					sum := complex128(0)
					for q, t := range turns[k*r : (k+1)*r] {
						sum += in[q] * t
					}
					v[first+j+k*stride] = sum
				}
			}
		}
		stride *= r
	}
}

// chirp is exp(-pi i j^2 / n).
func (p *gpuPlan) chirp() []complex128 {
	w := make([]complex128, p.n)
	for j := range w {
		w[j] = root(int(int64(j)*int64(j)%int64(2*p.n)), 2*p.n)
	}
	return w
}

// filter is the transform of the conjugate chirp, over m, in the order in which the kernels meet it.
func (p *gpuPlan) filter(chirp []complex128) []complex128 {
	places := p.places()
	v := make([]complex128, p.m)
	for j, w := range chirp {
		v[j] = cmplx.Conj(w)
		v[(p.m-j)%p.m] = cmplx.Conj(w)
	}
	if quick, ok := fft.Stockham(p.m); ok {
		quick.Transform(v)
	} else {
		reversed := make([]complex128, p.m)
		for j, w := range v {
			reversed[places[j]] = w
		}
		p.transform(reversed)
		v = reversed
	}
	filter := make([]complex128, p.m)
	for k, x := range v {
		at := int(places[k])
		if p.fixed > 0 { // value r of butterfly b stands at r m/R + b
			r := p.radices[0]
			at = at%r*(p.m/r) + at/r
		}
		filter[at] = x / complex(float64(p.m), 0)
	}
	return filter
}

// roomBytes is what a block takes to transform a pair of long rows; 0 for rows that fit into shared memory.
func (p *gpuPlan) roomBytes() int64 {
	if !p.long {
		return 0
	}
	return int64(p.pad(p.m-1)+1) * bytesOfComplex
}

// takeRooms has room for a block on every multiprocessor.
func (g *gpuOperations) takeRooms() {
	if bytes := max(g.x.roomBytes(), g.y.roomBytes()); bytes > 0 {
		g.rooms = cuda.AllocRaw[float64](g.on.Space, int64(g.on.Multiprocessors)*bytes/8)
	}
}

// runLong launches transforms of rows that do not fit into shared memory. The stages are those of rows that do, in
// global memory, which the cache holds in part: a stage moves 16 B per value of a row.
func (g *gpuOperations) runLong(a *gpuAxis, r rows) {
	mode, scale := r.mode(a.of.ends)
	count := (r.rows + 1) / 2 * r.planes
	cuda.Launch(g.on.Space, &g.transform.Longer, [3]uint32{uint32(min(count, g.on.Multiprocessors)), 1, 1},
		TransformLongerArgs{
			In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n),
			Rows: int32(r.rows), Mode: mode, Scale: scale, Turns: a.turns, Halves: a.halves, Chirp: a.chirps,
			Filter: a.filters, Roots: a.rootsOnDevice, Places: a.placesOnDevice, Length: int32(a.m),
			Stages: int32(len(a.radices)), Radices: a.radicesOnDevice, Rooms: g.rooms, Count: int32(count),
		})
}
