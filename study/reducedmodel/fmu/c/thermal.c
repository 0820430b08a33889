#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define DLL_EXPORT __declspec(dllexport)
#else
#define DLL_EXPORT
#endif

/* The thermal model, in steps that are exact for any length while powers are constant:
 * TAU dz/dt = -z + B power, temperature = REST + (ambient - AMBIENT) + L z, in W, K and s.
 * Value references: 0 time, then powers, temperatures, and the parameters ambient and initial if the model has them. */

typedef struct {
	double time, ambient, initial, power[INPUTS], z[STATES];
	double step, keep[STATES], gain[STATES]; /* decay and gain of each state after the last length of a step */
	int running;                             /* initialization has ended: parameters are fixed */
} Model;

enum { FIRST_OUTPUT = 1 + INPUTS, AMBIENT_REF = FIRST_OUTPUT + OUTPUTS, REFS = AMBIENT_REF + PARAMETERS };

/* begin sets the state at time 0: a uniform temperature, whose rise above ambient scales with START. */
static void begin(Model *m) {
	double scale = PARAMETERS == 2 ? (m->initial - m->ambient) / (INITIAL - AMBIENT) : 1;
	for (int k = 0; k < STATES; k++)
		m->z[k] = START[k] * scale;
}

static void reset(Model *m) {
	memset(m, 0, sizeof *m);
	m->ambient = AMBIENT;
	m->initial = INITIAL;
	memcpy(m->power, WATTS, sizeof WATTS);
	begin(m);
}

/* advance, get and set return an error message, or NULL. */
static const char *advance(Model *m, double from, double step) {
	if (!(step > 0) || isinf(step))
		return "the length of a step must be positive and finite";
	if (step != m->step) {
		for (int k = 0; k < STATES; k++) {
			m->keep[k] = exp(-step / TAU[k]);
			m->gain[k] = -expm1(-step / TAU[k]);
		}
		m->step = step;
	}
	for (int k = 0; k < STATES; k++) {
		double drive = 0;
		for (int i = 0; i < INPUTS; i++)
			drive += B[k * INPUTS + i] * m->power[i];
		m->z[k] = m->keep[k] * m->z[k] + m->gain[k] * drive;
	}
	m->time = from + step;
	return NULL;
}

static double temperature(const Model *m, int o) {
	double rise = 0;
	for (int k = 0; k < STATES; k++)
		rise += L[o * STATES + k] * m->z[k];
	return REST[o] + (m->ambient - AMBIENT) + rise;
}

static const char *get(const Model *m, const uint32_t refs[], size_t n, double values[]) {
	for (size_t v = 0; v < n; v++) {
		uint32_t r = refs[v];
		if (r >= REFS)
			return "unknown value reference";
		if (r == 0)
			values[v] = m->time;
		else if (r < FIRST_OUTPUT)
			values[v] = m->power[r - 1];
		else if (r < AMBIENT_REF)
			values[v] = temperature(m, (int)r - FIRST_OUTPUT);
		else
			values[v] = r == AMBIENT_REF ? m->ambient : m->initial;
	}
	return NULL;
}

static const char *set(Model *m, const uint32_t refs[], size_t n, const double values[]) {
	for (size_t v = 0; v < n; v++) {
		uint32_t r = refs[v];
		if (!isfinite(values[v]))
			return "a value is not finite";
		if (r == 0 || r >= REFS || (r >= FIRST_OUTPUT && r < AMBIENT_REF))
			return "only powers and parameters can be set";
		if (r < FIRST_OUTPUT) {
			m->power[r - 1] = values[v];
			continue;
		}
		if (m->running)
			return "parameters are fixed after initialization";
		*(r == AMBIENT_REF ? &m->ambient : &m->initial) = values[v];
		begin(m);
	}
	return NULL;
}

/* save copies a model to *state, which it allocates if it is NULL; copy copies a model to or from bytes. */
static const char *save(const Model *m, void **state) {
	if (!*state && !(*state = malloc(sizeof *m)))
		return "out of memory";
	memcpy(*state, m, sizeof *m);
	return NULL;
}

static const char *copy(void *to, const void *from, size_t size) {
	if (size != sizeof(Model))
		return "the serialized state has a different size";
	memcpy(to, from, size);
	return NULL;
}
