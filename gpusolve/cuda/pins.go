package cuda

import (
	"runtime"
	"sync"
)

// pins hold the Go memory that the driver was given for copies in the order of a stream, so that it neither moves nor
// goes before they are done. Pinned memory of the driver is not Go's, and is left alone.
type pins struct{ runtime.Pinner }

// lost are the pins of devices that have failed, which may write even then.
var lost struct {
	sync.Mutex
	pins []*runtime.Pinner
}

// abandon keeps everything pinned for the rest of the process.
func (p *pins) abandon() {
	held := p.Pinner
	p.Pinner = runtime.Pinner{}
	lost.Lock()
	lost.pins = append(lost.pins, &held)
	lost.Unlock()
}
