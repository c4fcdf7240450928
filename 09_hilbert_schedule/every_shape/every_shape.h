/* The C interface of every_shape: libevery_shape.so for GPUs of compute capability 9.0, and
 * libevery_shape_cpu.so, the same on the CPU backend, which needs no GPU and checks every access.
 *
 *   C = epilogue(A B^T),  A (M, K), B (N, K), C (M, N)
 *
 * A plan is made of a problem once. It holds what depends on sizes, strides and alignment: which
 * tiling is fastest, tensor maps, the order of tiles. Then it is run as often as one likes, with
 * the operands that it was made for or with others of the same kind.
 *
 * Every function that returns an int returns an every_shape_status: 0, or what went wrong, and then
 * every_shape_last_error() has it in one line. No exception leaves the library. All functions may
 * be called from several threads at once; one plan may be run by several threads at once. Work for
 * the GPU belongs to the present device (cudaSetDevice) of the calling thread.
 */
#ifndef EVERY_SHAPE_H
#define EVERY_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A library of another version must not be used with it. */
#define EVERY_SHAPE_VERSION 1
int every_shape_version(void);

/* As the exit statuses of the book's programs. */
typedef enum {
  EVERY_SHAPE_OK = 0,
  EVERY_SHAPE_REFUSED = 2,     /* the problem or an argument: what the line names */
  EVERY_SHAPE_DEVICE_ERROR = 3 /* no GPU, a GPU of another kind, memory, the driver */
} every_shape_status;

/* Why the last call of this thread that did not return 0 failed: one line, valid until the next
 * such call of this thread; "" if there was none. */
const char* every_shape_last_error(void);

typedef enum { EVERY_SHAPE_BF16, EVERY_SHAPE_FP16, EVERY_SHAPE_FP32 } every_shape_type;

/* Which dimension of A (M, K) or B (N, K) is contiguous in memory. */
typedef enum { EVERY_SHAPE_K_CONTIGUOUS, EVERY_SHAPE_MN_CONTIGUOUS } every_shape_major;

/* What C is, x being an element of A B^T in fp32; it is rounded once, to C's type. */
typedef enum {
  EVERY_SHAPE_IDENTITY,   /* x */
  EVERY_SHAPE_ALPHA_BETA, /* alpha x + beta C; with beta = 0, C is not read */
  EVERY_SHAPE_BIAS_RELU,  /* max(x + bias[n], 0) */
  EVERY_SHAPE_BIAS,       /* x + bias[n] */
  EVERY_SHAPE_BIAS_GELU,  /* y / 2 (1 + tanh(sqrt(2 / pi) (y + 0.044715 y^3))), y = x + bias[n] */
  EVERY_SHAPE_BIAS_SILU   /* y / (1 + exp(-y)), y = x + bias[n] */
} every_shape_epilogue;

/* Device memory (of every_shape_allocate() for the CPU backend). A and B: multiples of 16 bytes. C
 * and bias: multiples of an element; a C at a multiple of 16 bytes is stored faster. Operands
 * without elements may be null. */
typedef struct {
  const void* a;
  const void* b;
  void* c;
  const void* bias; /* N elements of A's type; null: zeros. Other epilogues do not read it. */
} every_shape_addresses;

/* All members count; memset to 0 is the empty problem. Sizes and distances are in elements.
 *
 * m, n, k   from 0 to 2147418112. k = 0: x is 0.
 * type      of A and B: BF16 or FP16.
 * c_type    of C: that type, or FP32.
 * lda, ldb  from one row of A or B to the next (K_CONTIGUOUS), or from one column to the next: as
 *           long as a row or a column at least, and a multiple of 8.
 * ldc       from one row of C to the next, N at least. With N and ldc in multiples of 8, C is
 * stored faster. Not together: MN_CONTIGUOUS operands with another epilogue than IDENTITY or with C
 * in FP32.
 */
typedef struct {
  int64_t m, n, k;
  every_shape_type type, c_type;
  every_shape_major a_major, b_major;
  int64_t lda, ldb, ldc;
  every_shape_epilogue epilogue;
  float alpha, beta; /* ALPHA_BETA */
  every_shape_addresses at;
} every_shape_problem;

typedef struct every_shape_plan every_shape_plan;

/* Makes a plan for the present device, which every_shape_destroy() takes back; *plan is null where
 * there is none. Takes some tens of microseconds, and nothing of the GPU's time. */
int every_shape_create(const every_shape_problem* problem, every_shape_plan** plan);

/* No run of the plan may begin after this; those that have been launched go on. Null is let be. */
void every_shape_destroy(every_shape_plan* plan);

/* Bytes that a run needs to itself, often 0: device memory at a multiple of 16 bytes. Its first
 * EVERY_SHAPE_WORKSPACE_ZEROS bytes are 0 before the first run, and every run leaves them so, for
 * the next one, of this plan or of another. Runs that may overlap need workspaces of their own. */
#define EVERY_SHAPE_WORKSPACE_ZEROS 4096
size_t every_shape_workspace_bytes(const every_shape_plan* plan);

/* Puts those zeros there, in the order of a stream. */
int every_shape_clear_workspace(void* workspace, void* stream);

/* Launches the plan on a stream (a cudaStream_t; null is the default one) and does not wait for it.
 * It can be captured in a graph. `at`: other operands, aligned to no less than those of the
 * problem, with the same sizes and strides; null for the problem's own. Allocates nothing. */
int every_shape_run(const every_shape_plan* plan, const every_shape_addresses* at, void* workspace,
                    void* stream);

/* 1 while what the stream is given goes into a graph, otherwise 0. */
int every_shape_is_capturing(void* stream);

/* Memory of the device, for programs that do not know CUDA, and for the CPU backend, which reads
 * and writes no other. *memory: a multiple of 256 bytes; null for 0 bytes. Copies wait until they
 * are done; synchronize waits for the device, and says what failed on it. */
int every_shape_allocate(void** memory, size_t bytes);
void every_shape_free(void* memory);
int every_shape_upload(void* device, const void* host, size_t bytes);
int every_shape_download(void* host, const void* device, size_t bytes);
int every_shape_synchronize(void);

#ifdef __cplusplus
}
#endif
#endif
