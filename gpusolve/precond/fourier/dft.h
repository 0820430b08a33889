// Discrete Fourier transforms of a few complex values in registers, forward: exp(-2 pi i j k / R).
#pragma once
#include "device.h"

// 16 bytes in one access.
struct __attribute__((aligned(16))) Complex {
  double x, y;
};

DEVICE Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }
DEVICE Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }
DEVICE Complex operator*(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
DEVICE Complex conjugate(Complex a) { return {a.x, -a.y}; }
// turned is -i a.
DEVICE Complex turned(Complex a) { return {a.y, -a.x}; }

// Root<R> has cos(2 pi m / R) and sin(2 pi m / R). Their arguments are constants once loops are unrolled.
template <int R> struct Root;
template <> struct Root<3> {
  static constexpr double C[3] = {1, -0.5, -0.5};
  static constexpr double S[3] = {0, 0.86602540378443864676, -0.86602540378443864676};
};
template <> struct Root<5> {
  static constexpr double C[5] = {1, 0.3090169943749474241, -0.8090169943749474241, -0.8090169943749474241, 0.3090169943749474241};
  static constexpr double S[5] = {0, 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917, -0.95105651629515357212};
};
template <> struct Root<7> {
  static constexpr double C[7] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624, -0.90096886790241912624, -0.22252093395631440429, 0.62348980185873353053};
  static constexpr double S[7] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048, -0.43388373911755812048, -0.97492791218182360702, -0.78183148246802980871};
};
template <> struct Root<8> {
  static constexpr double C[8] = {1, 0.70710678118654752440, 0, -0.70710678118654752440, -1, -0.70710678118654752440, 0, 0.70710678118654752440};
  static constexpr double S[8] = {0, 0.70710678118654752440, 1, 0.70710678118654752440, 0, -0.70710678118654752440, -1, -0.70710678118654752440};
};
template <> struct Root<9> {
  static constexpr double C[9] = {1, 0.7660444431189780352, 0.17364817766693034885, -0.5, -0.93969262078590838405, -0.93969262078590838405, -0.5, 0.17364817766693034885, 0.7660444431189780352};
  static constexpr double S[9] = {0, 0.64278760968653932632, 0.98480775301220805937, 0.86602540378443864676, 0.34202014332566873304, -0.34202014332566873304, -0.86602540378443864676, -0.98480775301220805937, -0.64278760968653932632};
};
template <> struct Root<10> {
  static constexpr double C[10] = {1.0, 0.8090169943749474241, 0.3090169943749474241, -0.3090169943749474241, -0.8090169943749474241, -1.0, -0.8090169943749474241, -0.3090169943749474241, 0.3090169943749474241, 0.8090169943749474241};
  static constexpr double S[10] = {0, 0.58778525229247312917, 0.95105651629515357212, 0.95105651629515357212, 0.58778525229247312917, 0, -0.58778525229247312917, -0.95105651629515357212, -0.95105651629515357212, -0.58778525229247312917};
};
template <> struct Root<11> {
  static constexpr double C[11] = {1, 0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044, -0.65486073394528506406, -0.95949297361449738989, -0.95949297361449738989, -0.65486073394528506406, -0.14231483827328514044, 0.41541501300188642553, 0.84125353283118116886};
  static constexpr double S[11] = {0, 0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238, 0.75574957435425828377, 0.28173255684142969771, -0.28173255684142969771, -0.75574957435425828377, -0.98982144188093273238, -0.90963199535451837141, -0.54064081745559758211};
};
template <> struct Root<13> {
  static constexpr double C[13] = {1, 0.8854560256532098959, 0.56806474673115580251, 0.12053668025532305335, -0.35460488704253562597, -0.74851074817110109863, -0.97094181742605202716, -0.97094181742605202716, -0.74851074817110109863, -0.35460488704253562597, 0.12053668025532305335, 0.56806474673115580251, 0.8854560256532098959};
  static constexpr double S[13] = {0, 0.46472317204376854566, 0.82298386589365639458, 0.9927088740980539928, 0.93501624268541482344, 0.66312265824079520238, 0.23931566428755776715, -0.23931566428755776715, -0.66312265824079520238, -0.93501624268541482344, -0.9927088740980539928, -0.82298386589365639458, -0.46472317204376854566};
};
template <> struct Root<16> {
  static constexpr double C[16] = {1, 0.92387953251128675613, 0.7071067811865475244, 0.38268343236508977173, 0, -0.38268343236508977173, -0.7071067811865475244, -0.92387953251128675613, -1, -0.92387953251128675613, -0.7071067811865475244, -0.38268343236508977173, 0, 0.38268343236508977173, 0.7071067811865475244, 0.92387953251128675613};
  static constexpr double S[16] = {0, 0.38268343236508977173, 0.7071067811865475244, 0.92387953251128675613, 1, 0.92387953251128675613, 0.7071067811865475244, 0.38268343236508977173, 0, -0.38268343236508977173, -0.7071067811865475244, -0.92387953251128675613, -1, -0.92387953251128675613, -0.7071067811865475244, -0.38268343236508977173};
};

// rotated is exp(-2 pi i m / R) a.
template <int R> DEVICE Complex rotated(Complex a, int m) {
  if (m == 0) return a;
  if (4 * m == R) return turned(a);
  if (8 * m == R) return {0.70710678118654752440 * (a.x + a.y), 0.70710678118654752440 * (a.y - a.x)};
  double c = Root<R>::C[m], s = Root<R>::S[m];
  return {a.x * c + a.y * s, a.y * c - a.x * s};
}

// Odd radices: sums and differences of opposite values, times cosines and sines.
template <int R> struct DFT {
  DEVICE void apply(Complex *v) {
    constexpr int H = (R - 1) / 2;
    Complex a[H], b[H], sum = v[0];
#pragma unroll
    for (int j = 0; j < H; j++) {
      a[j] = v[j + 1] + v[R - 1 - j];
      b[j] = v[j + 1] - v[R - 1 - j];
      sum = sum + a[j];
    }
#pragma unroll
    for (int k = 1; k <= H; k++) {
      Complex even = v[0], odd = {0, 0};
#pragma unroll
      for (int j = 0; j < H; j++) {
        double c = Root<R>::C[(j + 1) * k % R], s = Root<R>::S[(j + 1) * k % R];
        even = {even.x + c * a[j].x, even.y + c * a[j].y};
        odd = j ? Complex{odd.x + s * b[j].x, odd.y + s * b[j].y} : Complex{s * b[j].x, s * b[j].y};
      }
      v[k] = even + turned(odd);
      v[R - k] = even - turned(odd);
    }
    v[0] = sum;
  }
};

template <> struct DFT<2> {
  DEVICE void apply(Complex *v) {
    Complex a = v[0] + v[1], b = v[0] - v[1];
    v[0] = a;
    v[1] = b;
  }
};

template <> struct DFT<4> {
  DEVICE void apply(Complex *v) {
    Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

template <> struct DFT<8> {
  DEVICE void apply(Complex *v) {
    Complex e[4] = {v[0], v[2], v[4], v[6]}, o[4] = {v[1], v[3], v[5], v[7]};
    DFT<4>::apply(e);
    DFT<4>::apply(o);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      Complex t = k == 3 ? turned(rotated<8>(o[k], 1)) : rotated<8>(o[k], k);
      v[k] = e[k] + t;
      v[k + 4] = e[k] - t;
    }
  }
};

// Product is the transform of A B values: B transforms of A, rotations, A transforms of B.
template <int A, int B> struct Product {
  DEVICE void apply(Complex *v) {
    Complex u[B][A];
#pragma unroll
    for (int b = 0; b < B; b++) {
#pragma unroll
      for (int a = 0; a < A; a++) u[b][a] = v[B * a + b];
      DFT<A>::apply(u[b]);
    }
#pragma unroll
    for (int a = 0; a < A; a++) {
      Complex t[B];
#pragma unroll
      for (int b = 0; b < B; b++) t[b] = rotated<A * B>(u[b][a], a * b);
      DFT<B>::apply(t);
#pragma unroll
      for (int b = 0; b < B; b++) v[a + A * b] = t[b];
    }
  }
};
template <> struct DFT<9> : Product<3, 3> {};
template <> struct DFT<10> : Product<2, 5> {};
template <> struct DFT<16> : Product<4, 4> {};
