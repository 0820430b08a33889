package rankstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Place is an address where ranks can connect on this machine. Its port is unused, and below those that systems assign,
// so that no other test gets it before rank 0 listens there.
func Place(t testing.TB) string {
	t.Helper()
	const first, count = 20_000, 12_000
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(count))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}
