// Couplings, capacities and boundary terms of materials whose properties depend on temperature, formed from the state on the device. All operations are those of
// package mesh (laws.go, warm.go) in their order, each rounded, so that processor and GPU get the same bits.
#include "cool.h"
#include "mesh.h"

enum { THREADS = 128 };

// times is a product that no sum swallows: it is rounded by itself, as on the processor.
DEVICE double times(double a, double b) { return __nvvm_mul_rn_d(a, b); }

// LawEntry is a material, or where areas is not 0 the parts from first on: those of stripes along x, of stripes along y, and areas, one of each material.
struct LawEntry {
  int material, first, alongX, alongY, areas;
};

// LawPart is a material in a stripe of a cell, or in the whole of it: see mesh.Part.
struct LawPart {
  int material, place;
  double low, high, across;
};

// LawMaterial holds the number of each property's curve, -1 where it is the constant next to it.
struct LawMaterial {
  int curveX, curveY, curveZ, curveC;
  double kx, ky, kz, c;
};

// LawCurve is a run of pieces between two temperatures in K, found through equal buckets.
struct LawCurve {
  double low, high, scale;
  int first, count, bucket, buckets;
};

// LawPiece is a cubic from a temperature on.
struct LawPiece {
  double from, a0, a1, a2, a3;
};

// LawFace is the heat transfer coefficient of a face by the temperature of its surface, where it follows; see mesh.FaceLaw.
struct LawFace {
  int follows, convection, radiation, none;
  double constant, ambient, above;
};

// Laws describe how the palette and the faces depend on temperature.
struct Laws {
  const LawEntry *entries;
  const LawPart *parts;
  const LawMaterial *materials;
  const LawCurve *curves;
  const LawPiece *pieces;
  const int *buckets;
  const LawFace *faces;
};

DEVICE double cubic(const LawPiece *p, double t) {
  double u = t - p->from, v = p->a2 + times(u, p->a3);
  v = p->a1 + times(u, v);
  return p->a0 + times(u, v);
}

DEVICE double hold(const LawCurve *c, double t) {
  if (!(t > c->low)) return c->low;
  return t < c->high ? t : c->high;
}

// pieceAt is the number of the piece that holds a temperature within the range.
DEVICE int pieceAt(const Laws *l, const LawCurve *c, double t) {
  int b = (int)((t - c->low) * c->scale);
  if (b > c->buckets - 1) b = c->buckets - 1;
  int p = l->buckets[c->bucket + b];
  while (p + 1 < c->count && l->pieces[c->first + p + 1].from <= t) p++;
  return p;
}

// valueAt is a curve's value, or the constant where there is no curve.
DEVICE double valueAt(const Laws *l, int curve, double constant, double t) {
  if (curve < 0) return constant;
  const LawCurve *c = l->curves + curve;
  t = hold(c, t);
  return cubic(l->pieces + c->first + pieceAt(l, c, t), t);
}

DEVICE double simpson(const LawPiece *p, double t0, double t1) {
  return (cubic(p, t0) + times(4, cubic(p, (t0 + t1) / 2)) + cubic(p, t1)) / 6;
}

// meanBetween is the mean of a curve between two temperatures.
DEVICE double meanBetween(const Laws *l, int curve, double constant, double t0, double t1) {
  if (curve < 0) return constant;
  if (t0 > t1) {
    double t = t0;
    t0 = t1;
    t1 = t;
  }
  const LawCurve *c = l->curves + curve;
  double low = hold(c, t0), high = hold(c, t1);
  int p = pieceAt(l, c, low), last = pieceAt(l, c, high);
  const LawPiece *pieces = l->pieces + c->first;
  if (p == last && low == t0 && high == t1) return simpson(pieces + p, t0, t1);
  double all = t1 - t0;
  if (!(all > 0)) return cubic(pieces + p, low);
  double sum = 0;
  if (t0 < c->low) sum += times(((c->low < t1 ? c->low : t1) - t0) / all, cubic(pieces + p, low));
  for (; low < high; p++) {
    double end = p < last ? pieces[p + 1].from : high;
    sum += times((end - low) / all, simpson(pieces + p, low, end));
    low = end;
  }
  if (t1 > c->high) sum += times((t1 - (c->high > t0 ? c->high : t0)) / all, cubic(pieces + last, high));
  return sum;
}

// conductivityOf is that of a material along the axis of a half.
DEVICE double conductivityOf(const Laws *l, int material, int half, double t) {
  const LawMaterial *m = l->materials + material;
  return half <= EAST    ? valueAt(l, m->curveX, m->kx, t)
         : half <= NORTH ? valueAt(l, m->curveY, m->ky, t)
                         : valueAt(l, m->curveZ, m->kz, t);
}

DEVICE const LawPart *areasOf(const Laws *l, const LawEntry *e) { return l->parts + e->first + e->alongX + e->alongY; }

// conductivity is that of half a cell, or along z, at a temperature.
DEVICE double conductivity(const Laws *l, u32 id, int half, double t) {
  const LawEntry *e = l->entries + id;
  if (!e->areas) return conductivityOf(l, e->material, half, t);
  double v = 0, resistivity = 0;
  const LawPart *p = areasOf(l, e), *end = p + e->areas;
  if (half == VERTICAL) {
    for (; p < end; p++) v += times(p->low, conductivityOf(l, p->material, half, t));
    return v;
  }
  end = half <= EAST ? p - e->alongY : p;
  p = end - (half <= EAST ? e->alongX : e->alongY);
  bool high = half == EAST || half == NORTH;
  for (; p < end; p++) {
    resistivity += (high ? p->high : p->low) / conductivityOf(l, p->material, half, t);
    if (p->across == 0) continue;
    v += p->across / resistivity;
    resistivity = 0;
  }
  return v;
}

// heatCapacity is the mean of a cell's between two temperatures.
DEVICE double heatCapacity(const Laws *l, u32 id, double t, double before) {
  const LawEntry *e = l->entries + id;
  const LawMaterial *m = l->materials + e->material;
  if (!e->areas) return meanBetween(l, m->curveC, m->c, before, t);
  double v = 0;
  for (const LawPart *p = areasOf(l, e), *end = p + e->areas; p < end; p++) {
    m = l->materials + p->material;
    v += times(p->low, meanBetween(l, m->curveC, m->c, before, t));
  }
  return v;
}

DEVICE bool beyond(const Laws *l, int curve, double t) {
  return curve >= 0 && (t < l->curves[curve].low || t > l->curves[curve].high);
}

// count adds a cell to those of a material outside the range of its properties.
DEVICE void count(const Laws *l, int material, double t, u64 *outside) {
  const LawMaterial *m = l->materials + material;
  if (beyond(l, m->curveX, t) || beyond(l, m->curveY, t) || beyond(l, m->curveZ, t) || beyond(l, m->curveC, t))
    __nvvm_atom_add_gen_ll((i64 *)(outside + material), 1);
}

// follow fills gx, gy and gz, and capacity = C/dt where it is not null, from the state x, the rise over ambient; a null old is the same as x. planes says which
// planes have cells that follow: what lies between others stays. What cavities change is written by followCavities; flowing is null without any, and otherwise
// has the cavity by plane of coolant, -1 elsewhere.
KERNEL void BOUNDS(THREADS) follow(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                   const u32 *uniform, const int *slot, const u32 *index, const Laws *laws, const int *planes, double ambient,
                                   const double *x, const double *old, double dt, const Cavity *cavities, const int *flowing, float *gx, float *gy,
                                   float *gz, float *capacity, u64 *outside, int first, int end) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index};
  BlockAt at = blockAt(tiles(nx, THREADS), ny);
  int i = at.x * THREADS + threadX(), j = at.y, k = at.z;
  bool mine = planes[k], above = k + 1 < nz && planes[k + 1];
  if (i >= nx || !(mine || above)) return;
  i64 sheet = (i64)nx * ny, c = k * sheet + (i64)j * nx + i;
  u32 id = entryOf(m, i, j, k);
  double t = ambient + x[c], w = dx[i], d = dy[j], h = dz[k];
  if (k + 1 < nz) {
    double up = dz[k + 1] / (2 * conductivity(laws, entryOf(m, i, j, k + 1), VERTICAL, ambient + x[c + sheet]));
    gz[c] = (float)(w * d / (h / (2 * conductivity(laws, id, VERTICAL, t)) + contact[k] + up));
  }
  if (!mine) return;
  if (i + 1 < nx) {
    double east = dx[i + 1] / (2 * conductivity(laws, entryOf(m, i + 1, j, k), WEST, ambient + x[c + 1]));
    gx[c] = (float)(d * h / (w / (2 * conductivity(laws, id, EAST, t)) + east));
  }
  if (j + 1 < ny) {
    double north = dy[j + 1] / (2 * conductivity(laws, entryOf(m, i, j + 1, k), SOUTH, ambient + x[c + nx]));
    gy[c] = (float)(w * h / (d / (2 * conductivity(laws, id, NORTH, t)) + north));
  }
  if (capacity) capacity[c] = (float)(heatCapacity(laws, id, t, old ? ambient + old[c] : t) * (d * h) * w / dt);
  int flow = flowing ? flowing[k] : -1;
  if (flow >= 0 && wetAt(cavities[flow], i, j)) return; // no solid is here
  const LawEntry *e = laws->entries + id;
  if (j < first || j >= end) return;
  if (!e->areas) count(laws, e->material, t, outside);
  for (const LawPart *p = areasOf(laws, e), *end = p + e->areas; p < end; p++) count(laws, p->material, t, outside);
}

// Warmed has the properties of solids at the state x, with the mean heat capacity on the way from old, which is the same as x if it is null.
struct Warmed {
  const Mesh &m;
  const Laws *laws;
  double ambient;
  const double *x, *old;
  __attribute__((device, always_inline)) i64 cell(int i, int j, int k) const { return ((i64)k * m.ny + j) * m.nx + i; }
  __attribute__((device, always_inline)) double conductivity(int i, int j, int k, int half) const {
    return ::conductivity(laws, entryOf(m, i, j, k), half, ambient + x[cell(i, j, k)]);
  }
  __attribute__((device, always_inline)) double capacity(int i, int j, int k) const {
    i64 c = cell(i, j, k);
    double t = ambient + x[c];
    return heatCapacity(laws, entryOf(m, i, j, k), t, old ? ambient + old[c] : t);
  }
};

// followCavities sets what cavities change in gx, gy, gz, far and capacity, behind follow: two planes for each, walls and coolant, and then its columns.
KERNEL void BOUNDS(THREADS) followCavities(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                           const u32 *uniform, const int *slot, const u32 *index, const Laws *laws, const int *planes, double ambient,
                                           const double *x, const double *old, double dt, const Cavity *cavities, const int *farSlot, float *gx,
                                           float *gy, float *gz, float *far, float *capacity) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index};
  BlockAt at = blockAt(tiles(nx, THREADS), ny);
  const Cavity &c = cavities[at.z / 3];
  int i = at.x * THREADS + threadX(), j = at.y, part = at.z % 3;
  bool any = false;
  for (int k = c.wall - 1; k <= c.fluid + 1; k++) any |= planes[k] != 0;
  if (i >= nx || !any) return;
  Warmed of = {m, laws, ambient, x, old};
  if (part == 2)
    coolColumn(c, m, of, i, j, farSlot, gz, far);
  else if (part == 0 || porous(c))
    coolPlane(c, m, of, i, j, part ? c.fluid : c.wall, dt, gx, gy, capacity);
}

// slopeOf is the derivative of a cubic.
DEVICE double slopeOf(const LawPiece *p, double t) {
  double u = t - p->from, v = times(2, p->a2) + times(times(3, u), p->a3);
  return p->a1 + times(u, v);
}

// LeakPlane is a plane of cells that leaks, with terms first to first + count. share of its layer's leakage falls into it.
struct LeakPlane {
  double share;
  i64 plane, first, count;
};

// LeakTerm is a sheet of W per cell column that follows a curve.
struct LeakTerm {
  int curve, sheet;
};

// leak puts leakage into the planes of ground and inflow that it goes to, linear around the state x and times scale. without and driven hold, plane after plane, what
// they are without it, or with save get it. A null x takes the leakage out.
KERNEL void BOUNDS(THREADS) leak(int sheet, const LeakPlane *planes, const LeakTerm *terms, const double *sheets, const Laws *laws, double ambient, const double *x,
                                 double scale, int ends, int save, float *without, double *driven, float *ground, const int *groundSlot,
                                 double *inflow, const int *inflowSlot) {
  BlockAt at = blockAt(tiles(sheet, THREADS));
  int c = at.x * THREADS + threadX();
  if (c >= sheet) return;
  const LeakPlane *p = planes + at.y;
  i64 held = (i64)at.y * sheet + c, g = (i64)groundSlot[p->plane] * sheet + c, q = (i64)inflowSlot[p->plane] * sheet + c;
  if (save) {
    without[held] = ground[g];
    driven[held] = inflow[q];
  }
  if (!x) {
    ground[g] = without[held];
    inflow[q] = driven[held];
    return;
  }
  double rise = x[p->plane * sheet + c], t = ambient + rise, watts = 0, slope = 0;
  for (i64 n = p->first; n < p->first + p->count; n++) {
    double power = times(p->share, sheets[(i64)terms[n].sheet * sheet + c]);
    if (power == 0) continue;
    const LawCurve *curve = laws->curves + terms[n].curve;
    double kelvin = hold(curve, t);
    const LawPiece *piece = laws->pieces + curve->first + pieceAt(laws, curve, kelvin);
    watts += times(power, cubic(piece, kelvin));
    slope += times(power, kelvin != t && !ends ? 0 : slopeOf(piece, kelvin));
  }
  double base = without[held];
  float diagonal = (float)(base - times(scale, slope));
  ground[g] = diagonal;
  inflow[q] = driven[held] + (times(scale, watts) + times(diagonal - base, rise));
}

// warm sets the conductivities of a cell's halves and along z.
DEVICE void warm(const Laws *l, u32 id, double t, double *own) {
  own[WEST] = conductivity(l, id, WEST, t);
  own[EAST] = conductivity(l, id, EAST, t);
  own[SOUTH] = conductivity(l, id, SOUTH, t);
  own[NORTH] = conductivity(l, id, NORTH, t);
  own[VERTICAL] = conductivity(l, id, VERTICAL, t);
}

// addFilm adds a curve of a face's coefficient and its derivative at a temperature of the surface.
DEVICE void addFilm(const Laws *l, int curve, double t, double *h, double *slope) {
  if (curve < 0) return;
  const LawCurve *c = l->curves + curve;
  double held = hold(c, t);
  const LawPiece *p = l->pieces + c->first + pieceAt(l, c, held);
  *h += cubic(p, held);
  if (held == t) *slope += slopeOf(p, held);
}

// exchange is the heat per area that leaves a cell whose centre is u above the ambient of its face, and the conductance per area with which A holds the
// face: see surface and exchange in package mesh, which it follows operation by operation.
DEVICE double exchange(const Laws *l, const LawFace *f, double u, double half, double *g) {
  double low = u < 0 ? u : 0, high = u > 0 ? u : 0, v = u, h, slope;
#pragma unroll 1
  for (int n = 0; n < 100; n++) {
    double bend = 0;
    h = f->constant;
#pragma unroll 1
    for (int part = 0; part < 2; part++) addFilm(l, part ? f->radiation : f->convection, f->ambient + v, &h, &bend);
    slope = h + times(bend, v);
    double missing = (u - v) - times(times(half, h), v);
    if (missing > 0)
      low = v;
    else
      high = v;
    double next = v + missing / (1 + times(half, slope));
    if (!(next >= low && next <= high)) next = (low + high) / 2;
    if (__builtin_fabs(next - v) <= times(0x1p-48, __builtin_fabs(u))) break;
    v = next;
  }
  double derivative = slope / (1 + times(half, slope)), secant = h / (1 + times(half, h));
  *g = 1 + times(half, slope) > 0 && derivative > secant ? derivative : secant;
  return times(h, v);
}

// conductancesOf sets g to those of a cell to its faces, in FP32 as executors hold them; x is the cell's rise over the ambient of the stack. It returns what
// leaves through one of them in W if it is temperature-dependent.
DEVICE double conductancesOf(int face, const Mesh &m, const Laws *l, const double *resistances, int i, int j, int k, double x, const double *own, float *g) {
  double heat = 0;
#pragma unroll 1
  for (int f = BOTTOM; f <= NORTHFACE; f++) {
    g[f] = 0;
    if (!lies(f, m, i, j, k, resistances) || (f > TOP && closedAt(m, i, j, k))) continue;
    const LawFace *law = l->faces + f;
    if (!law->follows) {
      g[f] = faceConductance(f, m, i, j, k, resistanceAt(f, m, i, j, k, resistances), own);
      continue;
    }
    double area = faceArea(f, m, i, j, k), conductance, q = exchange(l, law, x - law->above, halfOf(f, m, i, j, k, own), &conductance);
    g[f] = (float)(area * conductance);
    if (f == face) heat = times(area, q);
  }
  return heat;
}

// followFace adds a face's conductances to ground and the heat that its temperature (rise above ambient) or flux drives into the cells to inflow.
KERNEL void BOUNDS(THREADS) followFace(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                       const u32 *uniform, const int *slot, const u32 *index, const int *closed, const int *closedLine,
                                       const Laws *laws, double ambient, const double *x, int face, int na, const double *resistances, double rise, double flux, float *ground, const int *groundSlot,
                                       double *inflow, const int *inflowSlot) {
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, closed, closedLine};
  BlockAt tile = blockAt(tiles(na, THREADS));
  int a = tile.x * THREADS + threadX(), i, j, k;
  if (a >= na) return;
  onFace(face, a, tile.y, m, &i, &j, &k);
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  Drive d = driveAt(face, m, i, j, k, resistances, rise, flux);
  if (d.flux != 0) inflow[inflowSlot[k] * sheet + at] += times(d.flux, faceArea(face, m, i, j, k));
  if (d.resistance < 0) return;
  double own[ENTRY], v = x[k * sheet + at];
  float g[NORTHFACE + 1];
  warm(laws, entryOf(m, i, j, k), ambient + v, own);
  double leaves = conductancesOf(face, m, laws, resistances, i, j, k, v, own, g);
  ground[groundSlot[k] * sheet + at] += g[face];
  bool follows = laws->faces[face].follows;
  if (!follows && d.rise == 0) return;
  double held = heldConductance(face, m, i, j, k, resistances, [&](int f) { return g[f]; });
  inflow[inflowSlot[k] * sheet + at] += follows ? times(held, v) - leaves : times(held, d.rise);
}

// followFaceHeat sets scalars[SCRATCH] to the heat that leaves through a face, with the conductances at the temperatures of x, from the rows from first up to end.
KERNEL void BOUNDS(THREADS) followFaceHeat(int nx, int ny, int nz, const double *dx, const double *dy, const double *dz, const double *contact,
                                           const u32 *uniform, const int *slot, const u32 *index, const int *closed, const int *closedLine,
                                           const Laws *laws, double ambient, int face, int na, int nb, const double *resistances, double rise, double flux, const double *x, double *partial,
                                           double *scalars, u32 *ticket, int first, int end) {
  SHARED double lines[32];
  SHARED int last;
  Mesh m = {nx, ny, nz, dx, dy, dz, contact, uniform, slot, index, closed, closedLine};
  int a = blockX() * THREADS + threadX(), i, j, k;
  double s = 0;
  for (int b = blockY(); a < na && b < nb; b += gridY()) {
    onFace(face, a, b, m, &i, &j, &k);
    if (j < first || j >= end) continue;
    double v = x[((i64)k * ny + j) * nx + i];
    Drive d = driveAt(face, m, i, j, k, resistances, rise, flux);
    if (d.flux != 0) s -= d.flux * faceArea(face, m, i, j, k);
    if (d.resistance < 0) continue;
    double own[ENTRY];
    float g[NORTHFACE + 1];
    warm(laws, entryOf(m, i, j, k), ambient + v, own);
    double leaves = conductancesOf(face, m, laws, resistances, i, j, k, v, own, g);
    s += laws->faces[face].follows ? leaves : heldConductance(face, m, i, j, k, resistances, [&](int f) { return g[f]; }) * (v - d.rise);
  }
  s = sumBlock(s, lines, THREADS);
  int blocks = gridX() * gridY();
  if (threadX() == 0) partial[blockY() * gridX() + blockX()] = s;
  if (!lastBlock(ticket, blocks, &last)) return;
  s = total(partial, blocks, lines, THREADS);
  if (threadX() == 0) scalars[SCRATCH] = s;
}
