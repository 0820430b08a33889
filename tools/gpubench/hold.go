package main

import (
	"flag"
	"fmt"
	"runtime"
	"time"

	"thermsim/gpusolve/cuda/cudriver"
)

// hold occupies the memory of a GPU for some time.
func hold(*output) func() error {
	leave := flag.Float64("leave", 1e9, "bytes to leave free")
	last := flag.Duration("for", 30*time.Second, "how long")
	return func() error { return holdMemory(int64(*leave), *last) }
}

// holdMemory allocates memory in pieces until the given number of bytes is free, prints this, and waits. The driver
// frees the memory when the process ends.
func holdMemory(leave int64, last time.Duration) error {
	runtime.LockOSThread() // on which the context is current
	d, err := cudriver.Open()
	if err != nil {
		return err
	}
	if err := d.Init(); err != nil {
		return err
	}
	dev, err := d.DeviceGet(0)
	if err != nil {
		return err
	}
	if _, err := d.DevicePrimaryCtxRetain(dev); err != nil {
		return err
	}
	for piece := int64(16 << 30); piece >= 2<<20; {
		free, _, err := d.MemGetInfo()
		if err != nil {
			return err
		}
		if free-piece < leave {
			piece /= 2
			continue
		}
		if _, err := d.MemAlloc(piece); err != nil {
			piece /= 2
		}
	}
	free, total, err := d.MemGetInfo()
	if err != nil {
		return err
	}
	fmt.Printf("%.2f GB of %.2f GB are free\n", float64(free)/1e9, float64(total)/1e9)
	time.Sleep(last)
	return nil
}
