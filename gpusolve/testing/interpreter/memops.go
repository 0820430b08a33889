package interpreter

import (
	"math/bits"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter/asm"
)

// accessMods reads the modifiers that ld and st share.
func (c *compiler) accessMods(mods string) (a *access, typ string, err error) {
	a = &access{addr: -1, index: c.accesses}
	c.accesses++
	elements := uint64(1)
	for _, m := range strings.Split(mods, ".") {
		switch m {
		case "global":
			a.space = asm.Global
		case "shared":
			a.space = asm.Shared
		case "local":
			a.space = asm.Local
		case "const":
			a.space = asm.Const
		case "param":
			a.space = asm.ParamSpace
		case "volatile", "relaxed":
			a.strong = true
		case "acquire":
			a.strong, a.acquire = true, true
		case "release":
			a.strong, a.release = true, true
		case "acq_rel":
			a.strong, a.acquire, a.release = true, true, true
		case "gpu", "sys":
		case "cta":
			a.blockly = true
		case "nc":
			a.readOnly = true
		case "ca", "cg", "cs", "lu", "cv", "wb", "wt": // hints for the caches
		case "v2":
			elements = 2
		case "v4":
			elements = 4
		case "weak":
		default:
			if asm.TypeSize(m) == 0 || m == "f16x2" || typ != "" {
				return nil, "", c.unknown()
			}
			typ = m
			continue
		}
		if typ != "" { // the type comes last
			return nil, "", c.unknown()
		}
	}
	if typ == "" || a.readOnly && a.space != asm.Global {
		return nil, "", c.unknown()
	}
	a.size = uint64(asm.TypeSize(typ))
	a.width = a.size * elements
	a.signed = typ[0] == 's'
	if a.width > 16 {
		return nil, "", c.unknown()
	}
	return a, typ, nil
}

// addressOf reads [reg+off] or [symbol+off].
func (c *compiler) addressOf(a *access, o asm.Operand) error {
	if o.Kind != asm.AddressOperand {
		return c.errorf("expected an address in brackets")
	}
	a.offset = uint64(o.Offset)
	switch {
	case o.Index >= 0:
		a.addr = c.slots[o.Index]
	case o.Variable != nil || o.Param != nil:
		at, err := c.address(o)
		if err != nil {
			return err
		}
		a.offset = at
		if o.Variable != nil && a.space == asm.Generic {
			switch o.Variable.Space {
			case asm.Shared:
				a.offset += sharedWindow
			case asm.Local:
				a.offset += localWindow
			}
		}
	}
	return nil
}

func compileLoad(c *compiler, out *instr, mods string) error {
	a, _, err := c.accessMods(mods)
	if err != nil {
		return err
	}
	if err := c.args(2); err != nil {
		return err
	}
	if a.release {
		return c.unknown()
	}
	if err := c.addressOf(a, c.in.Args[1]); err != nil {
		return err
	}
	parts := elements(c.in.Args[0])
	if uint64(len(parts))*a.size != a.width {
		return c.errorf("takes %d registers", a.width/a.size)
	}
	for _, o := range parts {
		d, width, err := c.destination(o)
		if err != nil {
			return err
		}
		a.regs = append(a.regs, d)
		a.regBits = width
	}
	if a.space == asm.ParamSpace {
		out.step = a.loadParam
	} else {
		out.step = a.load
	}
	return nil
}

func compileStore(c *compiler, out *instr, mods string) error {
	a, _, err := c.accessMods(mods)
	if err != nil {
		return err
	}
	if err := c.args(2); err != nil {
		return err
	}
	if a.acquire || a.readOnly || a.space == asm.Const || a.space == asm.ParamSpace {
		return c.unknown()
	}
	if err := c.addressOf(a, c.in.Args[0]); err != nil {
		return err
	}
	if a.regs, err = c.sources(elements(c.in.Args[1])); err != nil {
		return err
	}
	if uint64(len(a.regs))*a.size != a.width {
		return c.errorf("takes %d registers", a.width/a.size)
	}
	out.step = a.store
	return nil
}

func (a *access) loadParam(w *warp, m uint32) {
	for m != 0 {
		l := bits.TrailingZeros32(m) & 31
		addr, lanes := a.offset, m // without a register all lanes read the same
		if a.addr >= 0 {
			addr, lanes = addr+w.r[a.addr][l], 1<<l
		}
		if addr%a.width != 0 || addr+a.width > uint64(len(w.run.params)) || addr+a.width < addr {
			w.raise(cudriver.IllegalAddress, l, "read of %d bytes at offset %d of %d bytes of parameters", a.width,
				addr, len(w.run.params))
			return
		}
		for i, r := range a.regs {
			v := a.widen(getUint(w.run.params[addr+uint64(i)*a.size:], a.size))
			for k := lanes; k != 0; k &= k - 1 {
				w.r[r][bits.TrailingZeros32(k)&31] = v
			}
		}
		m &^= lanes
	}
}

// widen extends a signed element to its register's width.
func (a *access) widen(v uint64) uint64 {
	if a.signed {
		return extend(extend(v, int(8*a.size), true), a.regBits, false)
	}
	return v
}

func (a *access) load(w *warp, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		addr := a.offset
		if a.addr >= 0 {
			addr += w.r[a.addr][l]
		}
		p, off := a.locate(w, l, addr)
		if p == nil {
			return
		}
		if p.missing != 0 && !p.written(off, a.width) {
			w.raise(cudriver.LaunchFailed, l, "read of memory nothing wrote: %d bytes at %s", a.width,
				w.describe(p, off))
			return
		}
		if w.run.races && !w.onRead(a, p, off, l) {
			return
		}
		if a.width == 4 && !a.signed {
			w.r[a.regs[0]][l] = uint64(le.Uint32(p.data[off:]))
			continue
		}
		for i, r := range a.regs {
			w.r[r][l] = a.widen(getUint(p.data[off+uint64(i)*a.size:], a.size))
		}
	}
}

func (a *access) store(w *warp, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		addr := a.offset
		if a.addr >= 0 {
			addr += w.r[a.addr][l]
		}
		p, off := a.locate(w, l, addr)
		if p == nil {
			return
		}
		if p.owner != nil && p.owner.readOnly {
			w.raise(cudriver.IllegalAddress, l, "write to constant memory: %s", w.describe(p, off))
			return
		}
		if w.run.races && !w.onWrite(a, p, off, l) {
			return
		}
		for i, r := range a.regs {
			w.put(p, off+uint64(i)*a.size, a.size, w.r[r][l])
		}
	}
}

// put writes an element and notes whether that changed anything, which distinguishes progress from waiting.
func (w *warp) put(p *page, off, size, v uint64) {
	if p.missing != 0 {
		p.markWritten(off, size)
		w.run.progress()
	} else if getUint(p.data[off:], size) != extend(v, int(8*size), false) {
		w.run.progress()
	}
	putUint(p.data[off:], size, v)
}

// locate finds the page of an address and the offset there, or raises a fault and returns nil.
func (a *access) locate(w *warp, lane int, addr uint64) (*page, uint64) {
	switch a.space {
	case asm.Global, asm.Const:
		p := w.run.kernel.pages[a.index]
		off := addr - p.base
		if off < p.size && off+a.width <= p.size && addr&(a.width-1) == 0 {
			return p, off
		}
		return a.locateGlobal(w, lane, addr)
	case asm.Shared:
		return a.locateShared(w, lane, addr)
	case asm.Local:
		return a.locateLocal(w, lane, addr)
	}
	switch addr >> windowBits {
	case sharedWindow >> windowBits:
		return a.locateShared(w, lane, addr-sharedWindow)
	case localWindow >> windowBits:
		return a.locateLocal(w, lane, addr-localWindow)
	}
	return a.locateGlobal(w, lane, addr)
}

func (a *access) locateGlobal(w *warp, lane int, addr uint64) (*page, uint64) {
	owner, problem := w.run.machine.memory.check(addr, a.width)
	if problem != "" {
		w.raise(cudriver.IllegalAddress, lane, "access of %d bytes at %#x: %s", a.width, addr, problem)
		return nil, 0
	}
	if addr&(a.width-1) != 0 {
		w.raise(cudriver.MisalignedAddress, lane, "misaligned access of %d bytes at %#x: byte offset %d of %s", a.width,
			addr, addr-owner.base, owner)
		return nil, 0
	}
	p := owner.page(addr - owner.base)
	w.run.kernel.pages[a.index] = p
	return p, addr - p.base
}

func (a *access) locateShared(w *warp, lane int, addr uint64) (*page, uint64) {
	p := w.block.shared
	if addr+a.width > p.size || addr+a.width < addr {
		w.raise(cudriver.IllegalAddress, lane, "access of %d bytes out of bounds: offset %d of %d bytes of "+
			"shared memory", a.width, int64(addr), p.size)
		return nil, 0
	}
	if addr&(a.width-1) != 0 {
		w.raise(cudriver.MisalignedAddress, lane, "misaligned access of %d bytes at offset %d of shared memory",
			a.width, addr)
		return nil, 0
	}
	return p, addr
}

func (a *access) locateLocal(w *warp, lane int, addr uint64) (*page, uint64) {
	size := w.run.kernel.localBytes
	stride := (size + 15) &^ 15
	if addr+a.width > size || addr+a.width < addr {
		w.raise(cudriver.IllegalAddress, lane, "access of %d bytes out of bounds: offset %d of %d bytes of "+
			"local memory", a.width, int64(addr), size)
		return nil, 0
	}
	if addr&(a.width-1) != 0 {
		w.raise(cudriver.MisalignedAddress, lane, "misaligned access of %d bytes at offset %d of local memory", a.width,
			addr)
		return nil, 0
	}
	if w.local == nil {
		w.local = newPage(0, warpSize*stride, nil)
	}
	return w.local, uint64(lane)*stride + addr
}
