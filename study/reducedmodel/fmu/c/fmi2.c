
EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }

EXPORT void *fmi2Instantiate(const char *name, fmi2Type type, const char *guid, const char *resources,
		const fmi2CallbackFunctions *call, Boolean visible, Boolean logging) {
	Instance s = {.call = *call};
	strncpy(s.name, name, sizeof s.name - 1);
	return instance(&s, type == fmi2CoSimulation && strcmp(guid, TOKEN) == 0);
}

EXPORT Status fmi2EnterInitializationMode(void *c) { return fmi2OK; }
FUNCTION(GetReal, REFERENCES, double values[]) { return ended(c, get(MODEL, refs, n, values)); }
FUNCTION(SetReal, REFERENCES, const double values[]) { return ended(c, set(MODEL, refs, n, values)); }
FUNCTION(DoStep, double from, double step, Boolean final) { return ended(c, advance(MODEL, from, step)); }

FUNCTION(GetRealStatus, const fmi2StatusKind kind, double *value) {
	*value = MODEL->time;
	return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}
FUNCTION(GetStatus, const fmi2StatusKind kind, Status *value) { return fmi2Discard; }
FUNCTION(GetIntegerStatus, const fmi2StatusKind kind, int *value) { return fmi2Discard; }
FUNCTION(GetBooleanStatus, const fmi2StatusKind kind, Boolean *value) { return fmi2Discard; }
FUNCTION(GetStringStatus, const fmi2StatusKind kind, const char **value) { return fmi2Discard; }

/* All other functions must exist. */
ABSENT(GetInteger, REFERENCES, int values[])
ABSENT(SetInteger, REFERENCES, const int values[])
ABSENT(GetBoolean, REFERENCES, Boolean values[])
ABSENT(SetBoolean, REFERENCES, const Boolean values[])
ABSENT(GetString, REFERENCES, const char *values[])
ABSENT(SetString, REFERENCES, const char *const values[])
ABSENT(GetDirectionalDerivative, REFERENCES, const uint32_t known[], size_t nk, const double seed[], double values[])
ABSENT(SetRealInputDerivatives, REFERENCES, const int orders[], const double values[])
ABSENT(GetRealOutputDerivatives, REFERENCES, const int orders[], double values[])
ABSENT_COMMAND(CancelStep)
