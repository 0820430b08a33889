package cudriver

import (
	"errors"
	"fmt"
	"strconv"
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
	if r == Success {
		return ""
	}
	if e := results[r]; e.remedy != "" {
		return e.remedy
	}
	if r >= 900 && r < 909 {
		return reportFault
	}
	return "run with --device cpu; if it stays, report it"
}

// Result is a CUresult, the status of a driver call.
type Result int32

// The results that thermsim or its tests name; results has all of them.
const (
	Success                  Result = 0
	InvalidValue             Result = 1
	OutOfMemory              Result = 2
	NotInitialized           Result = 3
	NoDevice                 Result = 100
	InvalidDevice            Result = 101
	InvalidContext           Result = 201
	NoBinaryForGPU           Result = 209
	InvalidPTX               Result = 218
	UnsupportedPTXVersion    Result = 222
	InvalidHandle            Result = 400
	NotFound                 Result = 500
	NotReady                 Result = 600
	IllegalAddress           Result = 700
	LaunchOutOfResources     Result = 701
	LaunchTimeout            Result = 702
	MisalignedAddress        Result = 716
	LaunchFailed             Result = 719
	StreamCaptureUnsupported Result = 900
	StreamCaptureInvalidated Result = 901
	Timeout                  Result = 909
	Unknown                  Result = 999
)

// String is the name in cuda.h, such as CUDA_ERROR_OUT_OF_MEMORY.
func (r Result) String() string {
	if r == Success {
		return "CUDA_SUCCESS"
	}
	if e, ok := results[r]; ok {
		return "CUDA_ERROR_" + e.name
	}
	return "CUresult " + strconv.Itoa(int(r))
}

// Text says in a few words what the result means.
func (r Result) Text() string {
	if r == Success {
		return "no error"
	}
	if e, ok := results[r]; ok {
		return e.text
	}
	return "an error that this version of thermsim does not know"
}

// results are the names (less CUDA_ERROR_) and meanings of the failures, after enum CUresult in cuda.h up to CUDA 13.3.
// 35 and 36 are numbers of the runtime API, which some tools and stub libraries pass on.
var results = map[Result]struct{ name, text, remedy string }{
	1: {"INVALID_VALUE", "an argument is out of range", reportFault},
	2: {"OUT_OF_MEMORY", "out of memory on the device",
		"take a coarser grid, free the GPU of other work (nvidia-smi lists it), or run with --device cpu"},
	3: {"NOT_INITIALIZED", "the driver is not initialised",
		"the driver did not start in this process: see that nvidia-smi works, or run with --device cpu"},
	4: {"DEINITIALIZED", "the driver is shutting down",
		"the driver did not start in this process: see that nvidia-smi works, or run with --device cpu"},
	5: {"PROFILER_DISABLED", "the profiler is disabled", ""},
	6: {"PROFILER_NOT_INITIALIZED", "the profiler is not initialised", ""},
	7: {"PROFILER_ALREADY_STARTED", "the profiler was already started", ""},
	8: {"PROFILER_ALREADY_STOPPED", "the profiler was already stopped", ""},
	34: {"STUB_LIBRARY", "this libcuda is the stub for linking, not a driver",
		"take the stubs folder out of LD_LIBRARY_PATH and install the NVIDIA driver"},
	35: {"INSUFFICIENT_DRIVER", "the driver is too old", updateDriver},
	36: {"CALL_REQUIRES_NEWER_DRIVER", "the call needs a newer driver", updateDriver},
	46: {"DEVICE_UNAVAILABLE", "the device is busy or in exclusive use",
		"end the other work on the GPU or set its compute mode to default (nvidia-smi -c 0)"},
	100: {"NO_DEVICE", "no CUDA device was found",
		"see that nvidia-smi lists the GPU, that CUDA_VISIBLE_DEVICES is not empty and names GPUs or MIG " +
			"instances of nvidia-smi -L, and that a container was started with access to it (--gpus all)"},
	101: {"INVALID_DEVICE", "there is no device of that number", "thermsim devices lists the devices there are"},
	102: {"DEVICE_NOT_LICENSED", "the device has no licence for compute", "see to the licence of the virtual GPU"},
	200: {"INVALID_IMAGE", "the kernel image is not valid",
		"the kernels do not suit this driver: " + updateDriver + ", or run with --device cpu and report it"},
	201: {"INVALID_CONTEXT", "no valid context on this thread", reportFault},
	202: {"CONTEXT_ALREADY_CURRENT", "the context is already current", ""},
	205: {"MAP_FAILED", "mapping memory failed", ""},
	206: {"UNMAP_FAILED", "unmapping memory failed", ""},
	207: {"ARRAY_IS_MAPPED", "the array is mapped", ""},
	208: {"ALREADY_MAPPED", "the resource is already mapped", ""},
	209: {"NO_BINARY_FOR_GPU", "the kernels have no code for this GPU",
		"the GPU must have compute capability 7.0 (Volta) or above; run with --device cpu on older ones"},
	210: {"ALREADY_ACQUIRED", "the resource is already acquired", ""},
	211: {"NOT_MAPPED", "the resource is not mapped", ""},
	212: {"NOT_MAPPED_AS_ARRAY", "the resource is not mapped as an array", ""},
	213: {"NOT_MAPPED_AS_POINTER", "the resource is not mapped as a pointer", ""},
	214: {"ECC_UNCORRECTABLE", "an ECC error in the memory of the device that could not be corrected",
		"see nvidia-smi -q -d ECC,ROW_REMAPPER and the kernel log (dmesg, Xid 48, 63, 64, 94, 95); run again " +
			"after nvidia-smi --gpu-reset or a restart, on another GPU (--device gpu:N), or with --device cpu"},
	215: {"UNSUPPORTED_LIMIT", "the device does not have this limit", ""},
	216: {"CONTEXT_ALREADY_IN_USE", "the context is in use by another thread", ""},
	217: {"PEER_ACCESS_UNSUPPORTED", "the devices cannot reach each other's memory", ""},
	218: {"INVALID_PTX", "the driver could not compile the kernels",
		"the kernels do not suit this driver: " + updateDriver + ", or run with --device cpu and report it"},
	219: {"INVALID_GRAPHICS_CONTEXT", "the graphics context is not valid", ""},
	220: {"NVLINK_UNCORRECTABLE", "uncorrectable NVLink error", checkDevice},
	221: {"JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler is missing",
		"install the whole driver (libnvidia-ptxjitcompiler.so.1 is missing)"},
	222: {"UNSUPPORTED_PTX_VERSION", "the kernels need a newer PTX version than the driver knows", updateDriver},
	223: {"JIT_COMPILATION_DISABLED", "compiling PTX is disabled", "unset CUDA_DISABLE_PTX_JIT"},
	224: {"UNSUPPORTED_EXEC_AFFINITY", "the device does not support this execution affinity", ""},
	225: {"UNSUPPORTED_DEVSIDE_SYNC", "a kernel calls cudaDeviceSynchronize", ""},
	226: {"CONTAINED", "an ECC error in the memory of the device that could not be corrected; only this " +
		"process is affected",
		"see nvidia-smi -q -d ECC,ROW_REMAPPER and the kernel log (dmesg, Xid 48, 63, 64, 94, 95); run again " +
			"after nvidia-smi --gpu-reset or a restart, on another GPU (--device gpu:N), or with --device cpu"},
	300: {"INVALID_SOURCE", "the kernel source is not valid",
		"the kernels do not suit this driver: " + updateDriver + ", or run with --device cpu and report it"},
	301: {"FILE_NOT_FOUND", "a file of the driver was not found", ""},
	302: {"SHARED_OBJECT_SYMBOL_NOT_FOUND", "a symbol of a shared library was not found", ""},
	303: {"SHARED_OBJECT_INIT_FAILED", "a shared library failed to start", ""},
	304: {"OPERATING_SYSTEM", "a call to the operating system failed",
		"see that /dev/nvidia* exist and may be opened, and that there is enough memory to lock (ulimit -l)"},
	400: {"INVALID_HANDLE", "a handle is not valid", reportFault},
	401: {"ILLEGAL_STATE", "an object is in the wrong state for the call", ""},
	402: {"LOSSY_QUERY", "the query would lose information", ""},
	500: {"NOT_FOUND", "a name was not found", reportFault},
	600: {"NOT_READY", "earlier work has not finished", ""},
	700: {"ILLEGAL_ADDRESS", "a kernel reached outside its memory", reportFault},
	701: {"LAUNCH_OUT_OF_RESOURCES", "a kernel needs more registers, threads or shared memory than the device has",
		"the GPU has too little shared memory or registers for this stack: run with --device cpu and report " +
			"it"},
	702: {"LAUNCH_TIMEOUT", "a kernel ran longer than the system allows",
		"the GPU also drives a display: stop the display server or run with --device cpu"},
	703: {"LAUNCH_INCOMPATIBLE_TEXTURING", "a kernel has an incompatible texturing mode", ""},
	704: {"PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled", ""},
	705: {"PEER_ACCESS_NOT_ENABLED", "peer access is not enabled", ""},
	708: {"PRIMARY_CONTEXT_ACTIVE", "the primary context is already active", ""},
	709: {"CONTEXT_IS_DESTROYED", "the context was destroyed", ""},
	710: {"ASSERT", "an assertion in a kernel failed", reportFault},
	711: {"TOO_MANY_PEERS", "too many peer devices", ""},
	712: {"HOST_MEMORY_ALREADY_REGISTERED", "the host memory is already registered", ""},
	713: {"HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered", ""},
	714: {"HARDWARE_STACK_ERROR", "a kernel corrupted its stack", checkDevice},
	715: {"ILLEGAL_INSTRUCTION", "a kernel met an illegal instruction", reportFault},
	716: {"MISALIGNED_ADDRESS", "a kernel reached a misaligned address", reportFault},
	717: {"INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong space", reportFault},
	718: {"INVALID_PC", "a kernel jumped outside its code", reportFault},
	719: {"LAUNCH_FAILED", "a kernel failed on the device", "run again; if it fails again, " + reportFault},
	720: {"COOPERATIVE_LAUNCH_TOO_LARGE", "a cooperative launch has more blocks than fit at once", reportFault},
	721: {"TENSOR_MEMORY_LEAK", "a kernel left tensor memory allocated", ""},
	800: {"NOT_PERMITTED", "the operation is not permitted",
		"the GPU or its virtualisation does not allow this: run with --device cpu"},
	801: {"NOT_SUPPORTED", "the operation is not supported on this system or device",
		"the GPU or its virtualisation does not allow this: run with --device cpu"},
	802: {"SYSTEM_NOT_READY", "the system is not ready for CUDA work",
		"start the fabric manager (nvidia-fabricmanager) or wait until the machine has come up"},
	803: {"SYSTEM_DRIVER_MISMATCH", "libcuda and the kernel's driver are of different versions",
		"restart the machine after the driver's update; in a container, install the same version as on the " +
			"host"},
	804: {"COMPAT_NOT_SUPPORTED_ON_DEVICE", "this GPU does not support the CUDA compatibility package in use",
		"take the CUDA compat folder out of LD_LIBRARY_PATH, or " + updateDriver},
	805: {"MPS_CONNECTION_FAILED", "no connection to the MPS server",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	806: {"MPS_RPC_FAILURE", "a call to the MPS server failed",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	807: {"MPS_SERVER_NOT_READY", "the MPS server is not ready",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	808: {"MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for another client",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	809: {"MPS_MAX_CONNECTIONS_REACHED", "the MPS server has no room for another connection",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	810: {"MPS_CLIENT_TERMINATED", "the MPS server ended this client",
		"restart the MPS server (nvidia-cuda-mps-control) or stop it"},
	811: {"CDP_NOT_SUPPORTED", "dynamic parallelism is not supported", ""},
	812: {"CDP_VERSION_MISMATCH", "versions of dynamic parallelism do not match", ""},
	900: {"STREAM_CAPTURE_UNSUPPORTED", "the call is not allowed while the stream is captured", ""},
	901: {"STREAM_CAPTURE_INVALIDATED", "an earlier error spoilt the capture", ""},
	902: {"STREAM_CAPTURE_MERGE", "the call would merge two captures", ""},
	903: {"STREAM_CAPTURE_UNMATCHED", "the capture did not begin on this stream", ""},
	904: {"STREAM_CAPTURE_UNJOINED", "the capture has a branch that was not joined", ""},
	905: {"STREAM_CAPTURE_ISOLATION", "the call would depend on work outside the capture", ""},
	906: {"STREAM_CAPTURE_IMPLICIT", "the call would wait for the default stream inside a capture", ""},
	907: {"CAPTURED_EVENT", "the event belongs to a capture", ""},
	908: {"STREAM_CAPTURE_WRONG_THREAD", "the capture began on another thread", ""},
	909: {"TIMEOUT", "the wait took too long",
		"see with nvidia-smi what keeps the GPU busy; " + WaitVariable + "=1h waits longer, " + WaitVariable +
			"=" + Endless + " for ever; if nothing else does, report it, and run with --device cpu"},
	910: {"GRAPH_EXEC_UPDATE_FAILURE", "the graph cannot be updated in place", ""},
	911: {"EXTERNAL_DEVICE", "a device other than the GPU failed", checkDevice},
	912: {"INVALID_CLUSTER_SIZE", "the cluster size does not suit the kernel or device", ""},
	913: {"FUNCTION_NOT_LOADED", "the function is not loaded", ""},
	914: {"INVALID_RESOURCE_TYPE", "a resource has the wrong type", ""},
	915: {"INVALID_RESOURCE_CONFIGURATION", "a resource is insufficient or does not apply", ""},
	916: {"KEY_ROTATION", "a key rotation failed", ""},
	917: {"STREAM_DETACHED", "the stream lost its context", ""},
	918: {"GRAPH_RECAPTURE_FAILURE", "the graph could not be captured again", ""},
	999: {"UNKNOWN", "an unknown error inside the driver",
		"see in the kernel log (dmesg, Xid 79) whether the GPU has fallen off the bus; reload the driver " +
			"(nvidia-smi, then modprobe -r nvidia_uvm && modprobe nvidia_uvm), or restart the machine"},
}
