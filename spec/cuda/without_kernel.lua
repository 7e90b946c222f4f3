--- Ops that have no kernel for GPUs, with the reasons, which docs/gpu.md also has.
local steps = 'it packs the weight for the caches of a CPU; nn.LSTM runs products and cells step by step'

local long = 'the compiler of CUDA takes more than ten minutes for these functions'

local without = { lstm_layer = steps, lstm_layer_grad = steps }
for name in ([[
  gammainc gammaincc gammaincinv gammainccinv gammainc_density gammainc_slope
  betaln betainc betaincinv betainc_density betainc_slope_a betainc_slope_b
]]):gmatch '%S+' do
  without[name] = long
end

return without
