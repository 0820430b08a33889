package cudriver

import (
	"slices"
	"sync"
)

// FaultyDriver is a Driver for tests: it records the calls and makes chosen ones fail. A call that fails does not reach
// the driver beneath.
type FaultyDriver struct {
	around
	fail func(call string, n int) error

	mu    sync.Mutex
	calls []string
}

// Faulty wraps d. fail gets the name of each call (as in Error.Call) and its number from 0, and returns the error to
// inject or nil; a nil fail only records.
func Faulty(d Driver, fail func(call string, n int) error) *FaultyDriver {
	f := &FaultyDriver{fail: fail}
	f.around = around{d, func(call string, do func() error) error {
		if err := f.step(call); err != nil {
			return err
		}
		return do()
	}}
	return f
}

// FailAt fails call number n (from 0) with r.
func FailAt(n int, r Result) func(string, int) error {
	return failing(r, func(_ string, i int) bool { return i == n })
}

// FailFrom fails call number n (from 0) with r, and every one after it: a device that is lost.
func FailFrom(n int, r Result) func(string, int) error {
	return failing(r, func(_ string, i int) bool { return i >= n })
}

// FailNth fails the k-th call (from 0) of the given name with r.
func FailNth(name string, k int, r Result) func(string, int) error {
	seen := 0
	return failing(r, func(call string, _ int) bool {
		if call != name {
			return false
		}
		seen++
		return seen == k+1
	})
}

func failing(r Result, when func(call string, n int) bool) func(string, int) error {
	return func(call string, n int) error {
		if !when(call, n) {
			return nil
		}
		return &Error{Call: call, Result: r, Detail: "injected"}
	}
}

// Calls is the names of the calls so far, those that failed among them.
func (f *FaultyDriver) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *FaultyDriver) step(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.calls)
	f.calls = append(f.calls, call)
	if f.fail == nil {
		return nil
	}
	return f.fail(call, n)
}
