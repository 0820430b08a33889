
/* FMI 2.0 for co-simulation. The header of the importer, if any, prefixes and exports the names. */
#define FMI2_FUNCTION_PREFIX PREFIX
#ifdef __has_include
#if __has_include("fmi2Functions.h")
#include "fmi2Functions.h"
#define EXPORT
#endif
#endif
#ifndef EXPORT
#define EXPORT DLL_EXPORT
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
	void (*logger)(void *, const char *, fmi2Status, const char *, const char *, ...);
	void *(*allocateMemory)(size_t, size_t);
	void (*freeMemory)(void *);
	void (*stepFinished)(void *, fmi2Status);
	void *componentEnvironment;
} fmi2CallbackFunctions;
#endif

typedef fmi2Status Status;
typedef int Boolean;
typedef char Byte;
typedef struct {
	Model model;
	fmi2CallbackFunctions call;
	char name[64];
} Instance;

static Status ended(void *c, const char *message) {
	Instance *s = c;
	if (message && s->call.logger)
		s->call.logger(s->call.componentEnvironment, s->name, fmi2Error, "logStatusError", "%s", message);
	return message ? fmi2Error : fmi2OK;
}

#define F(name) fmi2##name
#define STATE(before, after) fmi2##before##FMUstate##after
#define DESERIALIZE fmi2DeSerializeFMUstate
#define INITIALIZE fmi2SetupExperiment
#define VERSION "2.0"
