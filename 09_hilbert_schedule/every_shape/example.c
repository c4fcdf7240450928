/* The C interface from C: a layer, gelu(A B^T + bias), checked on the CPU, then run again with
 * other operands by the same plan.
 *
 *   cc -I09_hilbert_schedule/every_shape 09_hilbert_schedule/every_shape/example.c -Lbuild/lib
 * -levery_shape -lm
 *
 * Exit status: 0 right, 1 wrong result, 2 refused, 3 no GPU (-levery_shape_cpu needs none). */

#include "every_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 200, N = 136, K = 264 };

static void check(int status) {
  if (status == EVERY_SHAPE_OK) return;
  fprintf(stderr, "example: %s\n", every_shape_last_error());
  exit(status);
}

/* bf16 is the upper half of fp32. These values have no lower half. */
static uint16_t to_bf16(float value) {
  union {
    float value;
    uint32_t bits;
  } as = {value};
  return (uint16_t)(as.bits >> 16);
}
static float from_bf16(uint16_t bits) {
  union {
    uint32_t bits;
    float value;
  } as = {(uint32_t)bits << 16};
  return as.value;
}

static uint16_t* small_numbers(size_t count, unsigned seed) {
  uint16_t* out = malloc(count * sizeof *out);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    out[i] = to_bf16((float)(int)(seed >> 28) / 32 - 0.25f);
  }
  return out;
}
static void* on_device(const uint16_t* host, size_t count) {
  void* device;
  check(every_shape_allocate(&device, count * sizeof *host));
  if (host != NULL) check(every_shape_upload(device, host, count * sizeof *host));
  return device;
}

int main(void) {
  if (every_shape_version() != EVERY_SHAPE_VERSION) {
    fprintf(stderr, "example: the library is of version %d\n", every_shape_version());
    return EVERY_SHAPE_REFUSED;
  }
  uint16_t* const a[2] = {small_numbers(M * K, 1), small_numbers(M * K, 2)};
  uint16_t* const b = small_numbers(N * K, 3);
  uint16_t* const bias = small_numbers(N, 4);
  uint16_t* const c = malloc(M * N * sizeof *c);

  every_shape_problem problem = {.m = M, .n = N, .k = K, .lda = K, .ldb = K, .ldc = N};
  problem.epilogue = EVERY_SHAPE_BIAS_GELU;
  problem.at.a = on_device(a[0], M * K);
  problem.at.b = on_device(b, N * K);
  problem.at.c = on_device(NULL, M * N);
  problem.at.bias = on_device(bias, N);
  every_shape_plan* plan;
  check(every_shape_create(&problem, &plan));
  void* workspace = NULL;
  if (every_shape_workspace_bytes(plan) > 0) {
    check(every_shape_allocate(&workspace, every_shape_workspace_bytes(plan)));
    check(every_shape_clear_workspace(workspace, NULL));
  }

  every_shape_addresses elsewhere = problem.at;
  elsewhere.a = on_device(a[1], M * K);
  double worst = 0;
  for (int turn = 0; turn < 2; ++turn) {
    check(every_shape_run(plan, turn == 0 ? NULL : &elsewhere, workspace, NULL));
    check(every_shape_synchronize());
    check(every_shape_download(c, problem.at.c, M * N * sizeof *c));
    for (int row = 0; row < M; ++row) {
      for (int col = 0; col < N; ++col) {
        double x = from_bf16(bias[col]);
        for (int k = 0; k < K; ++k) {
          x += (double)from_bf16(a[turn][row * K + k]) * from_bf16(b[col * K + k]);
        }
        const double gelu = x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
        const double error = fabs(from_bf16(c[row * N + col]) - gelu) / (fabs(gelu) + 1e-3);
        if (!(error <= worst)) worst = error; /* a NaN, too */
      }
    }
  }
  every_shape_destroy(plan);
  printf("example: %s, largest relative error %.5f\n", worst < 1.0 / 200 ? "right" : "WRONG",
         worst);
  return worst < 1.0 / 200 ? 0 : 1;
}
