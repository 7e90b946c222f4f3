// examples/nbody.lua in C. Prints the energy at the end, and the nanoseconds per planet and asteroid.
#include <math.h>
#include <stdio.h>

#include "now.h"

enum { heavy = 5, asteroids = 300, bodies = heavy + asteroids, steps = 20000 };

static double x[bodies][3] = {{0, 0, 0},
                              {4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01},
                              {8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01},
                              {1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01},
                              {1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01}};
static double v[bodies][3] = {{0, 0, 0},
                              {1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05},
                              {-2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05},
                              {2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05},
                              {2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05}};
static const double masses[heavy] = {1, 9.54791938424326609e-04, 2.85885980666130812e-04, 4.36624404335156298e-05, 5.15138902046611451e-05};

static double m[heavy];

static double distance(int i, int j) { return sqrt(pow(x[i][0] - x[j][0], 2) + pow(x[i][1] - x[j][1], 2) + pow(x[i][2] - x[j][2], 2)); }

static double energy(void) {
  double e = 0;
  for (int i = 0; i < heavy; ++i) {
    e += 0.5 * m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    for (int j = i + 1; j < heavy; ++j) e -= m[i] * m[j] / distance(i, j);
  }
  return e;
}

static __attribute__((noinline, noclone)) void advance(int n, double step) {
  for (int i = 0; i < heavy; ++i) {
    const double xi = x[i][0], yi = x[i][1], zi = x[i][2], mi = m[i];
    double vx = v[i][0], vy = v[i][1], vz = v[i][2];
    for (int j = i + 1; j < n; ++j) {
      const double dx = xi - x[j][0], dy = yi - x[j][1], dz = zi - x[j][2];
      const double square = dx * dx + dy * dy + dz * dz, pull = step / (square * sqrt(square));
      if (j < heavy) {
        const double mj = m[j];
        vx -= dx * mj * pull;
        vy -= dy * mj * pull;
        vz -= dz * mj * pull;
      }
      v[j][0] += dx * mi * pull;
      v[j][1] += dy * mi * pull;
      v[j][2] += dz * mi * pull;
    }
    v[i][0] = vx;
    v[i][1] = vy;
    v[i][2] = vz;
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) x[i][k] += step * v[i][k];
  }
}

int main(void) {
  for (int i = 0; i < heavy; ++i) {
    m[i] = masses[i] * 4 * M_PI * M_PI;
    for (int k = 0; k < 3; ++k) {
      v[i][k] *= 365.24;
      v[0][k] -= v[i][k] * m[i] / m[0];
    }
  }
  for (int i = 0; i < asteroids; ++i) {
    const double radius = 2 + 1.5 * (i + 0.5) / asteroids, angle = 2.4 * (i + 1), speed = sqrt(m[0] / radius);
    x[heavy + i][0] = radius * cos(angle);
    x[heavy + i][1] = radius * sin(angle);
    v[heavy + i][0] = -speed * sin(angle);
    v[heavy + i][1] = speed * cos(angle);
  }
  const double start = now();
  for (int k = 0; k < steps; ++k) advance(bodies, 0.01);
  printf("%.9f %.2f\n", energy(), (now() - start) / steps / heavy / asteroids);
}
