//go:build linux && (amd64 || arm64)

package nccl

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ebitengine/purego"
)

func TestJoinPassesTheID(t *testing.T) {
	f, l := fake(t)
	if l.Version != 22809 || l.Version.String() != "2.28.9" {
		t.Errorf("version %d, %v", l.Version, l.Version)
	}
	id, err := l.UniqueID()
	if err != nil || id[127] != 3*127&255 {
		t.Fatal(id, err)
	}
	c, err := l.Join(id, 3, 8)
	if err != nil || c.handle != 0xc0ffee || f.id != id {
		t.Fatal(c, err, f.id)
	}
	f.want(t, "ncclCommInitRankScalable", 8, 3, 1, 0)
}

func TestTransfers(t *testing.T) {
	f, l := fake(t)
	c := &Comm{l: l, handle: 0xc0ffee}
	const big = 5 << 32 // sizes and addresses pass 2^32
	err := c.Group(func() error {
		return errors.Join(c.Send(big, big+8, 1, 0x51), c.Receive(big+1, big+16, 2, 0x52))
	})
	if err != nil {
		t.Fatal(err)
	}
	f.want(t, "ncclSend", big, big+8, 0, 1, 0xc0ffee, 0x51)
	f.want(t, "ncclRecv", big+1, big+16, 0, 2, 0xc0ffee, 0x52)
	f.want(t, "ncclGroupStart")
	f.want(t, "ncclGroupEnd")
	if err := errors.Join(c.AllGather(big, big+1, 24, 0x53), c.Err(), c.Abort(), c.Destroy()); err != nil {
		t.Fatal(err)
	}
	f.want(t, "ncclAllGather", big, big+1, 24, 0, 0xc0ffee, 0x53)
	f.want(t, "ncclCommGetAsyncError", 0xc0ffee)
	f.want(t, "ncclCommAbort", 0xc0ffee)
	f.want(t, "ncclCommDestroy", 0xc0ffee)
}

func TestEveryCallReportsItsFailure(t *testing.T) {
	f, l := fake(t)
	c := &Comm{l: l, handle: 0xc0ffee}
	for name, call := range map[string]func() error{
		"ncclGetUniqueId":          func() error { _, err := l.UniqueID(); return err },
		"ncclCommInitRankScalable": func() error { _, err := l.Join(ID{}, 0, 2); return err },
		"ncclCommDestroy":          c.Destroy,
		"ncclCommAbort":            c.Abort,
		"ncclCommGetAsyncError":    c.Err,
		"ncclGroupStart": func() error {
			return c.Group(func() error { t.Error("the body ran"); return nil })
		},
		"ncclGroupEnd":  func() error { return c.Group(func() error { return nil }) },
		"ncclSend":      func() error { return c.Send(1, 2, 3, 4) },
		"ncclRecv":      func() error { return c.Receive(1, 2, 3, 4) },
		"ncclAllGather": func() error { return c.AllGather(1, 2, 3, 4) },
	} {
		clear(f.result)
		f.result[name] = 4
		var e *Error
		if err := call(); !errors.As(err, &e) || e.Call != name || e.Result != 4 ||
			!strings.Contains(err.Error(), "invalid argument: peer 7 is gone (4)") {
			t.Errorf("%s failed with %v", name, err)
		}
	}
	clear(f.result)
	f.result["state"] = 6
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "an earlier call") {
		t.Errorf("a failure of an earlier call gave %v", err)
	}
	f.result["state"] = 7 // in progress
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func TestEverySymbolIsChecked(t *testing.T) {
	f, _ := fake(t)
	for missing := range f.symbols {
		_, err := bind("libold.so", func(name string) (uintptr, error) {
			if name == missing {
				return 0, errors.New("undefined symbol")
			}
			return f.lookup(name)
		})
		if !errors.Is(err, ErrAbsent) ||
			!strings.Contains(err.Error(), "libold.so has no "+missing+"; thermsim needs NCCL 2.23.0") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

func TestOpenWithoutLibrary(t *testing.T) {
	t.Setenv(PathVariable, "/no/such/libnccl.so.2")
	if _, err := Open(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "/no/such/libnccl.so.2") ||
		!strings.Contains(err.Error(), PathVariable) {
		t.Errorf("Open = %v", err)
	}
	t.Setenv(PathVariable, Off)
	if _, err := Open(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "THERMSIM_NCCL=off") {
		t.Errorf("Open = %v", err)
	}
	t.Setenv(PathVariable, "libc.so.6")
	if _, err := Open(); !errors.Is(err, ErrAbsent) ||
		!strings.Contains(err.Error(), "libc.so.6 has no ncclGetVersion") {
		t.Errorf("Open = %v", err)
	}
}

// What the library reads of its environment is C's, not Go's.
func TestMulticastIsOff(t *testing.T) {
	for _, c := range []struct{ set, want string }{{"", "0"}, {"1", "1"}} {
		t.Setenv("NCCL_NVLS_ENABLE", c.set)
		if c.set == "" {
			if err := os.Unsetenv("NCCL_NVLS_ENABLE"); err != nil { // t.Setenv restores it
				t.Fatal(err)
			}
		}
		t.Setenv(PathVariable, "/no/such/libnccl.so.2")
		_, _ = Open()
		libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
		if err != nil {
			t.Skip(err)
		}
		addr, err := purego.Dlsym(libc, "getenv")
		if err != nil {
			t.Fatal(err)
		}
		var getenv func(string) string
		purego.RegisterFunc(&getenv, addr)
		if got := getenv("NCCL_NVLS_ENABLE"); got != c.want {
			t.Errorf("set to %q, NCCL sees %q, want %q", c.set, got, c.want)
		}
	}
}
