package cudriver

import (
	"errors"
	"testing"
)

// quietDriver has as many devices as it says, all alike.
type quietDriver struct {
	Driver
	devices int
}

func (d quietDriver) Init() error                          { return nil }
func (d quietDriver) DriverGetVersion() (int, error)       { return 12080, nil }
func (d quietDriver) DeviceGetCount() (int, error)         { return d.devices, nil }
func (d quietDriver) DeviceGet(i int) (Device, error)      { return Device(10 + i), nil }
func (d quietDriver) DeviceGetName(Device) (string, error) { return "NVIDIA H200", nil }
func (d quietDriver) DeviceTotalMem(Device) (int64, error) { return 150e9, nil }
func (d quietDriver) DeviceGetAttribute(a DeviceAttribute, _ Device) (int, error) {
	return map[DeviceAttribute]int{ComputeCapabilityMajor: 9, ComputeCapabilityMinor: 0, MultiprocessorCount: 132,
		L2CacheSize: 60 << 20}[a], nil
}

func TestList(t *testing.T) {
	got, err := List(quietDriver{devices: 2})
	want := Info{Ordinal: 1, Device: 11, Name: "NVIDIA H200", Major: 9, Minor: 0, TotalMemory: 150e9,
		Multiprocessors: 132, L2Cache: 60 << 20, DriverVersion: 12080}
	if err != nil || len(got) != 2 || got[1] != want {
		t.Fatalf("List = %+v, %v", got, err)
	}
	if got[1].ComputeCapability() != "9.0" || got[1].CUDAVersion() != "12.8" {
		t.Errorf("compute capability %s, CUDA %s", got[1].ComputeCapability(), got[1].CUDAVersion())
	}
	if _, err := List(quietDriver{}); !errors.Is(err, ErrNoDevice) {
		t.Errorf("without devices: %v", err)
	}
}

func TestListReportsEveryFault(t *testing.T) {
	for n := range 10 { // 3 calls, and 7 for the device
		f := Faulty(quietDriver{devices: 1}, FailAt(n, Unknown))
		var e *Error
		if _, err := List(f); !errors.As(err, &e) || e.Result != Unknown {
			t.Errorf("call %d failed and List gave %v", n, err)
		}
	}
}
