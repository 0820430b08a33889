package cudriver

import (
	"errors"
	"fmt"
	"strings"
)

// Conditions to test for with errors.Is.
var (
	// ErrOutOfMemory is device or pinned memory that could not be had.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrNoDevice is a driver that sees no usable GPU.
	ErrNoDevice = errors.New("no CUDA device")
	// ErrNoDriver is a machine without a CUDA driver, or with one too old or unusable.
	ErrNoDriver = errors.New("no usable CUDA driver")
)

// Error is a driver call that failed: which, how, and what can be done about it.
type Error struct {
	Call   string // name in the driver API without its version, such as cuMemAlloc
	Result Result
	Detail string // sizes, names or the compiler's log; may be empty
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Call)
	if e.Detail != "" {
		fmt.Fprintf(&b, " (%s)", e.Detail)
	}
	fmt.Fprintf(&b, ": %s (%s, %d)", e.Result.Text(), e.Result, int(e.Result))
	if r := e.Result.Remedy(); r != "" {
		b.WriteString("; ")
		b.WriteString(r)
	}
	return b.String()
}

// Is reports whether the error is one of ErrOutOfMemory, ErrNoDevice and ErrNoDriver.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrOutOfMemory:
		return e.Result == OutOfMemory
	case ErrNoDevice:
		return e.Result == NoDevice || e.Result == InvalidDevice
	case ErrNoDriver:
		switch e.Result {
		case 34, 35, 36, 803, 804:
			return true
		}
	}
	return false
}

const (
	updateDriver = "update the NVIDIA driver"
	reportFault  = "this is a fault in thermsim: run with --device cpu and report it with the command and " +
		"the GPU's name"
	checkDevice = "look at nvidia-smi and the kernel log (dmesg, Xid lines) for a fault of the GPU, or run with " +
		"--device cpu"
)

// Remedy says what the user can do about the result.
func (r Result) Remedy() string {
	switch r {
	case Success:
		return ""
	case 2:
		return "take a coarser grid, free the GPU of other work (nvidia-smi lists it), or run with --device cpu"
	case 3, 4:
		return "the driver did not start in this process: see that nvidia-smi works, or run with --device cpu"
	case 34:
		return "take the stubs folder out of LD_LIBRARY_PATH and install the NVIDIA driver"
	case 35, 36, 222:
		return updateDriver
	case 46:
		return "end the other work on the GPU or set its compute mode to default (nvidia-smi -c 0)"
	case 100:
		return "see that nvidia-smi lists the GPU, that CUDA_VISIBLE_DEVICES is not empty and names GPUs or MIG " +
			"instances of nvidia-smi -L, and that a container was started with access to it (--gpus all)"
	case 101:
		return "thermsim devices lists the devices there are"
	case 102:
		return "see to the licence of the virtual GPU"
	case 209:
		return "the GPU must have compute capability 7.0 (Volta) or above; run with --device cpu on older ones"
	case 200, 218, 300:
		return "the kernels do not suit this driver: " + updateDriver + ", or run with --device cpu and report it"
	case 221:
		return "install the whole driver (libnvidia-ptxjitcompiler.so.1 is missing)"
	case 223:
		return "unset CUDA_DISABLE_PTX_JIT"
	case 214, 226:
		return "see nvidia-smi -q -d ECC,ROW_REMAPPER and the kernel log (dmesg, Xid 48, 63, 64, 94, 95); run again " +
			"after nvidia-smi --gpu-reset or a restart, on another GPU (--device gpu:N), or with --device cpu"
	case 220, 714, 911:
		return checkDevice
	case 304:
		return "see that /dev/nvidia* exist and may be opened, and that there is enough memory to lock (ulimit -l)"
	case 701:
		return "the GPU has too little shared memory or registers for this stack: run with --device cpu and report it"
	case 702:
		return "the GPU also drives a display: stop the display server or run with --device cpu"
	case 999:
		return "see in the kernel log (dmesg, Xid 79) whether the GPU has fallen off the bus; load the driver anew " +
			"(nvidia-smi, then modprobe -r nvidia_uvm && modprobe nvidia_uvm), or restart the machine"
	case 800, 801:
		return "the GPU or its virtualisation does not allow this: run with --device cpu"
	case 802:
		return "start the fabric manager (nvidia-fabricmanager) or wait until the machine has come up"
	case 803:
		return "restart the machine after the driver's update; in a container, install the same version as on the host"
	case 804:
		return "take the CUDA compat folder out of LD_LIBRARY_PATH, or " + updateDriver
	case 805, 806, 807, 808, 809, 810:
		return "restart the MPS server (nvidia-cuda-mps-control) or stop it"
	case 1, 201, 400, 500, 700, 710, 715, 716, 717, 718, 720:
		return reportFault
	case 909:
		return "see with nvidia-smi what keeps the GPU busy; " + WaitVariable + "=1h waits longer, " + WaitVariable +
			"=" + Endless + " for ever; if nothing else does, report it, and run with --device cpu"
	case 719:
		return "run again; if it fails again, " + reportFault
	}
	if r >= 900 && r < 909 {
		return reportFault
	}
	return "run with --device cpu; if it stays, report it"
}
