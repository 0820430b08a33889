package interpreter

import (
	"fmt"
	"sort"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// Every allocation has another window of addresses, 2^40 bytes wide, with its first byte in the middle of the window.
// An offset that is wrong by less than half a terabyte is attributed to the right allocation, and offsets past 2^32
// need no real memory. Windows are not used twice.
const (
	windowBits   = 40
	windowOffset = 1 << (windowBits - 1)
	pageBits     = 14
	pageSize     = 1 << pageBits
	maxAlloc     = windowOffset

	// Windows of the generic address space for memory that is not global.
	sharedWindow = 0x00fe_0000_0000_0000
	localWindow  = 0x00ff_0000_0000_0000
)

// page is a piece of memory with a record of which of its bytes have been written.
type page struct {
	base    uint64 // address of the first byte
	size    uint64 // 0 once the allocation is freed
	data    []byte
	valid   []byte // a bit per byte: written
	missing int    // bytes not written yet
	owner   *allocation
	races   *shadow // nil until the first access that is looked at
}

func newPage(base, size uint64, owner *allocation) *page {
	return &page{base: base, size: size, data: make([]byte, size), valid: make([]byte, (size+7)/8), missing: int(size),
		owner: owner}
}

// written reports whether n bytes (1, 2, 4, 8 or 16, aligned) at off have been written.
func (p *page) written(off, n uint64) bool {
	if n == 16 {
		return p.valid[off>>3] == 0xff && p.valid[off>>3+1] == 0xff
	}
	mask := byte(1<<n - 1)
	return p.valid[off>>3]>>(off&7)&mask == mask
}

// markWritten records that n bytes (1, 2, 4 or 8, aligned) at off have been written.
func (p *page) markWritten(off, n uint64) {
	b := &p.valid[off>>3]
	mask := byte(1<<n-1) << (off & 7)
	for fresh := mask &^ *b; fresh != 0; fresh &= fresh - 1 {
		p.missing--
	}
	*b |= mask
}

func (p *page) markRange(off, n uint64) {
	for i := off; i < off+n && p.missing > 0; i++ {
		p.markWritten(i, 1)
	}
}

// forget makes the page's bytes unwritten again.
func (p *page) forget() {
	clear(p.valid)
	p.missing = int(p.size)
}

// allocation is a piece of global or constant memory.
type allocation struct {
	base, size uint64
	name       string // of a variable, else empty
	serial     int    // the number of the MemAlloc, from 1
	readOnly   bool
	freed      bool
	pages      map[uint64]*page
}

func (a *allocation) String() string {
	what := fmt.Sprintf("allocation %d", a.serial)
	if a.name != "" {
		what = "variable " + a.name
	}
	return fmt.Sprintf("%s (%d bytes at %#x)", what, a.size, a.base)
}

func (a *allocation) page(off uint64) *page {
	k := off >> pageBits
	p := a.pages[k]
	if p == nil {
		first := k << pageBits
		p = newPage(a.base+first, min(pageSize, a.size-first), a)
		a.pages[k] = p
	}
	return p
}

// memory is the device's global memory.
type memory struct {
	total, used int64
	windows     []*allocation // by window number, from 1
	count, live int           // allocations ever, and now; variables apart
}

func (m *memory) allocate(size int64, name string) *allocation {
	if name == "" {
		m.count++
	}
	base := uint64(len(m.windows)+1)<<windowBits + windowOffset
	a := &allocation{base: base, size: uint64(size), name: name, serial: m.count, pages: map[uint64]*page{}}
	m.windows = append(m.windows, a)
	return a
}

func (m *memory) find(addr uint64) *allocation {
	if k := addr >> windowBits; k >= 1 && k <= uint64(len(m.windows)) {
		return m.windows[k-1]
	}
	return nil
}

// check says why n bytes at addr cannot be accessed; a is the allocation they are in.
func (m *memory) check(addr, n uint64) (a *allocation, problem string) {
	a = m.find(addr)
	switch {
	case a == nil:
		return nil, "address belongs to no allocation"
	case a.freed:
		return a, fmt.Sprintf("use after free of %s", a)
	case addr < a.base:
		return a, fmt.Sprintf("out of bounds: %d bytes before %s", a.base-addr, a)
	case n > a.size || addr-a.base > a.size-n:
		return a, fmt.Sprintf("out of bounds: byte offset %d of %s", addr-a.base, a)
	}
	return a, ""
}

func (a *allocation) free() {
	a.freed = true
	for _, p := range a.pages {
		p.size = 0
	}
	a.pages = nil
}

// forPages calls f for the pieces of n bytes at off, page by page: the offset in the page, and the offset from off.
func (a *allocation) forPages(off, n uint64, f func(p *page, at, done, count uint64)) {
	for done := uint64(0); done < n; {
		p := a.page(off + done)
		at := (off + done) & (pageSize - 1)
		count := min(n-done, p.size-at)
		f(p, at, done, count)
		done += count
	}
}

func (a *allocation) write(off uint64, src []byte) {
	a.forPages(off, uint64(len(src)), func(p *page, at, done, count uint64) {
		copy(p.data[at:at+count], src[done:])
		p.markRange(at, count)
	})
}

// read copies bytes out and returns the offset of the first that nothing has written, or -1.
func (a *allocation) read(off uint64, dst []byte) int64 {
	bad := int64(-1)
	a.forPages(off, uint64(len(dst)), func(p *page, at, done, count uint64) {
		copy(dst[done:], p.data[at:at+count])
		if p.missing == 0 || bad >= 0 {
			return
		}
		for i := at; i < at+count; i++ {
			if !p.written(i, 1) {
				bad = int64(off + done + i - at)
				return
			}
		}
	})
	return bad
}

// fill writes count words, touching only pages that exist or must come to exist.
func (a *allocation) fill(off uint64, value uint32, count uint64) {
	a.forPages(off, 4*count, func(p *page, at, _, n uint64) {
		for i := at; i < at+n; i += 4 {
			putUint(p.data[i:], 4, uint64(value))
		}
		p.markRange(at, n)
	})
}

// copyFrom copies bytes between allocations; bytes nothing has written stay so. The ranges may not overlap.
func (a *allocation) copyFrom(off uint64, src *allocation, from, n uint64) {
	a.forPages(off, n, func(p *page, at, done, count uint64) {
		buf := make([]byte, count)
		unwritten := src.read(from+done, buf) >= 0
		copy(p.data[at:at+count], buf)
		if !unwritten {
			p.markRange(at, count)
			return
		}
		for i := range count {
			q := src.page(from + done + i)
			if q.written((from+done+i)&(pageSize-1), 1) {
				p.markWritten(at+i, 1)
			} else if p.written(at+i, 1) {
				p.valid[(at+i)>>3] &^= 1 << ((at + i) & 7)
				p.missing++
			}
		}
	})
}

// layout gives offsets to variables and returns the total size.
func layout(vars []*asm.Variable, from int64, at map[*asm.Variable]uint64) int64 {
	sorted := append([]*asm.Variable(nil), vars...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Align > sorted[j].Align })
	for _, v := range sorted {
		from = (from + v.Align - 1) / v.Align * v.Align
		at[v] = uint64(from)
		from += v.Size
	}
	return from
}

func getUint(b []byte, n uint64) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(le.Uint16(b))
	case 4:
		return uint64(le.Uint32(b))
	}
	return le.Uint64(b)
}

func putUint(b []byte, n, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		le.PutUint16(b, uint16(v))
	case 4:
		le.PutUint32(b, uint32(v))
	default:
		le.PutUint64(b, v)
	}
}

// noPage is what an access remembers before its first.
var noPage = &page{}
