--- Reasons why a kernel fills less than half a multiprocessor, or needs no wide loads, by a Lua pattern of its mangled name
-- (bench/gpu_kernels.lua).
return {
  ['12ReduceKernel'] = 'four accumulators in double and 16 bytes a load in flight hide the latency, at the cost of registers',
  ['10ScanKernel'] = 'runs of elements and logarithms of their sums stay in registers between the two passes',
  ['7InOrder'] = 'one thread writes a result that overlaps itself',
  ['9Polygamma'] = 'a dozen terms of a series in double an element',
  ['4AtanEd'] = 'the library’s double arc tangent',
  ['16ContiguousKernel.*E[ahstb]EEE'] = '16 or 8 elements of one or two bytes a thread, widened',
  ['16ContiguousKernel'] = 'operands of 16 bytes each, and in double',
  ['conv_product'] = 'tiles of products are accumulated in registers, like matrix products',
  ['17ConvProductKernel'] = 'tiles of products are accumulated in registers, like matrix products',
  ['pool_'] = 'windows’ ranges in three dimensions in 64 bits: only images of 2^31 elements and more use these',
  ['4Frac'] = '0 for integers, without loading them',
  ['5IsNan'] = 'false for integers, without loading them',
  ['5IsInf'] = 'false for integers, without loading them',
  ['8IsFinite'] = 'true for integers, without loading them',
}
