package cuda

import (
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/powermap"
)

// canvas is the power of layers on sheets of the device: first those that the kernel draws, then the planes that it
// adds to them, then the planes of layers whose power is a multiple of one plane, which the residual scales itself.
type canvas struct {
	outlines   []*powermap.Outline // what is on the device, by layer
	sheets     []int32             // of each layer
	drawn      int                 // sheets to draw
	footprints int
	planes     int // that are added

	// values holds what changes in time: the share of each z, then the watts of footprints, then the factors of planes.
	// It begins an allocation in which the others follow.
	values, shares           cudriver.Ptr[float64]
	first, order, planeFirst cudriver.Ptr[int32]
	list                     cudriver.Ptr[kernels.PowerFootprint]
	sent                     []float64
}

// SetPower draws the power on the device. Outlines and planes go there only when they are new.
func (s *source) SetPower(layers []powermap.Drawing) {
	if s.err != nil {
		return
	}
	c := &s.canvas
	if c.sent == nil || !slices.EqualFunc(c.outlines, layers, func(o *powermap.Outline, d powermap.Drawing) bool {
		return o == d.Outline
	}) {
		s.outline(layers)
	}
	c.sent = s.powerValues(c.sent[:0], layers)
	Send(&s.Space, c.values, c.sent)
	if c.drawn == 0 || s.err != nil {
		return
	}
	watts := c.values.Add(int64(s.nz))
	_, y := s.tiles()
	grid := s.Grid(s.nx, kernels.PowerThreads, int(y), c.drawn)
	Launch(&s.Space, &s.Device.power.Draw, grid, kernels.PowerDrawArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), First: c.first, Order: c.order, Footprints: c.list, Shares: c.shares,
		Watts:      watts,
		PlaneFirst: c.planeFirst, Planes: s.power.data.Add(int64(c.drawn) * s.sheet),
		Factors: watts.Add(int64(c.footprints)), Sheets: s.power.data,
	})
}

// tiles of a sheet along x and y.
func (s *source) tiles() (x, y uint32) {
	return Blocks(s.nx, kernels.PowerThreads), Blocks(s.ny, kernels.PowerRows)
}

// powerValues appends what changes in time: see canvas.
func (s *source) powerValues(v []float64, layers []powermap.Drawing) []float64 {
	v = append(v, make([]float64, s.nz)...)
	for n := range layers {
		factor := 1.0
		if plane, f := layers[n].Multiple(); plane != nil {
			factor = f
		}
		r := s.mesh.PowerPlanes(layers[n].Layer)
		for k := r[0]; k < r[1]; k++ {
			v[k] = factor / float64(r[1]-r[0])
		}
	}
	for n := range layers {
		v = append(v, layers[n].Watts...)
	}
	for n := range layers {
		if plane, _ := layers[n].Multiple(); plane == nil {
			v = append(v, layers[n].Factors...)
		}
	}
	return v
}

// outline sends all that does not change in time.
func (s *source) outline(layers []powermap.Drawing) {
	c := &s.canvas
	s.Wait()
	s.Discard(s.power.data, c.values)
	*c = canvas{sheets: make([]int32, len(layers))}
	var planes, multiples [][]float64
	planeFirst := []int32{0}
	var drawn []*powermap.Outline
	for n, d := range layers {
		c.outlines = append(c.outlines, d.Outline)
		c.footprints += len(d.Footprints)
		if plane, _ := d.Multiple(); plane != nil {
			c.sheets[n] = -1 - int32(len(multiples))
			multiples = append(multiples, plane)
			continue
		}
		c.sheets[n] = int32(len(drawn))
		drawn = append(drawn, d.Outline)
		planes = append(planes, d.Planes...)
		planeFirst = append(planeFirst, int32(len(planes)))
	}
	c.drawn, c.planes = len(drawn), len(planes)
	s.sendSheets(append(planes, multiples...))
	s.sendSlots()
	s.sendFootprints(drawn, planeFirst)
	s.share = c.values
}

// sendSheets reserves the sheets to draw and sends the planes that lie behind them.
func (s *source) sendSheets(planes [][]float64) {
	c := &s.canvas
	s.power.count = c.drawn + len(planes)
	s.power.data = Alloc[float64](&s.Space, int64(s.power.count)*s.sheet)
	for n, plane := range planes {
		Send(&s.Space, s.power.data.Add(int64(c.drawn+n)*s.sheet), plane)
	}
}

// sendSlots sends the sheet from which each plane of cells takes its power.
func (s *source) sendSlots() {
	c := &s.canvas
	for k := range s.power.of {
		s.power.of[k] = -1
	}
	for n, o := range c.outlines {
		sheet := c.sheets[n]
		if sheet < 0 {
			sheet = int32(c.drawn+c.planes) - 1 - sheet
		}
		r := s.mesh.PowerPlanes(o.Layer)
		for k := r[0]; k < r[1]; k++ {
			s.power.of[k] = sheet
		}
	}
	Send(&s.Space, s.power.onDev, s.power.of)
}

// sendFootprints sends the footprints of the sheets to draw, and which of them touch which tile.
func (s *source) sendFootprints(drawn []*powermap.Outline, planeFirst []int32) {
	var list []kernels.PowerFootprint
	var shares []float64
	for _, o := range drawn {
		for n := range o.Footprints {
			k := &o.Footprints[n]
			list = append(list, kernels.PowerFootprint{I: int32(k.I), J: int32(k.J), Nx: int32(len(k.X)),
				Ny: int32(len(k.Y)), At: int64(len(shares))})
			shares = append(append(shares, k.X...), k.Y...)
		}
	}
	first, order := s.binFootprints(drawn)
	c := &s.canvas
	sizes := [...]int64{BytesOf(list), BytesOf(shares), BytesOf(first), BytesOf(order), BytesOf(planeFirst)}
	total := int64(0)
	for _, n := range sizes {
		total += n
	}
	c.sent = make([]float64, 0, s.nz+c.footprints+c.planes)
	values := 8 * int64(cap(c.sent))
	memory := Alloc[byte](&s.Space, values+total)
	c.values = cudriver.At[float64](memory.Address())
	p := NewPacker(memory.Add(values), total)
	c.list, c.shares = Pack(&p, list), Pack(&p, shares)
	c.first, c.order, c.planeFirst = Pack(&p, first), Pack(&p, order), Pack(&p, planeFirst)
	Send(&s.Space, p.base, p.bytes)
}

// binFootprints lists the footprints that touch each tile, in ascending order: those of tile t are
// order[first[t]:first[t+1]]. Tiles are numbered x fastest, then y, then the sheet.
func (s *source) binFootprints(drawn []*powermap.Outline) (first, order []int32) {
	tx, ty := s.tiles()
	first = make([]int32, len(drawn)*int(tx*ty)+1)
	touched := func(f func(tile int, id int32)) {
		id := int32(0)
		for sheet, o := range drawn {
			for n := range o.Footprints {
				k := &o.Footprints[n]
				if len(k.X) > 0 && len(k.Y) > 0 {
					for y := k.J / kernels.PowerRows; y <= (k.J+len(k.Y)-1)/kernels.PowerRows; y++ {
						for x := k.I / kernels.PowerThreads; x <= (k.I+len(k.X)-1)/kernels.PowerThreads; x++ {
							f((sheet*int(ty)+y)*int(tx)+x, id)
						}
					}
				}
				id++
			}
		}
	}
	touched(func(tile int, _ int32) { first[tile+1]++ })
	for t := range len(first) - 1 {
		first[t+1] += first[t]
	}
	order = make([]int32, first[len(first)-1])
	next := slices.Clone(first)
	touched(func(tile int, id int32) {
		order[next[tile]] = id
		next[tile]++
	})
	return first, order
}
