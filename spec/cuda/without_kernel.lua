--- Ops that have no kernel for GPUs, with the reasons, which docs/gpu.md also has.
local steps = 'it packs the weight for the caches of a CPU; nn.LSTM runs products and cells step by step'

return { lstm_layer = steps, lstm_layer_grad = steps }
