
/* The functions of FMI 2.0 for co-simulation. The header of the importer, if any, prefixes and exports the names. */
#define FMI2_FUNCTION_PREFIX PREFIX
#ifdef __has_include
#if __has_include("fmi2Functions.h")
#include "fmi2Functions.h"
#endif
#endif
#ifdef fmi2Functions_h
#define EXPORT
#else
#define EXPORT DLL_EXPORT
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Byte;
typedef const char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
	void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
	void *(*allocateMemory)(size_t, size_t);
	void (*freeMemory)(void *);
	void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
	fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
#endif

typedef struct {
	Model model;
	fmi2CallbackFunctions call;
	char name[64];
} Instance;

static fmi2Status ended(void *instance, const char *message) {
	Instance *s = instance;
	if (message && s->call.logger)
		s->call.logger(s->call.componentEnvironment, s->name, fmi2Error, "logStatusError", "%s", message);
	return message ? fmi2Error : fmi2OK;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
		const fmi2CallbackFunctions *call, fmi2Boolean visible, fmi2Boolean logging) {
	Instance *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	if (call)
		s->call = *call;
	strncpy(s->name, name ? name : "", sizeof s->name - 1);
	if (type != fmi2CoSimulation || !guid || strcmp(guid, TOKEN) != 0) {
		ended(s, "expected co-simulation and the GUID of modelDescription.xml");
		free(s);
		return NULL;
	}
	reset(&s->model);
	return s;
}

EXPORT void fmi2FreeInstance(fmi2Component c) { free(c); }

#define MODEL (&((Instance *)c)->model)
#define FUNCTION(name, ...) EXPORT fmi2Status fmi2##name(fmi2Component c, __VA_ARGS__)
#define ABSENT(name, ...) FUNCTION(name, __VA_ARGS__) { return ended(c, "this function is not supported"); }
#define REFERENCES const fmi2ValueReference refs[], size_t n

FUNCTION(SetDebugLogging, fmi2Boolean on, size_t n, const fmi2String categories[]) { return fmi2OK; }
FUNCTION(SetupExperiment, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops, fmi2Real stop) {
	MODEL->time = start;
	return fmi2OK;
}
EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
	MODEL->running = 1;
	return fmi2OK;
}
EXPORT fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
EXPORT fmi2Status fmi2Reset(fmi2Component c) {
	reset(MODEL);
	return fmi2OK;
}

FUNCTION(GetReal, REFERENCES, fmi2Real values[]) { return ended(c, get(MODEL, refs, n, values)); }
FUNCTION(SetReal, REFERENCES, const fmi2Real values[]) { return ended(c, set(MODEL, refs, n, values)); }
FUNCTION(DoStep, fmi2Real from, fmi2Real step, fmi2Boolean final) { return ended(c, advance(MODEL, from, step)); }

FUNCTION(GetFMUstate, fmi2FMUstate *state) { return ended(c, save(MODEL, state)); }
FUNCTION(SetFMUstate, fmi2FMUstate state) { return ended(c, copy(MODEL, state, sizeof(Model))); }
FUNCTION(FreeFMUstate, fmi2FMUstate *state) {
	free(*state);
	*state = NULL;
	return fmi2OK;
}
FUNCTION(SerializedFMUstateSize, fmi2FMUstate state, size_t *size) {
	*size = sizeof(Model);
	return fmi2OK;
}
FUNCTION(SerializeFMUstate, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
	return ended(c, copy(bytes, state, size));
}
FUNCTION(DeSerializeFMUstate, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
	const char *failed = save(MODEL, state);
	return ended(c, failed ? failed : copy(*state, bytes, size));
}

FUNCTION(GetRealStatus, const fmi2StatusKind kind, fmi2Real *value) {
	*value = MODEL->time;
	return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}
FUNCTION(GetStatus, const fmi2StatusKind kind, fmi2Status *value) { return fmi2Discard; }
FUNCTION(GetIntegerStatus, const fmi2StatusKind kind, fmi2Integer *value) { return fmi2Discard; }
FUNCTION(GetBooleanStatus, const fmi2StatusKind kind, fmi2Boolean *value) { return fmi2Discard; }
FUNCTION(GetStringStatus, const fmi2StatusKind kind, fmi2String *value) { return fmi2Discard; }

/* All other functions must exist. */
ABSENT(GetInteger, REFERENCES, fmi2Integer values[])
ABSENT(SetInteger, REFERENCES, const fmi2Integer values[])
ABSENT(GetBoolean, REFERENCES, fmi2Boolean values[])
ABSENT(SetBoolean, REFERENCES, const fmi2Boolean values[])
ABSENT(GetString, REFERENCES, fmi2String values[])
ABSENT(SetString, REFERENCES, const fmi2String values[])
ABSENT(GetDirectionalDerivative, REFERENCES, const fmi2ValueReference known[], size_t nk, const fmi2Real seed[],
	fmi2Real values[])
ABSENT(SetRealInputDerivatives, REFERENCES, const fmi2Integer orders[], const fmi2Real values[])
ABSENT(GetRealOutputDerivatives, REFERENCES, const fmi2Integer orders[], fmi2Real values[])
EXPORT fmi2Status fmi2CancelStep(fmi2Component c) { return ended(c, "no step is pending"); }
