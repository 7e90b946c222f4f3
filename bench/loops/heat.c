// examples/heat.lua in C. Prints the digits that agree with the formula, and the nanoseconds per point and step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

static __attribute__((noinline, noclone)) void step(const double* from, double* to, int n) {
  for (int i = 1; i < n - 1; ++i) {
    double left = from[i * n], centre = from[i * n + 1];
    for (int j = 1; j < n - 1; ++j) {
      const double right = from[i * n + j + 1];
      const double around = from[(i - 1) * n + j] + from[(i + 1) * n + j] + left + right;
      to[i * n + j] = centre + 0.2 * (around - 4 * centre);
      left = centre;
      centre = right;
    }
  }
}

int main(void) {
  enum { n = 500, steps = 200 };
  double *plate = calloc(n * n, sizeof(double)), *next = calloc(n * n, sizeof(double)), *wave = calloc(n, sizeof(double));
  for (int i = 0; i < n; ++i) wave[i] = sin(3 * M_PI * i / (n - 1));
  for (int i = 0; i < n * n; ++i) plate[i] = wave[i / n] * wave[i % n];
  const double start = now();
  for (int k = 0; k < steps; ++k) {
    step(plate, next, n);
    double* const swap = plate;
    plate = next;
    next = swap;
  }
  const double time = now() - start, sine = sin(3 * M_PI / (n - 1) / 2), factor = pow(1 - 8 * 0.2 * sine * sine, steps);
  double largest = 0;
  for (int i = 0; i < n * n; ++i) largest = fmax(largest, fabs(plate[i] - factor * wave[i / n] * wave[i % n]));
  printf("%.1f %.2f\n", -log10(largest), time / steps / (n - 2) / (n - 2));
}
