package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"

	"thermsim/cmd/thermsim/exit"
)

// crash is a program for scripts, which ends as its argument says after what main does first.
func crash() {
	exit.AbortOnCrash()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch os.Args[1] {
	case "goroutine":
		go func() { panic("a worker is gone") }()
	case "group":
		var g sync.WaitGroup
		g.Go(func() { panic("a writer is gone") })
	case "memory":
		var kept [][]byte
		for len(kept) < 1<<20 {
			kept = append(kept, make([]byte, 1<<30))
		}
	case "maps":
		runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // one writer at a time is no fault
		m := map[int]int{}
		for range 8 {
			go func() {
				for i := 0; ; i++ {
					m[i%64] = i
				}
			}()
		}
	default:
		fmt.Println("no such crash")
		return
	}
	<-ctx.Done() // for ever
}
