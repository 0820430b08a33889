package cuda

import (
	"errors"

	"thermsim/gpusolve/cuda/cudriver"
)

// aside is a second stream of a device, on which rows change hands while the first one works on others.
type aside struct {
	stream     cudriver.Stream
	fork, join cudriver.Event
}

func (d *Device) openAside() (err error) {
	if d.aside.stream != 0 {
		return nil
	}
	if d.aside.stream, err = d.Driver.StreamCreate(); err != nil {
		return err
	}
	for _, e := range []*cudriver.Event{&d.aside.fork, &d.aside.join} {
		if *e, err = d.Driver.EventCreate(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Device) closeAside() error {
	var errs [3]error
	for n, e := range []cudriver.Event{d.aside.fork, d.aside.join} {
		if e != 0 {
			errs[n] = d.Driver.EventDestroy(e)
		}
	}
	if d.aside.stream != 0 {
		errs[2] = d.Driver.StreamDestroy(d.aside.stream)
	}
	d.aside = aside{}
	return errors.Join(errs[:]...)
}
