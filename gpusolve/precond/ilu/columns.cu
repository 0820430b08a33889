// Triangular solves of order 0 on flat grids, by strips of rows (docs/ilu.md). A warp has a strip: lane g ROWS + y has row y of the strip and PLANES planes from
// g PLANES on, and at step s computes its planes' cells with i + y + k = s. All that these need is a step old: the neighbour along x and those below within the
// lane are in its registers, the others come by shuffles. So a step has no barrier and no chain of sums.
//
// The factor and the field lie by strips, then by s mod nx, planes and lanes. Other warps of the block load them CHUNK steps at a time into shared memory, and
// one warp reads what the strip before sends. Messages are their own flags: places hold ABSENT, a NaN that no arithmetic gives, until the value is there.
//
// Upper solves are lower solves of the grid turned round (coordinates primed). There a cell's entries tie it to the cells that wait for it, so products are
// sent rather than values.
#include "wavefront.h"

enum { THREADS = 256, SQUARE = 32, LANES = 32 };

#define ABSENT 0xffffffffu

typedef float Four __attribute__((ext_vector_type(4)));

// Strip is the shape of strips: ROWS rows, and planes in GROUPS groups of PLANES.
template <int PLANES_, int GROUPS_> struct Strip {
  enum { PLANES = PLANES_, GROUPS = GROUPS_, ROWS = LANES / GROUPS, HEIGHT = PLANES * GROUPS };
  // In units of four numbers: a step's part of a factor, of a field, and a lane's message.
  enum { FACTOR = (3 * PLANES + 3) / 4 * LANES, FIELD = PLANES * LANES / 4, MESSAGE = (PLANES + 3) / 4 };
};

DEVICE void publish(Four *at, Four v) {
  asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]));
}

DEVICE u32 receive(const float *at) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at));
  return v;
}

DEVICE float fromLane(float v, int below) { return __builtin_bit_cast(float, __nvvm_shfl_sync_up_i32(-1, __builtin_bit_cast(int, v), below, 0)); }

// Rows is what a lane needs from memory for a step.
template <class S, bool UPPER> struct Rows {
  enum { P = S::PLANES };
  Four factor[S::FACTOR / LANES];
  float right[P], inverse[P];

  // load reads a step from shared memory. Upper solves see lanes and planes the other way round.
  METHOD void load(const Four *step, int lane) {
    int at = UPPER ? LANES - 1 - lane : lane;
#pragma unroll
    for (int q = 0; q < S::FACTOR / LANES; q++) factor[q] = step[q * LANES + at];
    const float *field = (const float *)(step + S::FACTOR) + at;
#pragma unroll
    for (int p = 0; p < P; p++) {
      int o = (UPPER ? P - 1 - p : p) * LANES;
      right[p] = field[o];
      if (UPPER) inverse[p] = field[o + S::FIELD * 4];
    }
  }
  METHOD float entry(int diagonal, int p) const {
    int e = diagonal * P + (UPPER ? P - 1 - p : p);
    return factor[e / 4][e % 4];
  }
};

// March is a lane on its way along x.
template <class S, int CHUNK, bool UPPER> struct March {
  enum { P = S::PLANES };
  int nx, lane, y, group, below; // below: y + first plane, by which the lane is behind
  float self[P];                 // values of the last step
  float alongX[P], alongZ[P];    // UPPER: entries of the last step
  float sent[P];                 // along y: the values, or their products with the entries
  float *w;                      // of the strip, at the lane
  Four *out;                     // messages to the next strip, of this lane's group; null where there is none

  METHOD void start(int nxOf, int laneOf) {
    nx = nxOf, lane = laneOf, y = lane % S::ROWS, group = lane / S::ROWS, below = y + group * P;
#pragma unroll
    for (int p = 0; p < P; p++) self[p] = alongX[p] = alongZ[p] = sent[p] = 0;
  }
  // step computes the cells at `s`, kept in slot `slot`. before are the messages of the strip before to this step. In the midst of a sweep all lanes have cells.
  template <bool MIDST> METHOD void step(int s, int slot, const Rows<S, UPPER> &e, const float *before) {
    float fromZ = fromLane(UPPER ? alongZ[P - 1] * self[P - 1] : self[P - 1], S::GROUPS > 1 ? S::ROWS : 1), v[P];
    if (group == 0) fromZ = 0;
#pragma unroll
    for (int p = 0; p < P; p++) {
      float fromY = fromLane(sent[p], 1);
      if (y == 0) fromY = before[group * P + p];
      if (UPPER) {
        v[p] = e.right[p] * e.inverse[p];
        v[p] -= p ? alongZ[p ? p - 1 : 0] * self[p ? p - 1 : 0] : fromZ;
        v[p] -= fromY;
        v[p] -= alongX[p] * self[p];
      } else {
        v[p] = e.right[p] - e.entry(2, p) * (p ? self[p ? p - 1 : 0] : fromZ);
        v[p] -= e.entry(1, p) * fromY;
        v[p] -= e.entry(0, p) * self[p];
      }
    }
    float *to = w + slot * (S::FIELD * 4);
#pragma unroll
    for (int p = 0; p < P; p++) {
      bool active = MIDST || (u32)(s - below - p) < (u32)nx;
      if (active) to[(UPPER ? P - 1 - p : p) * LANES] = v[p];
      self[p] = active ? v[p] : 0;
      sent[p] = UPPER ? e.entry(1, p) * self[p] : self[p];
      if (UPPER) alongX[p] = e.entry(0, p), alongZ[p] = e.entry(2, p);
    }
    int x = s - (S::ROWS - 1);
    if (y == S::ROWS - 1 && out && (MIDST || (u32)x < (u32)(nx + S::HEIGHT - 1))) {
      Four *place = out + x * (S::GROUPS * S::MESSAGE);
#pragma unroll
      for (int q = 0; q < S::MESSAGE; q++) {
        Four m = {};
#pragma unroll
        for (int p = 4 * q; p < 4 * q + 4; p++)
          if (p < P) m[p - 4 * q] = sent[p < P ? p : 0];
        publish(place + q, m);
      }
    }
  }
  template <bool MIDST> METHOD void chunk(int first, int slot, const Four *stage, const float *messages) {
    enum { STEP = S::FACTOR + S::FIELD * (UPPER ? 2 : 1) };
    Rows<S, UPPER> e[2];
    e[0].load(stage, lane);
#pragma unroll
    for (int c = 0; c < CHUNK; c++) {
      if (c + 1 < CHUNK) e[(c + 1) % 2].load(stage + (c + 1) * STEP, lane);
      step<MIDST>(first + c, slot, e[c % 2], messages + c * S::HEIGHT);
      slot += UPPER ? -1 : 1;
      if (slot < 0) slot += nx;
      if (slot >= nx) slot -= nx;
    }
  }
};

// sweep runs one strip. Warp 0 computes, warp 4, which shares its scheduler, reads messages, and two groups of three warps load factor and field by turns, two
// chunks before their use. nx is more than 4 CHUNK, so that slots that are read and written at a time differ.
template <class S, int CHUNK, bool UPPER>
DEVICE void sweep(int nx, int strips, int *state, const Four *RESTRICT factor, const Four *RESTRICT inverse, float *w, float *messages) {
  enum { STEP = S::FACTOR + S::FIELD * (UPPER ? 2 : 1), UNITS = STEP * CHUNK, LOADERS = 96, TURNS = 2, EACH = (UNITS + LOADERS - 1) / LOADERS };
  enum { WORDS = CHUNK * S::HEIGHT, LENGTH = S::GROUPS * S::MESSAGE };
  SHARED int ticket;
  SHARED Four stage[2][UNITS];
  SHARED float edge[2][WORDS];
  int t = threadX(), warp = t / 32, lane = t % 32, own = take(state, &ticket), strip = UPPER ? strips - 1 - own : own;
  int top = nx - 1 + S::ROWS - 1 + S::HEIGHT - 1, chunks = top / CHUNK + 1;
  i64 sent = (i64)(nx + S::HEIGHT) * LENGTH; // a strip's messages, in fours
  i64 slots = (i64)strip * nx;
  factor += slots * S::FACTOR;
  inverse += slots * S::FIELD;
  w += slots * (S::FIELD * 4);

  March<S, CHUNK, UPPER> march;
  march.start(nx, lane);
  march.w = w + (UPPER ? LANES - 1 - lane : lane);
  march.out = own + 1 < strips ? (Four *)messages + own * sent + march.group * S::MESSAGE : nullptr;
  const float *from = messages + (own - 1) * sent * 4;

  // A loader's part: its units of a chunk.
  bool loads = warp != 0 && warp != 4;
  int loader = (warp < 4 ? warp - 1 : warp - 2) * 32 + lane, turn = loader / LOADERS, unit = loader % LOADERS;
  Four under[EACH];

  for (int n = -1 - TURNS; n < chunks; n++) {
    if (warp == 0 && n >= 0) {
      int first = n * CHUNK, slot = slabOf(UPPER ? top - first : first, nx);
      if (first >= S::ROWS - 1 + S::HEIGHT - 1 && first + CHUNK <= nx)
        march.template chunk<true>(first, slot, stage[n & 1], edge[n & 1]);
      else
        march.template chunk<false>(first, slot, stage[n & 1], edge[n & 1]);
    }
    if (warp == 4 && n >= -1) {
      float *to = edge[(n + 1) & 1];
#pragma unroll
      for (int u = 0; u < (WORDS + 31) / 32; u++) {
        int at = u * 32 + lane, k = at % S::HEIGHT, x = (n + 1) * CHUNK + at / S::HEIGHT;
        if (at >= WORDS) continue;
        u32 v = 0;
        if (own > 0 && (u32)x < (u32)(nx + S::HEIGHT - 1)) {
          const float *place = from + ((i64)x * LENGTH + k / S::PLANES * S::MESSAGE) * 4 + k % S::PLANES;
          v = receive(place);
#pragma clang loop unroll(disable)
          for (int tries = 0; v == ABSENT; v = receive(place))
            if (++tries == PATIENCE) __builtin_trap();
        }
        to[at] = __builtin_bit_cast(float, v);
      }
    }
    if (loads && ((n + 1) & 1) == turn) {
      Four *to = stage[(n + 1) & 1];
      int slot = slabOf(UPPER ? top - (n + 1 + TURNS) * CHUNK : (n + 1 + TURNS) * CHUNK, nx);
#pragma unroll
      for (int u = 0; u < EACH; u++) {
        int at = u * LOADERS + unit;
        if (n >= -1 && at < UNITS) to[at] = under[u];
      }
#pragma unroll
      for (int u = 0; u < EACH; u++) {
        int at = u * LOADERS + unit, o = at % STEP, c = UPPER ? slot - at / STEP : slot + at / STEP;
        if (at >= UNITS) continue;
        if (c < 0) c += nx;
        if (c >= nx) c -= nx;
        if (o < S::FACTOR)
          under[u] = factor[(i64)c * S::FACTOR + o];
        else if (o < S::FACTOR + S::FIELD)
          under[u] = ((const Four *)w)[(i64)c * S::FIELD + o - S::FACTOR];
        else
          under[u] = inverse[(i64)c * S::FIELD + o - S::FACTOR - S::FIELD];
      }
    }
    barrier();
  }
}

KERNEL void BOUNDS(THREADS) lowerBy32(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<10, 1>, 2, false>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) upperBy32(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<10, 1>, 2, true>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) lowerBy16(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<5, 2>, 4, false>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) upperBy16(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<5, 2>, 4, true>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) lowerBy16Six(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<5, 2>, 6, false>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) upperBy16Six(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<5, 2>, 6, true>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) lowerBy8(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<3, 4>, 4, false>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) upperBy8(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<3, 4>, 4, true>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) lowerBy8Eight(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<3, 4>, 8, false>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

KERNEL void BOUNDS(THREADS) upperBy8Eight(int nx, int strips, int *state, const float *RESTRICT factor, const float *RESTRICT inverse, float *w, float *messages) {
  sweep<Strip<3, 4>, 8, true>(nx, strips, state, (const Four *)factor, (const Four *)inverse, w, messages);
}

// Fields change layout by squares of SQUARE slots and rows of a plane, planes and rows that strips have beside the grid among them.
struct Patch {
  int slot, j, k;
};

DEVICE Patch patchOf(int nx, int rows, int strips) {
  int across = (nx + SQUARE - 1) / SQUARE, along = (strips * rows + SQUARE - 1) / SQUARE, b = blockX();
  Patch s = {b % across * SQUARE, b / across % along * SQUARE, b / across / along};
  return s;
}

// inStrips is the place of the cell of row j and plane k that a slot holds.
DEVICE i64 inStrips(int nx, int rows, int planes, int slot, int j, int k) {
  return (((i64)(j / rows) * nx + slot) * planes + k % planes) * LANES + k / planes * rows + j % rows;
}

// toStrips lays a field out by strips, and readies states and messages of the solves that follow.
KERNEL void BOUNDS(THREADS) toStrips(int nx, int ny, int nz, int strips, int rows, int planes, const float *RESTRICT from, float *RESTRICT to, int *state,
                                     float *messages, i64 words) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Patch s = patchOf(nx, rows, strips);
  if (blockX() == 0 && threadX() < 2) state[threadX()] = 0;
  for (i64 n = (i64)blockX() * THREADS + threadX(); n < words; n += (i64)gridX() * THREADS) ((u32 *)messages)[n] = ABSENT;
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE) {
    int j = s.j + r, i = slabOf(s.slot + x - j % rows - s.k, nx);
    square[r][x] = j < ny && s.k < nz && s.slot + x < nx ? from[((i64)s.k * ny + j) * nx + i] : 0;
  }
  barrier();
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE)
    if (s.slot + r < nx && s.j + x < strips * rows) to[inStrips(nx, rows, planes, s.slot + r, s.j + x, s.k)] = square[x][r];
}

// fromStrips is the way back.
KERNEL void BOUNDS(THREADS) fromStrips(int nx, int ny, int strips, int rows, int planes, const float *RESTRICT from, float *RESTRICT to) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Patch s = patchOf(nx, rows, strips);
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE)
    if (s.slot + r < nx && s.j + x < ny) square[x][r] = from[inStrips(nx, rows, planes, s.slot + r, s.j + x, s.k)];
  barrier();
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE) {
    int j = s.j + r, i = slabOf(s.slot + x - j % rows - s.k, nx);
    if (j < ny && s.slot + x < nx) to[((i64)s.k * ny + j) * nx + i] = square[r][x];
  }
}

// packStrips rounds `diagonals` of them, laid out by levels, to FP32 and lays them out by strips: three as a factor, by lanes in fours, one as a field.
KERNEL void BOUNDS(THREADS) packStrips(int nx, int ny, int nz, int strips, int rows, int planes, int diagonals, const double *RESTRICT from, float *RESTRICT to) {
  i64 n = (i64)nx * ny * nz, cells = (i64)strips * nx * planes * LANES, stride = (i64)gridX() * THREADS;
  int fours = (diagonals * planes + 3) / 4 * 4;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < cells; c += stride) {
    int lane = c % LANES, p = c / LANES % planes;
    i64 line = c / LANES / planes; // slot of a strip
    int slot = line % nx, j = line / nx * rows + lane % rows, k = lane / rows * planes + p, i = slabOf(slot - lane % rows - k, nx);
    for (int d = 0; d < diagonals; d++) {
      int e = d * planes + p;
      float v = j < ny && k < nz ? (float)from[d * n + ((i64)slabOf(i + j + k, nx) * nz + k) * ny + j] : 0;
      if (diagonals == 1)
        to[c] = v;
      else
        to[(line * fours + e / 4 * 4) * LANES + lane * 4 + e % 4] = v;
    }
    // What fills the last four of a lane is loaded with it.
    if (diagonals > 1 && p == planes - 1)
      for (int e = diagonals * planes; e < fours; e++) to[(line * fours + e / 4 * 4) * LANES + lane * 4 + e % 4] = 0;
  }
}
