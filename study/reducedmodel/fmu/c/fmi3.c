
/* The functions of FMI 3.0: those for co-simulation, and stubs for all others, which must exist. The header of the
 * importer, if any, prefixes and exports the names. */
#define FMI3_FUNCTION_PREFIX PREFIX
#ifdef __has_include
#if __has_include("fmi3Functions.h")
#include "fmi3Functions.h"
#endif
#endif
#ifdef fmi3Functions_h
#define EXPORT
#else
#define EXPORT DLL_EXPORT
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
	fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
#endif

typedef struct {
	Model model;
	fmi3LogMessageCallback log;
	fmi3InstanceEnvironment environment;
} Instance;

static fmi3Status ended(void *instance, const char *message) {
	Instance *s = instance;
	if (message && s->log)
		s->log(s->environment, fmi3Error, "logStatusError", message);
	return message ? fmi3Error : fmi3OK;
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
		fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
		const fmi3ValueReference refs[], size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
		fmi3IntermediateUpdateCallback update) {
	Instance *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->log = log;
	s->environment = environment;
	if (!token || strcmp(token, TOKEN) != 0) {
		ended(s, "expected the instantiation token of modelDescription.xml");
		free(s);
		return NULL;
	}
	reset(&s->model);
	return s;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
		fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
	return NULL;
}

EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
		fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
		fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
	return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, log);
}

EXPORT void fmi3FreeInstance(fmi3Instance c) { free(c); }

#define MODEL (&((Instance *)c)->model)
#define COMMAND(name) EXPORT fmi3Status fmi3##name(fmi3Instance c)
#define FUNCTION(name, ...) EXPORT fmi3Status fmi3##name(fmi3Instance c, __VA_ARGS__)
#define ABSENT(name, ...) FUNCTION(name, __VA_ARGS__) { return ended(c, "this function is not supported"); }
#define ABSENT_COMMAND(name) COMMAND(name) { return ended(c, "this function is not supported"); }
#define REFERENCES const fmi3ValueReference refs[], size_t n

FUNCTION(SetDebugLogging, fmi3Boolean on, size_t n, const fmi3String categories[]) { return fmi3OK; }
FUNCTION(EnterInitializationMode, fmi3Boolean tolerant, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stops,
		fmi3Float64 stop) {
	MODEL->time = start;
	return fmi3OK;
}
COMMAND(ExitInitializationMode) {
	MODEL->running = 1;
	return fmi3OK;
}
COMMAND(Terminate) { return fmi3OK; }
COMMAND(Reset) {
	reset(MODEL);
	return fmi3OK;
}

FUNCTION(GetFloat64, REFERENCES, fmi3Float64 values[], size_t nv) {
	return ended(c, n == nv ? get(MODEL, refs, n, values) : "expected a value per reference");
}
FUNCTION(SetFloat64, REFERENCES, const fmi3Float64 values[], size_t nv) {
	return ended(c, n == nv ? set(MODEL, refs, n, values) : "expected a value per reference");
}
FUNCTION(DoStep, fmi3Float64 from, fmi3Float64 step, fmi3Boolean final, fmi3Boolean *event, fmi3Boolean *terminate,
		fmi3Boolean *early, fmi3Float64 *last) {
	const char *failed = advance(MODEL, from, step);
	*event = *terminate = *early = false;
	*last = MODEL->time;
	return ended(c, failed);
}

FUNCTION(GetFMUState, fmi3FMUState *state) { return ended(c, save(MODEL, state)); }
FUNCTION(SetFMUState, fmi3FMUState state) { return ended(c, copy(MODEL, state, sizeof(Model))); }
FUNCTION(FreeFMUState, fmi3FMUState *state) {
	free(*state);
	*state = NULL;
	return fmi3OK;
}
FUNCTION(SerializedFMUStateSize, fmi3FMUState state, size_t *size) {
	*size = sizeof(Model);
	return fmi3OK;
}
FUNCTION(SerializeFMUState, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
	return ended(c, copy(bytes, state, size));
}
FUNCTION(DeserializeFMUState, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
	const char *failed = save(MODEL, state);
	return ended(c, failed ? failed : copy(*state, bytes, size));
}

#define ABSENT_TYPE(type) \
	ABSENT(Get##type, REFERENCES, fmi3##type values[], size_t nv) \
	ABSENT(Set##type, REFERENCES, const fmi3##type values[], size_t nv)
ABSENT_TYPE(Float32) ABSENT_TYPE(Int8) ABSENT_TYPE(UInt8) ABSENT_TYPE(Int16) ABSENT_TYPE(UInt16) ABSENT_TYPE(Int32)
ABSENT_TYPE(UInt32) ABSENT_TYPE(Int64) ABSENT_TYPE(UInt64) ABSENT_TYPE(Boolean) ABSENT_TYPE(String)
ABSENT(GetBinary, REFERENCES, size_t sizes[], fmi3Binary values[], size_t nv)
ABSENT(SetBinary, REFERENCES, const size_t sizes[], const fmi3Binary values[], size_t nv)
ABSENT(GetClock, REFERENCES, fmi3Clock values[])
ABSENT(SetClock, REFERENCES, const fmi3Clock values[])
ABSENT(GetShiftDecimal, REFERENCES, fmi3Float64 shifts[])
ABSENT(SetShiftDecimal, REFERENCES, const fmi3Float64 shifts[])
ABSENT(GetShiftFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
ABSENT(SetShiftFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
ABSENT(GetIntervalDecimal, REFERENCES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
ABSENT(SetIntervalDecimal, REFERENCES, const fmi3Float64 intervals[])
ABSENT(GetIntervalFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
	fmi3IntervalQualifier qualifiers[])
ABSENT(SetIntervalFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
ABSENT(GetNumberOfVariableDependencies, fmi3ValueReference ref, size_t *n)
ABSENT(GetVariableDependencies, fmi3ValueReference ref, size_t elements[], fmi3ValueReference refs[], size_t of[],
	fmi3DependencyKind kinds[], size_t n)
#define DERIVATIVE \
	REFERENCES, const fmi3ValueReference known[], size_t nk, const fmi3Float64 seed[], size_t ns, \
		fmi3Float64 values[], size_t nv
ABSENT(GetDirectionalDerivative, DERIVATIVE)
ABSENT(GetAdjointDerivative, DERIVATIVE)
ABSENT(GetOutputDerivatives, REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[], size_t nv)
ABSENT_COMMAND(EnterConfigurationMode)
ABSENT_COMMAND(ExitConfigurationMode)
ABSENT_COMMAND(EnterEventMode)
ABSENT_COMMAND(EnterStepMode)
ABSENT_COMMAND(EnterContinuousTimeMode)
ABSENT_COMMAND(EvaluateDiscreteStates)
ABSENT(UpdateDiscreteStates, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *values,
	fmi3Boolean *defined, fmi3Float64 *next)
ABSENT(CompletedIntegratorStep, fmi3Boolean final, fmi3Boolean *event, fmi3Boolean *terminate)
ABSENT(SetTime, fmi3Float64 time)
ABSENT(SetContinuousStates, const fmi3Float64 states[], size_t n)
ABSENT(GetContinuousStates, fmi3Float64 states[], size_t n)
ABSENT(GetContinuousStateDerivatives, fmi3Float64 derivatives[], size_t n)
ABSENT(GetNominalsOfContinuousStates, fmi3Float64 nominals[], size_t n)
ABSENT(GetEventIndicators, fmi3Float64 indicators[], size_t n)
ABSENT(GetNumberOfEventIndicators, size_t *n)
ABSENT(GetNumberOfContinuousStates, size_t *n)
ABSENT(ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)
