package tcp

import (
	"errors"
	"time"
)

// beats is the time between signs of life where nothing else is sent.
const beats = time.Second

var errSilent = errors.New("silent")

// beat sends signs of life to a peer, from a goroutine of its own: a rank that computes long is not dead.
func (g *group) beat(p *peer) {
	tick := time.NewTicker(beats)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-p.ended:
			return
		case <-tick.C:
		}
		if time.Duration(p.now()-p.last.Load()) < beats/2 || !p.writing.TryLock() {
			continue // something was sent just now, or is being sent
		}
		err := p.write(beat, nil)
		p.writing.Unlock()
		if err != nil {
			g.lose(p, err)
			return
		}
	}
}

// watch looks for peers from which nothing comes. Where this rank itself stood still, as when the whole job was
// suspended, the others get their time again.
func (g *group) watch() {
	const interval = beats / 2
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for before := time.Now(); ; before = time.Now() {
		select {
		case <-g.done:
			return
		case <-tick.C:
		}
		stood := time.Since(before) > 4*interval
		for _, p := range g.others() {
			select {
			case <-p.ended:
				continue
			default:
			}
			if stood {
				p.heard.Store(p.now())
			}
			if time.Duration(p.now()-p.heard.Load()) > Silence {
				g.lose(p, errSilent)
				p.conn.Close() // what is being written to it will never end
			}
		}
	}
}
