package cudriver

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestErrorMessage(t *testing.T) {
	err := &Error{Call: "cuMemAlloc", Result: OutOfMemory, Detail: "12 bytes"}
	want := "cuMemAlloc (12 bytes): out of memory on the device (CUDA_ERROR_OUT_OF_MEMORY, 2); " +
		"take a coarser grid, free the GPU of other work (nvidia-smi lists it), or run with --device cpu"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	if got := (&Error{Call: "cuInit", Result: 12345}).Error(); got !=
		"cuInit: an error that this version of thermsim does not know (CUresult 12345, 12345); run with --device "+
			"cpu; if it stays, report it" {
		t.Error(got)
	}
}

// TestResultNames checks numbers against cuda.h where a slip of a line would show.
func TestResultNames(t *testing.T) {
	for r, want := range map[Result]string{
		0: "CUDA_SUCCESS", 1: "CUDA_ERROR_INVALID_VALUE", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
		100: "CUDA_ERROR_NO_DEVICE",
		209: "CUDA_ERROR_NO_BINARY_FOR_GPU", 218: "CUDA_ERROR_INVALID_PTX", 222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
		304: "CUDA_ERROR_OPERATING_SYSTEM", 402: "CUDA_ERROR_LOSSY_QUERY", 500: "CUDA_ERROR_NOT_FOUND",
		600: "CUDA_ERROR_NOT_READY",
		700: "CUDA_ERROR_ILLEGAL_ADDRESS", 709: "CUDA_ERROR_CONTEXT_IS_DESTROYED", 719: "CUDA_ERROR_LAUNCH_FAILED",
		802: "CUDA_ERROR_SYSTEM_NOT_READY", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
		910: "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
		917: "CUDA_ERROR_STREAM_DETACHED", 999: "CUDA_ERROR_UNKNOWN",
	} {
		if r.String() != want {
			t.Errorf("%d is %s, want %s", int(r), r, want)
		}
	}
	for r := range results {
		if r.Text() == "" || r.Remedy() == "" {
			t.Errorf("%v has text %q and remedy %q", r, r.Text(), r.Remedy())
		}
	}
}

func TestErrorIs(t *testing.T) {
	for _, c := range []struct {
		r    Result
		want error
	}{
		{OutOfMemory, ErrOutOfMemory}, {NoDevice, ErrNoDevice}, {InvalidDevice, ErrNoDevice},
		{34, ErrNoDriver}, {35, ErrNoDriver}, {803, ErrNoDriver}, {804, ErrNoDriver}, {LaunchFailed, nil},
	} {
		err := fmt.Errorf("solving: %w", &Error{Call: "cuInit", Result: c.r})
		for _, target := range []error{ErrOutOfMemory, ErrNoDevice, ErrNoDriver} {
			if errors.Is(err, target) != (target == c.want) {
				t.Errorf("errors.Is(%v, %v) = %v", c.r, target, target != c.want)
			}
		}
	}
}

// equal checks an answer and that there was no error.
func equal[T any](t *testing.T, what string, got T, err error, want T) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %v, %v, want %v", what, got, err, want)
	}
}
