// Fast Fourier transforms of complex rows in shared memory, in place. Decimation in time takes a row whose values stand at the places of reversed digits
// and leaves it in order; decimation in frequency is its transpose and does the reverse. A stage of radix R with stride S combines values S apart.
#pragma once
#include "dft.h"

// twist multiplies v[r] by w^r, r = B a + b, first by w^b and then by w^(B a): as many products as with a list of powers, but two of them are held at a time.
// A table of them all would not stay in the first-level cache.
template <int R> DEVICE void twist(Complex *v, Complex w) {
  constexpr int B = R == 10 ? 5 : R == 9 ? 3 : R % 4 == 0 ? 4 : R, A = R / B;
  Complex power = w;
#pragma unroll
  for (int b = 1; b < B; b++) {
#pragma unroll
    for (int a = 0; a < A; a++) v[B * a + b] = v[B * a + b] * power;
    power = power * w;
  }
  w = power;
#pragma unroll
  for (int a = 1; a < A; a++) {
#pragma unroll
    for (int b = 0; b < B; b++) v[B * a + b] = v[B * a + b] * power;
    power = power * w;
  }
}

// Row is a row of m values that a team of threads transforms; thread is the own one's number in it.
template <class P> struct Row {
  P plan;
  Complex *s;
  int thread, team, m;

  DEVICE int pad(int i) { return P::pad(i); }
};

// Place is where value i and those a stride apart stand in shared memory. In a plan known to the compiler a pad is that of the digits: one address serves.
template <class P> struct Place {
  int i, at;
  DEVICE Place of(int i) { return {i, P::pad(i)}; }
};
template <class P> DEVICE int further(Place<P> p, int by) { return P::FIXED ? p.at + P::pad(by) : P::pad(p.i + by); }

// butterfly is number b of a stage of decimation in time or in frequency. Roots are exp(-2 pi i j / (R stride)), j < stride.
template <int R, class P> DEVICE void butterfly(const Row<P> &row, bool time, int stride, const Complex *RESTRICT roots, int b) {
  int j = (u32)b % (u32)stride;
  Place<P> first = Place<P>::of((b - j) * R + j);
  Complex v[R];
#pragma unroll
  for (int r = 0; r < R; r++) v[r] = row.s[further(first, r * stride)];
  if (time && stride > 1) twist<R>(v, roots[j]);
  DFT<R>::apply(v);
  if (!time && stride > 1) twist<R>(v, roots[j]);
#pragma unroll
  for (int r = 0; r < R; r++) row.s[further(first, r * stride)] = v[r];
}

// centre is butterfly b of the last stage in frequency, the product with a filter, a conjugation, and the first stage in time. Value r is multiplied by
// filter[r m/R + b].
template <int R, class P> DEVICE void centre(const Row<P> &row, const Complex *RESTRICT filter, int b) {
  int count = row.m / R;
  Place<P> first = Place<P>::of(b * R);
  Complex v[R];
#pragma unroll
  for (int r = 0; r < R; r++) v[r] = row.s[further(first, r)];
  DFT<R>::apply(v);
#pragma unroll
  for (int r = 0; r < R; r++) v[r] = conjugate(v[r] * filter[r * count + b]);
  DFT<R>::apply(v);
#pragma unroll
  for (int r = 0; r < R; r++) row.s[further(first, r)] = v[r];
}

// stage shares butterflies among the team. More than one at a time would not fit into registers; if each thread has one, there is no loop.
template <int R, class P> DEVICE void stage(const Row<P> &row, bool time, int stride, const Complex *RESTRICT roots) {
  if (P::FIXED && row.m / R == row.team)
    butterfly<R>(row, time, stride, roots, row.thread);
  else
#pragma unroll 1
    for (int b = row.thread; b < row.m / R; b += row.team) butterfly<R>(row, time, stride, roots, b);
  barrier();
}

template <int R, class P> DEVICE void middle(const Row<P> &row, const Complex *RESTRICT filter) {
  if (P::FIXED && row.m / R == row.team)
    centre<R>(row, filter, row.thread);
  else
#pragma unroll 1
    for (int b = row.thread; b < row.m / R; b += row.team) centre<R>(row, filter, b);
  barrier();
}

// Fixed is a plan known when this is compiled: radices A, B, C, D, the first with stride 1; a team of TEAM threads for a row, ROWS rows in a block.
template <int TEAM, int ROWS, int A, int B, int C = 1, int D = 1> struct Fixed {
  enum { M = A * B * C * D, SECOND = A, THIRD = A * B, FOURTH = A * B * C };
  // CONVOLVES says whether the plan is compiled for Bluestein's convolution too.
  static constexpr bool CONVOLVES = M >= 1024 && M <= 4096, FIXED = true;

  // Values whose distance is a stride of a later stage must not share a bank: a pad after each stride that is a power of two.
  static constexpr int padOf(int i, int stride) { return (stride & (stride - 1)) || stride >= M ? 0 : i / stride; }
  DEVICE int pad(int i) { return i + padOf(i, SECOND) + (C > 1 ? padOf(i, THIRD) : 0) + (D > 1 ? padOf(i, FOURTH) : 0); }
  DEVICE int m(const Fixed &) { return M; }
  DEVICE int rows(const Fixed &) { return ROWS; }
  DEVICE int team(const Fixed &) { return TEAM; }
  DEVICE int place(int i, const int *) {
    u32 u = i;
    return u % D * FOURTH + u / D % C * THIRD + u / (D * C) % B * SECOND + u / (D * C * B);
  }
  DEVICE void upwards(const Row<Fixed> &row, const Complex *roots) {
    stage<B>(row, true, SECOND, roots + 1);
    if constexpr (C > 1) stage<C>(row, true, THIRD, roots + 1 + SECOND);
    if constexpr (D > 1) stage<D>(row, true, FOURTH, roots + 1 + SECOND + THIRD);
  }
  DEVICE void downwards(const Row<Fixed> &row, const Complex *roots) {
    if constexpr (D > 1) stage<D>(row, false, FOURTH, roots + 1 + SECOND + THIRD);
    if constexpr (C > 1) stage<C>(row, false, THIRD, roots + 1 + SECOND);
    stage<B>(row, false, SECOND, roots + 1);
  }
  // whole transforms a row from places to order.
  DEVICE void whole(const Row<Fixed> &row, const Complex *roots) {
    stage<A>(row, true, 1, roots);
    upwards(row, roots);
  }
  // convolve multiplies by the filter between the transform and its inverse, and leaves the conjugate.
  DEVICE void convolve(const Row<Fixed> &row, const Complex *roots, const Complex *filter) {
    downwards(row, roots);
    middle<A>(row, filter);
    upwards(row, roots);
  }
};

// Listed is a plan of radices that are known at run time, any of 2, 3, 4, 5, 7, 8, 9, 11, 13 and 16.
struct Listed {
  static constexpr bool CONVOLVES = true, FIXED = false;
  int length, threads, together, count;
  const int *radices;

  DEVICE int pad(int i) { return i + i / 16; }
  DEVICE int m(const Listed &p) { return p.length; }
  DEVICE int rows(const Listed &p) { return p.together; }
  DEVICE int team(const Listed &p) { return p.threads; }
  DEVICE int place(int i, const int *places) { return places[i]; }
  DEVICE void step(const Row<Listed> &row, bool time, int radix, int stride, const Complex *roots) {
    switch (radix) {
    case 2: return stage<2>(row, time, stride, roots);
    case 3: return stage<3>(row, time, stride, roots);
    case 4: return stage<4>(row, time, stride, roots);
    case 5: return stage<5>(row, time, stride, roots);
    case 7: return stage<7>(row, time, stride, roots);
    case 8: return stage<8>(row, time, stride, roots);
    case 9: return stage<9>(row, time, stride, roots);
    case 11: return stage<11>(row, time, stride, roots);
    case 13: return stage<13>(row, time, stride, roots);
    case 16: return stage<16>(row, time, stride, roots);
    }
  }
  // all does the stages in time, or those in frequency the other way round. Roots of a stage follow those of the former.
  DEVICE void all(const Row<Listed> &row, bool time, const Complex *roots) {
    const Listed &p = row.plan;
    int stride = time ? 1 : p.length, at = 0;
    if (!time)
      for (int n = 0, s = 1; n < p.count; n++, s *= p.radices[n - 1]) at += s;
    for (int n = 0; n < p.count; n++) {
      int radix = p.radices[time ? n : p.count - 1 - n];
      if (!time) at -= stride /= radix;
      step(row, time, radix, stride, roots + at);
      if (time) at += stride, stride *= radix;
    }
  }
  DEVICE void whole(const Row<Listed> &row, const Complex *roots) { all(row, true, roots); }
  DEVICE void convolve(const Row<Listed> &row, const Complex *roots, const Complex *filter) {
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
      all(row, turn, roots);
#pragma unroll 1
      for (int i = row.thread; i < row.m && !turn; i += row.team) row.s[pad(i)] = conjugate(row.s[pad(i)] * filter[i]);
      if (!turn) barrier();
    }
  }
};
