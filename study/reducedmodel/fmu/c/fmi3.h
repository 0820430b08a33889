
/* FMI 3.0. The header of the importer, if any, prefixes and exports the names. */
#define FMI3_FUNCTION_PREFIX PREFIX
#ifdef __has_include
#if __has_include("fmi3Functions.h")
#include "fmi3Functions.h"
#define EXPORT
#endif
#endif
#ifndef EXPORT
#define EXPORT DLL_EXPORT
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, const char *, const char *);
typedef void (*fmi3ClockUpdateCallback)(void *);
typedef void (*fmi3IntermediateUpdateCallback)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
#endif

typedef fmi3Status Status;
typedef bool Boolean;
typedef uint8_t Byte;
typedef struct {
	Model model;
	fmi3LogMessageCallback log;
	void *environment;
} Instance;

static Status ended(void *c, const char *message) {
	Instance *s = c;
	if (message && s->log)
		s->log(s->environment, fmi3Error, "logStatusError", message);
	return message ? fmi3Error : fmi3OK;
}

#define F(name) fmi3##name
#define STATE(before, after) fmi3##before##FMUState##after
#define DESERIALIZE fmi3DeserializeFMUState
#define INITIALIZE fmi3EnterInitializationMode
#define VERSION "3.0"
