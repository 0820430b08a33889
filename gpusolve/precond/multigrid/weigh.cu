// Interpolation weights along the conductances, in which a column's planes agree as far as they conduct to one another.
#include "weight.h"

enum { THREADS = 128 };

// weigh computes the weights of the far coarse neighbour along one direction, in the planes with a slot, column by column:
//
//   s_k (w_k - w0_k) = gz_{k-1/2} (w_{k-1} - w_k) + gz_{k+1/2} (w_{k+1} - w_k)
//
// s is the sum of the conductances to both coarse centres, s w0 the one to the far. g are the couplings along the direction; pivots is scratch
// for a float in place of each weight. w keeps weights of the planes below alone until it has those of all.
KERNEL void BOUNDS(THREADS) weigh(int nx, int ny, int nz, const float *RESTRICT g, int alongY, const float *RESTRICT gz, const int *RESTRICT slots,
                                  const int *RESTRICT parent, const int *RESTRICT first, int coarse, float *RESTRICT pivots, u16 *RESTRICT w) {
  i64 sheet = (i64)nx * ny, at = (i64)blockX() * THREADS + threadX();
  if (at >= sheet) return;
  int p = alongY ? (int)(at / nx) : (int)(at % nx), step = alongY ? nx : 1;
  int near = parent[p], lo = first[near], far = p == lo ? near - 1 : near + 1;
  bool between = first[near + 1] - lo == 2 && far >= 0 && far < coarse;
  i64 link = (i64)((p == lo ? lo - 1 : lo + 1) - p) * step, own = (i64)(lo - p) * step, beyond = 0;
  bool pair = false;
  if (between) {
    beyond = (i64)(first[far] - p) * step;
    pair = first[far + 1] - first[far] == 2;
  }
  float t = 0, y = 0;
  bool joined = false;
  for (int k = 0; k < nz; k++) {
    int slot = slots[k];
    if (slot < 0) {
      joined = false;
      continue;
    }
    i64 c = k * sheet + at;
    float product = 0, sum = 0, across = between ? g[c + link] : 0;
    if (across != 0) {
      float r = 1 / across;
      if (pair) r += 0.5f / g[c + beyond];
      product = 1 / r;
      sum = product + 2 * g[c + own];
    }
    if (joined) {
      float up = gz[c - sheet], f = up / (up + t);
      product += f * y;
      sum += f * t;
    }
    t = sum;
    y = product;
    pivots[slot * sheet + at] = t;
    w[slot * sheet + at] = stored(t > 0 ? y / t : 0);
    joined = true;
  }
  float above = 0;
  joined = false;
  for (int k = nz - 1; k >= 0; k--) {
    int slot = slots[k];
    if (slot < 0) {
      joined = false;
      continue;
    }
    t = pivots[slot * sheet + at];
    float below = weightOf(w[slot * sheet + at]);
    if (joined)
      above += t * (below - above) / (gz[k * sheet + at] + t);
    else
      above = below;
    w[slot * sheet + at] = stored(above);
    joined = true;
  }
}
