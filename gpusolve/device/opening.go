package device

import (
	"errors"
	"sync"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/stack"
)

// Opening is a GPU that is opened while its work is prepared: Options.Ahead of the solve. Nobody has to take it; Close
// gives back what nobody took.
type Opening struct {
	ordinal int
	done    chan struct{}

	mu     sync.Mutex
	device *cuda.Device
	err    error
	gone   bool // taken or closed
}

// OpenAhead begins to open the GPU that a stack will be solved on with the options, so far as that is sure before it is
// meshed; otherwise it is nil.
func OpenAhead(s *stack.Stack, o Options, preconditioner string) *Opening {
	ordinal, sure := o.ordinal()
	if o.Executor != nil || !sure && !o.surelyGPU(s, preconditioner) {
		return nil
	}
	p := &Opening{ordinal: ordinal, done: make(chan struct{})}
	directly := methods.DirectMethod(preconditioner) && fourier.MayApply(s)
	go func() {
		defer close(p.done)
		p.device, p.err = o.openOrdinal(ordinal)
		if p.err == nil && directly {
			defer o.Timeline.Begin("GPU: kernels of the method")()
			if p.err = errors.Join(fourier.Warm(p.device), p.device.LoadStatistics()); p.err != nil {
				p.err = errors.Join(p.err, p.device.Close())
				p.device = nil
			}
		}
	}()
	return p
}

// ordinal is the GPU that the options name, and whether they name one.
func (o *Options) ordinal() (n int, named bool) {
	if o.Auto() || o.Device == "cpu" {
		return 0, false
	}
	n, err := ordinalOf(o.Device)
	return n, err == nil
}

// surelyGPU says whether "auto" will try a GPU for a stack, however it is solved.
func (o *Options) surelyGPU(s *stack.Stack, preconditioner string) bool {
	if !o.Auto() || s.Cooled() && preconditioner != "" {
		return false
	}
	planes := 0
	for i := range s.Layers {
		planes += s.Layers[i].Planes()
	}
	need := Demand{Direct: methods.DirectMethod(preconditioner) && fourier.MayApply(s)}
	return float64(s.Grid.X.Cells)*float64(s.Grid.Y.Cells)*float64(planes)*float64(need.perCell()) >= float64(
		gpuOpening)
}

// take waits for the GPU of an ordinal. ok is false where it is not that one, or is gone.
func (p *Opening) take(ordinal int) (d *cuda.Device, ok bool, err error) {
	if p == nil || p.ordinal != ordinal {
		return nil, false, nil
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, false, nil
	}
	p.gone = true
	return p.device, true, p.err
}

// Close waits for the GPU and gives it back where nobody took it.
func (p *Opening) Close() {
	if p == nil {
		return
	}
	if d, _, _ := p.take(p.ordinal); d != nil {
		_ = d.Close() // nothing was done there
	}
}
