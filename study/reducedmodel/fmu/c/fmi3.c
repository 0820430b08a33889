
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
		bool logging, bool events, bool early, const uint32_t refs[], size_t n, void *environment,
		fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
	Instance s = {.log = log, .environment = environment};
	return instance(&s, strcmp(token, TOKEN) == 0);
}

FUNCTION(GetFloat64, REFERENCES, double values[], size_t nv) {
	return ended(c, n == nv ? get(MODEL, refs, n, values) : "expected a value per reference");
}
FUNCTION(SetFloat64, REFERENCES, const double values[], size_t nv) {
	return ended(c, n == nv ? set(MODEL, refs, n, values) : "expected a value per reference");
}
FUNCTION(DoStep, double from, double step, bool final, bool *event, bool *terminate, bool *early, double *last) {
	const char *failed = advance(MODEL, from, step);
	*event = *terminate = *early = false;
	*last = MODEL->time;
	return ended(c, failed);
}

/* All other functions must exist. */
EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
		bool logging, void *environment, fmi3LogMessageCallback log) {
	return NULL;
}
EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
		bool logging, void *environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
		fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
	return NULL;
}
#define ABSENT_TYPE(name, type) \
	ABSENT(Get##name, REFERENCES, type values[], size_t nv) \
	ABSENT(Set##name, REFERENCES, type const values[], size_t nv)
ABSENT_TYPE(Float32, float) ABSENT_TYPE(Boolean, bool) ABSENT_TYPE(String, const char *)
ABSENT_TYPE(Int8, int8_t) ABSENT_TYPE(Int16, int16_t) ABSENT_TYPE(Int32, int32_t) ABSENT_TYPE(Int64, int64_t)
ABSENT_TYPE(UInt8, uint8_t) ABSENT_TYPE(UInt16, uint16_t) ABSENT_TYPE(UInt32, uint32_t) ABSENT_TYPE(UInt64, uint64_t)
ABSENT(GetBinary, REFERENCES, size_t sizes[], const uint8_t *values[], size_t nv)
ABSENT(SetBinary, REFERENCES, const size_t sizes[], const uint8_t *const values[], size_t nv)
ABSENT(GetClock, REFERENCES, bool values[])
ABSENT(SetClock, REFERENCES, const bool values[])
ABSENT(GetShiftDecimal, REFERENCES, double shifts[])
ABSENT(SetShiftDecimal, REFERENCES, const double shifts[])
ABSENT(GetShiftFraction, REFERENCES, uint64_t counters[], uint64_t resolutions[])
ABSENT(SetShiftFraction, REFERENCES, const uint64_t counters[], const uint64_t resolutions[])
ABSENT(GetIntervalDecimal, REFERENCES, double intervals[], fmi3IntervalQualifier qualifiers[])
ABSENT(SetIntervalDecimal, REFERENCES, const double intervals[])
ABSENT(GetIntervalFraction, REFERENCES, uint64_t counters[], uint64_t resolutions[], fmi3IntervalQualifier qualifiers[])
ABSENT(SetIntervalFraction, REFERENCES, const uint64_t counters[], const uint64_t resolutions[])
ABSENT(GetNumberOfVariableDependencies, uint32_t ref, size_t *n)
ABSENT(GetVariableDependencies, uint32_t ref, size_t elements[], uint32_t refs[], size_t of[],
	fmi3DependencyKind kinds[], size_t n)
#define DERIVATIVE REFERENCES, const uint32_t known[], size_t nk, const double seed[], size_t ns, double values[], size_t nv
ABSENT(GetDirectionalDerivative, DERIVATIVE)
ABSENT(GetAdjointDerivative, DERIVATIVE)
ABSENT(GetOutputDerivatives, REFERENCES, const int32_t orders[], double values[], size_t nv)
ABSENT_COMMAND(EnterConfigurationMode)
ABSENT_COMMAND(ExitConfigurationMode)
ABSENT_COMMAND(EnterEventMode)
ABSENT_COMMAND(EnterStepMode)
ABSENT_COMMAND(EnterContinuousTimeMode)
ABSENT_COMMAND(EvaluateDiscreteStates)
ABSENT(UpdateDiscreteStates, bool *again, bool *end, bool *nominals, bool *values, bool *defined, double *next)
ABSENT(CompletedIntegratorStep, bool final, bool *event, bool *terminate)
ABSENT(SetTime, double time)
ABSENT(SetContinuousStates, const double states[], size_t n)
ABSENT(GetContinuousStates, double states[], size_t n)
ABSENT(GetContinuousStateDerivatives, double derivatives[], size_t n)
ABSENT(GetNominalsOfContinuousStates, double nominals[], size_t n)
ABSENT(GetEventIndicators, double indicators[], size_t n)
ABSENT(GetNumberOfEventIndicators, size_t *n)
ABSENT(GetNumberOfContinuousStates, size_t *n)
ABSENT(ActivateModelPartition, uint32_t clock, double time)
