// A kernel that must spill: 128 running values of each thread, 32 registers to hold them. The compile
// gate has to refuse it.

__global__ void __launch_bounds__(1024, 2) spilling_kernel(float* data, int steps) {
  float value[128];
  for (int i = 0; i < 128; ++i) value[i] = data[threadIdx.x + i * 1024];
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 128; ++i) value[i] = value[i] * value[(i + 37) % 128] + value[(i + 1) % 128];
  }
  for (int i = 0; i < 128; ++i) data[threadIdx.x + i * 1024] = value[i];
}
