// Command gpuhold takes the memory of a GPU and keeps it for a while, as another program does: to see what thermsim
// says then.
//
//	gpuhold -leave 1e9 -for 30s
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"thermsim/gpusolve/cuda/cudriver"
)

func main() {
	leave := flag.Float64("leave", 1e9, "bytes that stay free")
	hold := flag.Duration("for", 30*time.Second, "how long")
	flag.Parse()
	if err := run(int64(*leave), *hold); err != nil {
		fmt.Fprintln(os.Stderr, "gpuhold:", err)
		os.Exit(1)
	}
}

// run takes memory in pieces until so much is left, says so on stdout, and waits. The driver gives it back when the
// process ends.
func run(leave int64, hold time.Duration) error {
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
	time.Sleep(hold)
	return nil
}
