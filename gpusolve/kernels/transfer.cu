// Restriction and interpolation. Directions that are kept have every cell as its own parent with weight 0 for the farther.
#include "device.h"

enum { TX = 32, TY = 8, THREADS = TX * TY };

// rows of weights: geometric ones along a direction, or conductance-weighted ones of a plane, cell by cell.
DEVICE float weight(const float *far, const float *plane, i64 at, int p) { return plane ? plane[at] : far[p]; }

// bc = P^T r, r = keep b + lateral x (keep >= 0, after start) or b - A x (keep < 0). A block makes TX x TY coarse cells of a plane; the fine cells'
// residuals go through shared memory, two at most per coarse cell and direction and one more on every side.
KERNEL void BOUNDS(THREADS) restrictResidual(int nx, int ny, int nz, const float *RESTRICT gx, const float *RESTRICT gy, const float *RESTRICT gz,
                                             const float *RESTRICT ground, const int *RESTRICT groundSlot, const float *RESTRICT capacity,
                                             const float *RESTRICT b, const float *RESTRICT x, float keep, int cx, int cy,
                                             const int *RESTRICT firstX, const float *RESTRICT farX, const int *RESTRICT firstY,
                                             const float *RESTRICT farY, const int *RESTRICT weightSlot, const float *RESTRICT wx,
                                             const float *RESTRICT wy, float *RESTRICT bc) {
  SHARED float r[2 * TY + 2][2 * TX + 3];
  int k = blockZ(), I0 = blockX() * TX, J0 = blockY() * TY;
  i64 sheet = (i64)nx * ny, base = k * sheet;
  int i0 = firstX[I0] - 1, i1 = firstX[I0 + TX < cx ? I0 + TX : cx] + 1;
  int j0 = firstY[J0] - 1, j1 = firstY[J0 + TY < cy ? J0 + TY : cy] + 1;
  int width = i1 - i0, slot = groundSlot[k];
  for (int t = threadX(); t < width * (j1 - j0); t += THREADS) {
    int tj = t / width, ti = t - tj * width, i = i0 + ti, j = j0 + tj;
    float v = 0;
    if (i >= 0 && i < nx && j >= 0 && j < ny) {
      i64 at = (i64)j * nx + i, c = base + at;
      if (keep >= 0) {
        v = keep * b[c] + gx[c] * x[c + 1] + gx[c - 1] * x[c - 1] + gy[c] * x[c + nx] + gy[c - nx] * x[c - nx];
      } else {
        float own = x[c];
        v = b[c] + gx[c] * (x[c + 1] - own) + gx[c - 1] * (x[c - 1] - own) + gy[c] * (x[c + nx] - own) + gy[c - nx] * (x[c - nx] - own);
        if (k) v += gz[c - sheet] * (x[c - sheet] - own);
        if (k + 1 < nz) v += gz[c] * (x[c + sheet] - own);
        if (slot >= 0) v -= ground[slot * sheet + at] * own;
        if (capacity) v -= capacity[c] * own;
      }
    }
    r[tj][ti] = v;
  }
  barrier();
  int I = I0 + threadX() % TX, J = J0 + threadX() / TX;
  if (I >= cx || J >= cy) return;
  int weighted = weightSlot[k];
  const float *px = weighted >= 0 && wx ? wx + weighted * sheet : 0, *py = weighted >= 0 && wy ? wy + weighted * sheet : 0;
  int ilo = firstX[I], ihi = firstX[I + 1], jlo = firstY[J], jhi = firstY[J + 1];
  float s = 0;
  for (int j = jlo > 0 ? jlo - 1 : 0; j <= jhi && j < ny; j++) {
    float line = 0;
    for (int i = ilo > 0 ? ilo - 1 : 0; i <= ihi && i < nx; i++) {
      i64 at = (i64)j * nx + i;
      float u = weight(farX, px, at, i), v = weight(farY, py, at, j);
      if (i >= ilo && i < ihi) u = 1 - u;
      if (j >= jlo && j < jhi) v = 1 - v;
      line += u * v * r[j - j0][i - i0];
    }
    s += line;
  }
  bc[((i64)k * cy + J) * cx + I] = s;
}

// x += P xc.
KERNEL void BOUNDS(128) prolong(int nx, int ny, int cx, int cy, const int *RESTRICT parentX, const int *RESTRICT firstX, const float *RESTRICT farX,
                                const int *RESTRICT parentY, const int *RESTRICT firstY, const float *RESTRICT farY,
                                const int *RESTRICT weightSlot, const float *RESTRICT wx, const float *RESTRICT wy, const float *RESTRICT xc,
                                float *RESTRICT x) {
  int i = blockX() * 128 + threadX(), j = blockY(), k = blockZ();
  if (i >= nx) return;
  i64 sheet = (i64)nx * ny, at = (i64)j * nx + i;
  int weighted = weightSlot[k];
  float u = weighted >= 0 && wx ? wx[weighted * sheet + at] : farX[i], v = weighted >= 0 && wy ? wy[weighted * sheet + at] : farY[j];
  int I = parentX[i], J = parentY[j];
  int I1 = u == 0 ? I : firstX[I] == i ? I - 1 : I + 1, J1 = v == 0 ? J : firstY[J] == j ? J - 1 : J + 1;
  const float *p = xc + (i64)k * cx * cy, *p0 = p + (i64)J * cx, *p1 = p + (i64)J1 * cx;
  x[k * sheet + at] += (1 - v) * ((1 - u) * p0[I] + u * p0[I1]) + v * ((1 - u) * p1[I] + u * p1[I1]);
}
