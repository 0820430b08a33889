package ptx

type shadow struct{}
type warpClock struct{}
type blockClock struct{}
type history struct{}

func (r *launch) startClocks(b *block)                                 {}
func (b *block) passBarrier()                                          {}
func (w *warp) syncLanes(m uint32)                                     {}
func (w *warp) onFence(m uint32, blockly bool)                         {}
func (w *warp) onRead(a *access, p *page, off uint64, lane int) bool   { return true }
func (w *warp) onWrite(a *access, p *page, off uint64, lane int) bool  { return true }
func (w *warp) onAtomic(a *access, p *page, off uint64, lane int) bool { return true }
