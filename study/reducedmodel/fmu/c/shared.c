
#define MODEL (&((Instance *)c)->model)
#define FUNCTION(name, ...) EXPORT Status F(name)(void *c, __VA_ARGS__)
#define ABSENT(name, ...) FUNCTION(name, __VA_ARGS__) { return ended(c, "this function is not supported"); }
#define ABSENT_COMMAND(name) EXPORT Status F(name)(void *c) { return ended(c, "this function is not supported"); }
#define REFERENCES const uint32_t refs[], size_t n

/* instance returns a copy of s at its start, or NULL. */
static void *instance(Instance *s, bool valid) {
	Instance *copied = valid ? malloc(sizeof *s) : NULL;
	if (!copied) {
		ended(s, "expected co-simulation, the identifier of modelDescription.xml, and memory");
		return NULL;
	}
	reset(&s->model);
	*copied = *s;
	return copied;
}

EXPORT void F(FreeInstance)(void *c) { free(c); }
FUNCTION(SetDebugLogging, Boolean on, size_t n, const char *const categories[]) { return F(OK); }
EXPORT const char *F(GetVersion)(void) { return VERSION; }
EXPORT Status INITIALIZE(void *c, Boolean tolerant, double tolerance, double start, Boolean stops, double stop) {
	MODEL->time = start;
	return F(OK);
}
EXPORT Status F(ExitInitializationMode)(void *c) {
	MODEL->running = 1;
	return F(OK);
}
EXPORT Status F(Terminate)(void *c) { return F(OK); }
EXPORT Status F(Reset)(void *c) {
	reset(MODEL);
	return F(OK);
}

EXPORT Status STATE(Get,)(void *c, void **state) { return ended(c, save(MODEL, state)); }
EXPORT Status STATE(Set,)(void *c, void *state) { return ended(c, copy(MODEL, state, sizeof(Model))); }
EXPORT Status STATE(Free,)(void *c, void **state) {
	free(*state);
	*state = NULL;
	return F(OK);
}
EXPORT Status STATE(Serialized, Size)(void *c, void *state, size_t *size) {
	*size = sizeof(Model);
	return F(OK);
}
EXPORT Status STATE(Serialize,)(void *c, void *state, Byte bytes[], size_t size) {
	return ended(c, copy(bytes, state, size));
}
EXPORT Status DESERIALIZE(void *c, const Byte bytes[], size_t size, void **state) {
	const char *failed = save(MODEL, state);
	return ended(c, failed ? failed : copy(*state, bytes, size));
}
