/* Drives a model as importers do. Reads the parameters, then lines of a step in s and the powers in W, and writes the
 * temperatures in K after each step. Every step is taken twice: with other powers, then from the restored state. */
#include <stdio.h>
#include "model.c"

static int messages;

#if FMI == 2
#define GET(refs, n, v) fmi2GetReal(c, refs, n, v)
#define SET(refs, n, v) fmi2SetReal(c, refs, n, v)
#define STEP(t, dt) fmi2DoStep(c, t, dt, 0)
static void report(void *e, const char *name, fmi2Status s, const char *category, const char *format, ...) { messages++; }
#else
#define GET(refs, n, v) fmi3GetFloat64(c, refs, n, v, n)
#define SET(refs, n, v) fmi3SetFloat64(c, refs, n, v, n)
#define STEP(t, dt) fmi3DoStep(c, t, dt, 0, &event, &terminate, &early, &last)
static void report(void *e, fmi3Status s, const char *category, const char *message) { messages++; }
#endif
#define NEED(condition) do { if (!(condition)) return printf("line %d: %s\n", __LINE__, #condition); } while (0)
#define OK(call) NEED((call) == 0)

int main(void) {
	uint32_t refs[REFS];
	double v[REFS] = {0}, t = 0.25, dt;
	void *c, *state = NULL, *copied = NULL;
	size_t size;
	for (uint32_t r = 0; r < REFS; r++)
		refs[r] = r;
#if FMI == 2
	fmi2CallbackFunctions call = {.logger = report};
	NEED(!fmi2Instantiate("a", fmi2CoSimulation, "other", "", &call, 0, 0));
	NEED(c = fmi2Instantiate("a", fmi2CoSimulation, TOKEN, "", &call, 0, 0));
#else
	bool event, terminate, early;
	double last;
	NEED(!fmi3InstantiateCoSimulation("a", "other", "", 0, 0, 0, 0, NULL, 0, NULL, report, NULL));
	NEED(c = fmi3InstantiateCoSimulation("a", TOKEN, "", 0, 0, 0, 0, NULL, 0, NULL, report, NULL));
#endif
	NEED(messages == 1);
	OK(INITIALIZE(c, 0, 0, t, 0, 0));
	for (int p = 0; p < PARAMETERS; p++) {
		NEED(scanf("%lf", v) == 1);
		OK(SET(refs + AMBIENT_REF + p, 1, v));
	}
	OK(F(ExitInitializationMode)(c));
	NEED(SET(refs + FIRST_OUTPUT, 1, v) == 3 && SET(refs + REFS - 1, 1, v) == 3 && STEP(t, 0) == 3 && messages == 4);
	v[0] = NAN;
	NEED(SET(refs + 1, 1, v) == 3 && messages == 5);
	while (scanf("%lf", &dt) == 1) {
		OK(STATE(Get,)(c, &state));
		for (int i = 0; i < INPUTS; i++)
			v[i] = 1e3;
		OK(SET(refs + 1, INPUTS, v));
		OK(STEP(t, 2 * dt));
		OK(STATE(Serialized, Size)(c, state, &size));
		void *bytes = malloc(size);
		OK(STATE(Serialize,)(c, state, bytes, size));
		OK(DESERIALIZE(c, bytes, size, &copied));
		free(bytes);
		OK(STATE(Set,)(c, copied));
		for (int i = 0; i < INPUTS; i++)
			NEED(scanf("%lf", v + i) == 1);
		OK(SET(refs + 1, INPUTS, v));
		OK(STEP(t, dt));
		t += dt;
		OK(GET(refs, REFS, v));
		NEED(v[0] == t);
		for (int o = 0; o < OUTPUTS; o++)
			printf("%.17g ", v[FIRST_OUTPUT + o]);
		printf("\n");
	}
	OK(F(Terminate)(c));
	OK(STATE(Free,)(c, &state));
	OK(STATE(Free,)(c, &copied));
	F(FreeInstance)(c);
	return 0;
}
