package interpreter

import (
	"math/bits"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter/asm"
)

// atomic is a read-modify-write operation. atom returns the old value, red does not.
type atomic struct {
	access
	op        func(old, b, c uint64) uint64
	result    int // vector, -1 for none
	b, c      int // vectors of the arguments; c only for cas
	reduction bool
}

// compileAtomic handles atom and red [.order][.scope][.space].op.type.
func compileAtomic(c *compiler, out *instr, mods string) error {
	parts := strings.Split(mods, ".")
	if len(parts) < 2 {
		return c.unknown()
	}
	typ, name := parts[len(parts)-1], parts[len(parts)-2]
	a := &atomic{result: -1, reduction: strings.HasPrefix(c.in.Opcode, "red.")}
	shared, _, err := c.accessMods(strings.Join(append(parts[:len(parts)-2:len(parts)-2], typ), "."))
	if err != nil {
		return err
	}
	a.access = *shared
	a.strong = true
	a.signed = false
	if a.op = atomicOperation(name, typ); a.op == nil || a.width != a.size || a.readOnly {
		return c.unknown()
	}
	args := c.in.Args
	want := 3
	if a.reduction {
		want = 2
	}
	if name == "cas" {
		want++
	}
	if err := c.args(want); err != nil {
		return err
	}
	if !a.reduction {
		if a.result, _, err = c.destination(args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	if err := c.addressOf(&a.access, args[0]); err != nil {
		return err
	}
	s, err := c.sources(args[1:])
	if err != nil {
		return err
	}
	a.b, a.c = s[0], s[len(s)-1]
	if a.space != asm.Global && a.space != asm.Shared && a.space != asm.Generic {
		return c.unknown()
	}
	out.step = a.run
	return nil
}

// atomicOperation gives the new value from the old one and the arguments, or nil.
func atomicOperation(name, typ string) func(old, b, c uint64) uint64 {
	size := int(asm.TypeSize(typ)) * 8
	if size < 32 || typ == "f16x2" {
		return nil
	}
	cut := func(x uint64) uint64 { return extend(x, size, false) }
	switch name {
	case "add", "min", "max":
		if f := ops2[name+"."+typ]; f != nil && !(typ[0] == 'f' && name != "add") {
			return func(old, b, _ uint64) uint64 { return f(old, b) }
		}
	case "and", "or", "xor":
		if typ[0] != 'b' {
			return nil
		}
		return map[string]func(old, b, c uint64) uint64{
			"and": func(old, b, _ uint64) uint64 { return old & cut(b) },
			"or":  func(old, b, _ uint64) uint64 { return old | cut(b) },
			"xor": func(old, b, _ uint64) uint64 { return old ^ cut(b) },
		}[name]
	case "exch":
		if typ[0] == 'b' {
			return func(_, b, _ uint64) uint64 { return cut(b) }
		}
	case "cas":
		if typ[0] == 'b' {
			return func(old, b, c uint64) uint64 {
				if old == cut(b) {
					return cut(c)
				}
				return old
			}
		}
	case "inc":
		if typ == "u32" {
			return func(old, b, _ uint64) uint64 {
				if old >= cut(b) {
					return 0
				}
				return old + 1
			}
		}
	case "dec":
		if typ == "u32" {
			return func(old, b, _ uint64) uint64 {
				if old == 0 || old > cut(b) {
					return cut(b)
				}
				return old - 1
			}
		}
	}
	return nil
}

func (a *atomic) run(w *warp, m uint32) {
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
		if !p.written(off, a.width) {
			w.raise(cudriver.LaunchFailed, l, "atomic operation on memory nothing wrote: %d bytes at %s", a.width,
				w.describe(p, off))
			return
		}
		if w.run.races && !w.onAtomic(&a.access, p, off, l) {
			return
		}
		old := getUint(p.data[off:], a.size)
		w.put(p, off, a.size, a.op(old, w.r[a.b][l], w.r[a.c][l]))
		if a.result >= 0 {
			w.r[a.result][l] = old
		}
	}
}
