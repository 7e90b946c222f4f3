--- Ops that have no kernel for GPUs, with the reasons, which docs/gpu.md also has.
local packs = 'it packs the weight for the caches of a CPU; nn.LSTM runs products and cells step by step'
local compilesLong = "CUDA's compiler did not finish the file of these functions in nine minutes"

local forCPUs = 'networks of 8-bit integers run on CPUs'
local without = { lstm_layer = packs, lstm_layer_grad = packs }
for name in ([[
  int8Pack int8Linear int8Conv2d int8MaxPool2d int8AvgPool2d int8Add int8Map int8Matmul int8Attention
  quantize dequantize fakeQuantize fakeQuantize_grad linear16
]]):gmatch '%S+' do
  without[name] = forCPUs
end
for name in ([[
  gammainc gammaincc gammaincinv gammainccinv gammainc_density gammainc_slope
  betaln betainc betaincinv betainc_density betainc_slope_a betainc_slope_b
]]):gmatch '%S+' do
  without[name] = compilesLong
end
for name in ('nmsMask roiAlign roiAlign_grad roiMax'):gmatch '%S+' do without[name] = 'boxes of pictures are for CPUs so far' end
for name in ([[
  bsrMatmul bsrSampled bsrTransposedMatmul bucketSort csrExpand csrMatmul csrProduct csrProductAt csrSampled csrSolveTriangular
  csrTransposedMatmul diaMatmul diaSampled
]]):gmatch '%S+' do
  without[name] = 'sparse matrices are for CPUs so far'
end

return without
