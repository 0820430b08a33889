package tcp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"thermsim/gpusolve/ranks"
)

// latecomers are told of a failure for so long.
const latecomers = 3 * time.Second

// absent names the ranks that did not come.
func (r *reception) absent() *ranks.Failure {
	r.tired = true
	var list []string
	first := -1
	for rank := 1; rank < r.Ranks; rank++ {
		switch {
		case r.ranked[rank] != nil:
		case first < 0:
			first = rank
		default:
			list = append(list, strconv.Itoa(rank))
		}
	}
	f := &ranks.Failure{Rank: first, Status: 1, Lost: true,
		Reason: fmt.Sprintf("did not appear at %s within %v", r.Rendezvous, r.Wait)}
	switch len(list) {
	case 0:
	case 1:
		f.Reason += ", nor did rank " + list[0]
	default:
		f.Reason += ", nor did ranks " + strings.Join(list, ", ")
	}
	return f
}

// tellAll tells the ranks that there will be no group: those that are here, and for a while those that come late, which
// would wait in vain.
func (r *reception) tellAll(f *ranks.Failure) {
	for _, v := range r.visitors {
		v.dismiss(f)
		defer v.conn.Close()
	}
	patience := latecomers
	late := r.Ranks - 1 - len(r.visitors)
	if r.tired {
		patience, late = farewell, 0
	}
	over := time.After(patience)
	for late > 0 || r.listening() {
		select {
		case e := <-r.events:
			if e.from.over = e.ready != nil || e.err != nil; e.from.over {
				continue
			}
			late--
			r.visitors = append(r.visitors, e.from)
			e.from.dismiss(f)
			defer e.from.conn.Close()
		case <-over:
			return
		}
	}
}

// dismiss tells a visitor why there will be no group. It reads the end after that, and leaves.
func (v *visitor) dismiss(f *ranks.Failure) {
	_ = v.conn.SetWriteDeadline(time.Now().Add(farewell))
	_ = say(v.conn, ready{f}) // it is told if it still listens
	if half, ok := v.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// listening says whether any of the visitors has not left yet.
func (r *reception) listening() bool {
	return slices.ContainsFunc(r.visitors, func(v *visitor) bool { return !v.over })
}

func gonePeer(v *visitor, err error) *ranks.Failure {
	return &ranks.Failure{Rank: v.hello.Rank, Host: v.hello.Host, Reason: "is gone: " + lossText(err), Status: 1,
		Lost: true}
}
