// Triangular solves of order 0 on flat grids, by strips of rows (docs/ilu.md). A warp has a strip: lane g ROWS + y has row y of the strip and PLANES planes from
// g PLANES on, and at step s computes its planes' cells with i + y + k = s. All that these need is a step old: the neighbour along x and those below within the
// lane are in its registers, the others come by shuffles. So a step has no barrier and no chain of sums.
//
// The factor and the field lie by strips, then by s mod nx, planes and lanes. Other warps of the block load them CHUNK steps at a time into shared memory, and
// one warp reads what the strip before sends. Messages are their own flags: a place holds ABSENT, a NaN that no arithmetic gives, but from when the value is
// sent to when it is taken.
//
// Upper solves are lower solves of the grid turned round (coordinates primed). There a cell's entries tie it to the cells that wait for it, so products are
// sent rather than values.
#include "wavefront.h"

enum { THREADS = 256, SQUARE = 32, LANES = 32 };

enum { X, Y, Z, XY, XZ, YZ };

#define ABSENT 0xffffffffu

typedef float Four __attribute__((ext_vector_type(4)));

// Strip is the shape of strips: ROWS rows, and planes in GROUPS groups of PLANES.
template <int ORDER_, int PLANES_, int GROUPS_> struct Strip {
  enum { ORDER = ORDER_, PLANES = PLANES_, GROUPS = GROUPS_, ROWS = LANES / GROUPS, HEIGHT = PLANES * GROUPS };
  // In units of four numbers: a step's part of a factor, of a field, and a lane's message.
  enum { FACTOR = (3 * (1 + ORDER) * PLANES + 3) / 4 * LANES, FIELD = PLANES * LANES / 4, MESSAGE = (PLANES + 3) / 4 };
  // Steps from the first to that in which all lanes have cells.
  enum { RAMP = (1 + ORDER) * (ROWS - 1) + HEIGHT - 1 + ORDER };
};

// publish stores a message where there is one, without a branch.
DEVICE void publish(bool there, Four *at, Four v) {
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.relaxed.gpu.global.v4.f32 [%1], {%2, %3, %4, %5}; }" ::"r"((int)there), "l"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]));
}

DEVICE Four receive(const Four *at) {
  float a, b, c, d;
  asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(at));
  return Four{a, b, c, d};
}

DEVICE bool absent(Four v) {
  bool any = false;
  for (int n = 0; n < 4; n++) any |= __builtin_bit_cast(u32, v[n]) == ABSENT;
  return any;
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
  enum { P = S::PLANES, STEP = S::FACTOR + S::FIELD * (UPPER ? 2 : 1), LENGTH = S::GROUPS * S::MESSAGE };
  int nx, lane, y, group, below; // below: steps by which the lane's first plane is behind
  int slot;                      // of the next step
  Rows<S, UPPER> rows[2];        // of the next step, by turns
  float self[P];                 // values of the last step
  float alongX[P], alongZ[P];    // UPPER: entries of the last step
  float sent[P];                 // along y: the values, or their products with the entries
  // Of ORDER 1 also, in lower solves: what came along y one and two steps ago, and what came to the plane below the lane's first two steps ago. UPPER: products that
  // are sent with the next step's, those with Z of the last step, and what the plane above the lane's last is sent.
  float one[P], two[P], across;
  float *w;                      // of the strip, at the lane
  Four *out;                     // messages to the next strip, of this lane's group; null where there is none, and of lanes that send none

  METHOD void start(int nxOf, int laneOf, int top, float *wOf, Four *next) {
    nx = nxOf, lane = laneOf, y = lane % S::ROWS, group = lane / S::ROWS, below = (1 + S::ORDER) * y + group * P + S::ORDER;
    slot = slabOf(UPPER ? top : -S::ORDER, nx);
    w = wOf + (UPPER ? LANES - 1 - lane : lane);
    out = next && y == S::ROWS - 1 ? next + group * S::MESSAGE : nullptr;
  }
  // keep takes what lasts from chunk to chunk from a bank of registers, or puts it there. Loaders keep other things in the same.
  enum { ROW = S::FACTOR / LANES * 4, KEPT = ROW + P * (UPPER ? 2 : 1) + P * (S::ORDER ? 4 : 2) + (UPPER ? 2 * P : 0) + S::ORDER };
  template <bool IN> METHOD void keep(float *bank) {
    int n = 0;
#pragma unroll
    for (int q = 0; q < S::FACTOR / LANES; q++)
#pragma unroll
      for (int r = 0; r < 4; r++, n++)
        if (IN)
          rows[0].factor[q][r] = bank[n];
        else
          bank[n] = rows[0].factor[q][r];
#pragma unroll
    for (int p = 0; p < P; p++) {
      keep<IN>(bank, &n, &rows[0].right[p]);
      keep<IN>(bank, &n, &self[p]);
      keep<IN>(bank, &n, &sent[p]);
      if (UPPER) keep<IN>(bank, &n, &rows[0].inverse[p]), keep<IN>(bank, &n, &alongX[p]), keep<IN>(bank, &n, &alongZ[p]);
      if (S::ORDER) keep<IN>(bank, &n, &one[p]), keep<IN>(bank, &n, &two[p]);
    }
    if (S::ORDER) keep<IN>(bank, &n, &across);
  }
  template <bool IN> METHOD static void keep(float *bank, int *n, float *v) {
    if (IN)
      *v = bank[(*n)++];
    else
      bank[(*n)++] = *v;
  }
  METHOD float fromGroup(float v) const {
    if (S::GROUPS == 1) return 0;
    v = fromLane(v, S::ROWS);
    return group == 0 ? 0 : v;
  }
  // remember keeps what later steps and other lanes need of this one.
  METHOD void remember(const Rows<S, UPPER> &e, const float (&fromY)[P], float corner) {
#pragma unroll
    for (int p = 0; p < P; p++) {
      if (!UPPER) sent[p] = self[p];
      if (UPPER && !S::ORDER) sent[p] = e.entry(Y, p) * self[p];
      if (UPPER && S::ORDER) sent[p] = e.entry(XY, p) * self[p] + (p ? one[p] : one[p] + corner);
      if (UPPER) alongX[p] = e.entry(X, p), alongZ[p] = e.entry(S::ORDER ? YZ : Z, p);
    }
    if (!S::ORDER) return;
#pragma unroll
    for (int p = 0; p < P; p++) {
      int q = p ? p - 1 : 0;
      if (UPPER) {
        one[p] = e.entry(Y, p) * self[p];
        if (p) one[p] += e.entry(XZ, q) * self[q] + two[q];
      } else
        two[p] = one[p], one[p] = fromY[p];
    }
    if (!UPPER) {
      across = corner;
      return;
    }
    across = e.entry(XZ, P - 1) * self[P - 1] + two[P - 1];
#pragma unroll
    for (int p = 0; p < P; p++) two[p] = e.entry(Z, p) * self[p];
  }
  // step computes the cells at `s`. before are the messages of the strip before to this step. In the midst of a sweep all lanes have cells.
  template <bool MIDST> METHOD void step(int s, const Rows<S, UPPER> &e, const Four *before) {
    float v[P], fromY[P], fromZ = fromGroup(UPPER ? alongZ[P - 1] * self[P - 1] : self[P - 1]), corner = 0;
    if (S::ORDER) corner = fromGroup(UPPER ? across : one[P - 1]);
#pragma unroll
    for (int p = 0; p < P; p++) {
      fromY[p] = fromLane(sent[p], 1);
      fromY[p] = y == 0 ? before[p / 4][p % 4] : fromY[p];
    }
#pragma unroll
    for (int p = 0; p < P; p++) {
      int q = p ? p - 1 : 0;
      if (UPPER) {
        v[p] = e.right[p] * e.inverse[p];
        v[p] -= p ? alongZ[q] * self[q] : fromZ;
        v[p] -= alongX[p] * self[p];
        v[p] -= fromY[p];
      } else {
        v[p] = e.right[p];
        if (S::ORDER) {
          v[p] -= e.entry(Z, p) * (p ? two[q] : across);
          v[p] -= e.entry(XZ, p) * (p ? one[q] : corner);
          v[p] -= e.entry(Y, p) * one[p];
        }
        v[p] -= e.entry(S::ORDER ? YZ : Z, p) * (p ? self[q] : fromZ);
        v[p] -= e.entry(S::ORDER ? XY : Y, p) * fromY[p];
        v[p] -= e.entry(X, p) * self[p];
      }
    }
    float *to = w + slot * (S::FIELD * 4);
#pragma unroll
    for (int p = 0; p < P; p++) {
      bool active = MIDST || (u32)(s - below - p) < (u32)nx;
      if (active) to[(UPPER ? P - 1 - p : p) * LANES] = v[p];
      self[p] = active ? v[p] : 0;
    }
    remember(e, fromY, corner);
    int x = s + 1 - (1 + S::ORDER) * S::ROWS;
    bool there = out && (MIDST || (u32)x < (u32)(nx + S::HEIGHT - 1 + S::ORDER));
    Four *place = out + x * LENGTH;
#pragma unroll
    for (int q = 0; q < S::MESSAGE; q++) {
      Four m = {};
#pragma unroll
      for (int p = 4 * q; p < 4 * q + 4; p++)
        if (p < P) m[p - 4 * q] = sent[p < P ? p : 0];
      publish(there, place + q, m);
    }
    slot += UPPER ? -1 : 1;
    if (slot == (UPPER ? -1 : nx)) slot = UPPER ? nx - 1 : 0;
  }
  // chunk computes steps that are in shared memory, and takes the first of the next from there.
  template <bool MIDST> METHOD void chunk(int first, const Four *stage, const Four *next, const Four *messages) {
    Four before[2][S::MESSAGE];
#pragma unroll
    for (int c = 0; c < CHUNK; c++) {
#pragma unroll
      for (int q = 0; q < S::MESSAGE; q++) {
        if (c == 0) before[0][q] = messages[group * S::MESSAGE + q];
        if (c + 1 < CHUNK) before[(c + 1) % 2][q] = messages[(c + 1) * LENGTH + group * S::MESSAGE + q];
      }
      rows[(c + 1) % 2].load(c + 1 < CHUNK ? stage + (c + 1) * STEP : next, lane);
      step<MIDST>(first + c, rows[c % 2], before[c % 2]);
    }
  }
};

// opaque hides from the compiler that a number stays the same, lest it keeps what follows from it in registers.
DEVICE int opaque(int v) {
  asm volatile("" : "+r"(v));
  return v;
}

// Load is what a loader has under way: its units of a chunk. COUNT of them share a chunk.
template <class S, int CHUNK, bool UPPER, int COUNT> struct Load {
  enum { STEP = S::FACTOR + S::FIELD * (UPPER ? 2 : 1), UNITS = STEP * CHUNK, EACH = (UNITS + COUNT - 1) / COUNT };
  Four under[EACH];

  METHOD void begin(int unit, int slot, int nx, const Four *factor, const Four *w, const Four *inverse) {
#pragma unroll
    for (int u = 0; u < EACH; u++) {
      int at = u * COUNT + opaque(unit), o = at % STEP, c = UPPER ? slot - at / STEP : slot + at / STEP;
      if (at >= UNITS) continue;
      if (c < 0) c += nx;
      if (c >= nx) c -= nx;
      const Four *from = factor + (i64)c * S::FACTOR + o;
      if (o >= S::FACTOR) from = w + (i64)c * S::FIELD + (o - S::FACTOR);
      if (UPPER && o >= S::FACTOR + S::FIELD) from = inverse + (i64)c * S::FIELD + (o - S::FACTOR - S::FIELD);
      under[u] = *from;
    }
  }
  METHOD void take(const float *bank) {
#pragma unroll
    for (int n = 0; n < 4 * EACH; n++) under[n / 4][n % 4] = bank[n];
  }
  METHOD void leave(float *bank) const {
#pragma unroll
    for (int n = 0; n < 4 * EACH; n++) bank[n] = under[n / 4][n % 4];
  }
  METHOD void finish(int unit, Four *to) const {
#pragma unroll
    for (int u = 0; u < EACH; u++)
      if (u * COUNT + unit < UNITS) to[u * COUNT + unit] = under[u];
  }
};

// sweep runs one strip. Warp 0 computes, warp 4, which shares its scheduler, reads messages, and the six others load factor and field, in TURNS groups by turns:
// a chunk's loads are begun TURNS chunks before they are put into shared memory, and that is two before their use. CHUNK is even. nx is more than (TURNS + 4) CHUNK,
// so that slots that are read and written at a time differ. room is shared memory for three chunks.
template <class S, int CHUNK, int TURNS, bool UPPER>
DEVICE void sweep(int nx, int strips, int *state, const float *factorOf, const float *inverseOf, float *w, float *messages, Four *room) {
  enum { STEP = S::FACTOR + S::FIELD * (UPPER ? 2 : 1), COUNT = 6 * LANES / TURNS, LENGTH = S::GROUPS * S::MESSAGE, AHEAD = 2 };
  SHARED int ticket;
  SHARED Four edge[2][CHUNK * LENGTH];
  int t = threadX(), warp = t / LANES, lane = t % LANES, own = take(state, &ticket);
  // A diamond sends what comes from the last cell but one of a row a step after its own last cell.
  int top = nx - 1 + S::RAMP, chunks = (top + S::ORDER) / CHUNK + 1, sent = nx + S::HEIGHT - 1 + S::ORDER;
  i64 slots = (i64)(UPPER ? strips - 1 - own : own) * nx, length = (i64)(sent + 1) * LENGTH; // of a strip's messages
  const Four *factor = (const Four *)factorOf + slots * S::FACTOR, *inverse = (const Four *)inverseOf + slots * S::FIELD;
  w += slots * (S::FIELD * 4);

  March<S, CHUNK, UPPER> march;
  march.start(nx, lane, top, w, own + 1 < strips ? (Four *)messages + own * length : nullptr);

  // A lane of warp 4 has a place in the messages to a chunk, and has asked for that to the next one.
  Four *from = (Four *)messages + (own - 1) * length + lane;
  float never = __builtin_bit_cast(float, ABSENT);
  Four asked = {}, none = {never, never, never, never};

  bool loads = warp != 0 && warp != 4;
  int loader = (warp < 4 ? warp - 1 : warp - 2) * LANES + lane, unit = loader % COUNT;
  int turns = TURNS - 1 - loader / COUNT;                          // until the loader's turn
  int ahead = slabOf(UPPER ? top - turns * CHUNK : turns * CHUNK - S::ORDER, nx); // slot of the first step that it loads then
  Load<S, CHUNK, UPPER, COUNT> load;
  constexpr int under = sizeof load / sizeof(float), kept = March<S, CHUNK, UPPER>::KEPT;
  float bank[under > kept ? under : kept] = {};

  int now = (6 * TURNS - AHEAD - TURNS) % 3; // which third of the room has chunk n
  for (int n = -AHEAD - TURNS; n < chunks; n++) {
    int next = now == 2 ? 0 : now + 1;
    if (warp == 0) {
      int first = n * CHUNK;
      march.template keep<true>(bank);
      if (n == -1) march.rows[0].load(room, lane);
      if (first >= S::RAMP && first + CHUNK <= nx + S::ORDER)
        march.template chunk<true>(first, room + now * (STEP * CHUNK), room + next * (STEP * CHUNK), edge[n & 1]);
      else if (n >= 0)
        march.template chunk<false>(first, room + now * (STEP * CHUNK), room + next * (STEP * CHUNK), edge[n & 1]);
      march.template keep<false>(bank);
    }
    if (warp == 4 && n >= -2 && lane < CHUNK * LENGTH) {
      Four v = asked;
      int x = (n + 1) * CHUNK + lane / LENGTH;
      if (own > 0 && x + CHUNK < sent) asked = receive(from + (i64)(n + 2) * (CHUNK * LENGTH));
      if (n >= -1) {
        if (own == 0 || x >= sent) v = Four{};
#pragma clang loop unroll(disable)
        for (int tries = 0; absent(v); v = receive(from + (i64)(n + 1) * (CHUNK * LENGTH)))
          if (++tries == PATIENCE) __builtin_trap();
        edge[(n + 1) & 1][lane] = v;
        publish(own > 0 && x < sent, from + (i64)(n + 1) * (CHUNK * LENGTH), none);
      }
    }
    if (loads && turns-- == 0) {
      int into = next == 2 ? 0 : next + 1;
      load.take(bank);
      if (n >= -AHEAD) load.finish(unit, room + into * (STEP * CHUNK));
      load.begin(unit, ahead, nx, factor, (const Four *)w, inverse);
      load.leave(bank);
      ahead += UPPER ? -TURNS * CHUNK : TURNS * CHUNK;
      if (ahead < 0) ahead += nx;
      if (ahead >= nx) ahead -= nx;
      turns = TURNS - 1;
    }
    now = next;
    barrier();
  }
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy16(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 4, 3, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy16(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 4, 3, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy16x2(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 2, 6, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy16x2(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 2, 6, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy16x8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 8, 2, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy16x8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 5, 2>, 8, 2, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 3, 4>, 4, 3, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 3, 4>, 4, 3, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy8x8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 3, 4>, 8, 2, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy8x8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 3, 4>, 8, 2, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerStarBy32(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 10, 1>, 2, 2, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperStarBy32(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<0, 10, 1>, 2, 2, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerDiamondBy16(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 5, 2>, 4, 2, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperDiamondBy16(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 5, 2>, 4, 2, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerDiamondBy16x2(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 5, 2>, 2, 3, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperDiamondBy16x2(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 5, 2>, 2, 3, true>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC lowerDiamondBy8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 3, 4>, 4, 3, false>(nx, strips, state, factor, inverse, w, messages, room);
}

KERNEL void BOUNDS(THREADS) DYNAMIC upperDiamondBy8(int nx, int strips, int *state, const float *factor, const float *inverse, float *w, float *messages) {
  DYNAMIC_SHARED Four room[];
  sweep<Strip<1, 3, 4>, 4, 3, true>(nx, strips, state, factor, inverse, w, messages, room);
}

// Fields change layout by squares of SQUARE slots and rows of a plane, planes and rows that strips have beside the grid among them.
struct Patch {
  int slot, m, k;
};

DEVICE Patch patchOf(int nx, int rows, int strips) {
  int across = (nx + SQUARE - 1) / SQUARE, along = (strips * rows + SQUARE - 1) / SQUARE, b = blockX();
  Patch s = {b % across * SQUARE, b / across % along * SQUARE, b / across / along};
  return s;
}

// Cells of a plane in the layout by strips: the one of row m = j + order k in a slot is at ((m / rows nx + slot) planes LANES) + m % rows from the first.
struct Sheet {
  int nx, bits, step, first, order, k;
  METHOD void start(int orderOf, int nxOf, int bitsOf, int planes, int kOf) {
    order = orderOf, nx = nxOf, bits = bitsOf, step = planes * LANES, k = kOf;
    first = k % planes * LANES + (k / planes << bits);
  }
  METHOD int row(int m) const { return m & ((1 << bits) - 1); }
  METHOD i64 at(int slot, int m) const { return (i64)((m >> bits) * nx + slot) * step + (row(m) + first); }
  // along is the x of the cell in a slot, in rows of 64 cells or more.
  METHOD int along(int slot, int m) const {
    int i = slot - (1 + order) * row(m) - k;
    return i < 0 ? i + nx : i;
  }
};

// toStrips lays a field out by strips of 1 << bits rows, and readies the states of the solves that follow. Cells beside the grid become zero.
KERNEL void BOUNDS(THREADS) toStrips(int order, int nx, int ny, int nz, int strips, int bits, int planes, const float *RESTRICT from, float *RESTRICT to, int *state) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Patch s = patchOf(nx, 1 << bits, strips);
  Sheet sheet;
  sheet.start(order, nx, bits, planes, s.k);
  if (blockX() == 0 && threadX() < 2) state[threadX()] = 0;
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE) {
    int m = s.m + r, j = m - order * s.k, i = sheet.along(s.slot + x, m);
    square[r][x] = (u32)j < (u32)ny && s.k < nz && s.slot + x < nx ? from[((i64)s.k * ny + j) * nx + i] : 0;
  }
  barrier();
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE)
    if (s.slot + r < nx && s.m + x < strips << bits) to[sheet.at(s.slot + r, s.m + x)] = square[x][r];
}

// fromStrips is the way back.
KERNEL void BOUNDS(THREADS) fromStrips(int order, int nx, int ny, int strips, int bits, int planes, const float *RESTRICT from, float *RESTRICT to) {
  SHARED float square[SQUARE][SQUARE + 1];
  int x = threadX() % SQUARE, y = threadX() / SQUARE;
  Patch s = patchOf(nx, 1 << bits, strips);
  Sheet sheet;
  sheet.start(order, nx, bits, planes, s.k);
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE)
    if (s.slot + r < nx && s.m + x < strips << bits) square[x][r] = from[sheet.at(s.slot + r, s.m + x)];
  barrier();
#pragma unroll
  for (int r = y; r < SQUARE; r += THREADS / SQUARE) {
    int m = s.m + r, j = m - order * s.k, i = sheet.along(s.slot + x, m);
    if ((u32)j < (u32)ny && s.slot + x < nx) to[((i64)s.k * ny + j) * nx + i] = square[r][x];
  }
}

// packStrips rounds `diagonals` of them, laid out by levels, to FP32 and lays them out by strips: three as a factor, by lanes in fours, one as a field.
KERNEL void BOUNDS(THREADS) packStrips(int order, int nx, int ny, int nz, int strips, int rows, int planes, int diagonals, const double *RESTRICT from, float *RESTRICT to) {
  i64 n = (i64)nx * ny * nz, cells = (i64)strips * nx * planes * LANES, stride = (i64)gridX() * THREADS;
  int fours = (diagonals * planes + 3) / 4 * 4;
  for (i64 c = (i64)blockX() * THREADS + threadX(); c < cells; c += stride) {
    int lane = c % LANES, p = c / LANES % planes;
    i64 line = c / LANES / planes; // slot of a strip
    int slot = line % nx, k = lane / rows * planes + p, j = line / nx * rows + lane % rows - order * k, i = slabOf(slot - (1 + order) * (lane % rows) - k, nx);
    for (int d = 0; d < diagonals; d++) {
      int e = d * planes + p;
      float v = 0;
      if ((u32)j < (u32)ny && k < nz) v = (float)from[d * n + ((i64)slabOf(i + (1 + order) * j + (1 + 2 * order) * k, nx) * nz + k) * ny + j];
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
