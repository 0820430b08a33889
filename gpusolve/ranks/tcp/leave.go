package tcp

import (
	"sync"
	"time"
)

// Close leaves the group: in order, where it has not failed. It waits a moment for the others to leave too, because a
// connection that is closed with unread data is reset, and takes along what was said last.
func (g *group) Close() error {
	g.mu.Lock()
	if g.left {
		g.mu.Unlock()
		return nil
	}
	g.left = true
	g.mu.Unlock()
	g.ended.Do(func() {
		close(g.done)
		var leaving sync.WaitGroup
		for _, p := range g.others() {
			leaving.Go(func() { p.dismiss(bye, nil) })
		}
		leaving.Wait()
	})
	quiet := make(chan struct{})
	go func() {
		g.running.Wait()
		close(quiet)
	}()
	select {
	case <-quiet:
	case <-time.After(farewell):
	}
	for _, p := range g.others() {
		p.conn.Close()
	}
	return nil
}
