package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"thermsim/gpusolve"
)

// describe names what is measured, and takes the copy bandwidth of a GPU.
func (r *result) describe(device string) error {
	if device == "cpu" {
		r.CPU, r.Cores = gpusolve.ProcessorName(), runtime.GOMAXPROCS(0)
		return nil
	}
	ordinal := 0
	if number, found := strings.CutPrefix(device, "gpu:"); found {
		var err error
		if ordinal, err = strconv.Atoi(number); err != nil {
			return fmt.Errorf("device %q: write gpu, gpu:N or cpu", device)
		}
	}
	gpus, err := gpusolve.Devices()
	if err != nil {
		return err
	}
	if ordinal < 0 || ordinal >= len(gpus) {
		return fmt.Errorf("there is no GPU %d: the driver lists %d, counted from 0", ordinal, len(gpus))
	}
	r.GPU, r.Driver = gpus[ordinal].Name, "CUDA "+gpus[ordinal].CUDA
	if release := gpus[ordinal].Driver; release != "" {
		r.Driver = release + ", " + r.Driver
	}
	d, err := gpusolve.OpenDevice(fmt.Sprintf("gpu:%d", ordinal))
	if err != nil {
		return err
	}
	rate, err := d.CopyBandwidth()
	r.Copy = rate / 1e12
	return errors.Join(err, d.Release())
}

// heading names what was measured.
func (r *result) heading() string {
	if r.GPU == "" {
		return fmt.Sprintf("%s, %d cores", r.CPU, r.Cores)
	}
	return fmt.Sprintf("%s, driver %s", r.GPU, r.Driver)
}

// commit is the version that the program was built from; "" where Go did not record it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with changes"
			}
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}
