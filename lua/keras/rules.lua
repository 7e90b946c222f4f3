--- What Keras's weights are in PyTorch's terms: names, and orders of dimensions and gates.
-- Sources: Keras 3, keras/src/layers (shapes of weights); PyTorch's documentation of torch.nn (shapes of parameters).
-- @module keras.rules
local torch = require 'torch'

local rules = {}

-- Rows of blocks in another order: a matrix of blocks of rows.
local function reordered(x, order)
  if not order then return x end
  local rows, parts = x:size(1) / #order, {}
  for i, block in ipairs(order) do parts[i] = x:narrow(1, (block - 1) * rows + 1, rows) end
  return torch.cat(parts, 1)
end

-- Layouts of weights: by name, and number of dimensions. `to`: PyTorch's name; `permute`: dimensions of the file in PyTorch's order.
-- A kernel of a transposed convolution has outputs before inputs, so the same order serves both.
rules.layouts = {
  kernel = {
    [2] = { to = 'weight', permute = { 2, 1 } }, [3] = { to = 'weight', permute = { 3, 2, 1 } },
    [4] = { to = 'weight', permute = { 4, 3, 1, 2 } }, [5] = { to = 'weight', permute = { 5, 4, 1, 2, 3 } },
  },
  -- (kH, kW, channels, multiplier) -> (channels * multiplier, 1, kH, kW)
  depthwise_kernel = { [3] = { to = 'weight', permute = { 2, 3, 1 }, isDepthwise = true },
                       [4] = { to = 'weight', permute = { 3, 4, 1, 2 }, isDepthwise = true } },
  pointwise_kernel = { [3] = { to = 'pointwise.weight', permute = { 3, 2, 1 } },
                       [4] = { to = 'pointwise.weight', permute = { 4, 3, 1, 2 } } },
  bias = { [1] = { to = 'bias' } }, gamma = { [1] = { to = 'weight' } }, beta = { [1] = { to = 'bias' } },
  moving_mean = { [1] = { to = 'running_mean' } }, moving_variance = { [1] = { to = 'running_var' } },
  embeddings = { [2] = { to = 'weight' } }, alpha = { [1] = { to = 'weight' }, [3] = { to = 'weight' } },
}

-- Recurrent layers, by blocks of the columns of their kernels, and the order of PyTorch's blocks: GRU's are z, r, h in Keras and r, z, n in
-- PyTorch; LSTM's are i, f, g, o in both.
rules.recurrent = { [1] = {}, [3] = { order = { 2, 1, 3 } }, [4] = {} }

-- Names of numbered weights, by class of layer; `cell` and `forward_layer` have those of the layer around them.
rules.variables = {
  batch_normalization = { [4] = 'gamma beta moving_mean moving_variance', [3] = 'beta moving_mean moving_variance',
                          [2] = 'moving_mean moving_variance' },
  layer_normalization = { [2] = 'gamma beta', [1] = 'gamma' }, group_normalization = { [2] = 'gamma beta', [1] = 'gamma' },
  separable_conv1d = { [3] = 'depthwise_kernel pointwise_kernel bias', [2] = 'depthwise_kernel pointwise_kernel' },
  depthwise_conv2d = { [2] = 'depthwise_kernel bias', [1] = 'depthwise_kernel' },
  embedding = { [1] = 'embeddings' }, p_re_lu = { [1] = 'alpha' },
  lstm = { [3] = 'kernel recurrent_kernel bias', [2] = 'kernel recurrent_kernel' },
  dense = { [2] = 'kernel bias', [1] = 'kernel' },
}
for name, other in pairs {
  separable_conv2d = 'separable_conv1d', depthwise_conv1d = 'depthwise_conv2d', gru = 'lstm', simple_rnn = 'lstm', conv1d = 'dense',
  conv2d = 'dense', conv3d = 'dense', conv1d_transpose = 'dense', conv2d_transpose = 'dense', conv3d_transpose = 'dense',
} do
  rules.variables[name] = rules.variables[other]
end

local function permuted(x, layout)
  local y = layout.permute and x:permute(unpack(layout.permute)):contiguous() or x
  if not layout.isDepthwise then return y end
  local sizes = y:size():totable()
  local first = table.remove(sizes, 1)
  sizes[1] = first * sizes[1]
  table.insert(sizes, 2, 1)
  return y:view(unpack(sizes))
end

-- Converts the weights of a recurrent layer.
local function recurrent(weights, add, ending)
  local inner = weights.recurrent_kernel
  local units, blocks = inner:size(1), inner:size(2) / inner:size(1)
  local kind = rules.recurrent[blocks]
  if inner:dim() ~= 2 or not kind or not weights.kernel or weights.kernel:dim() ~= 2 or weights.kernel:size(2) ~= inner:size(2) then
    error('a recurrent kernel of another form, expected that of SimpleRNN, GRU or LSTM', 0)
  end
  add('weight_ih_l0' .. ending, reordered(weights.kernel:t():contiguous(), kind.order))
  add('weight_hh_l0' .. ending, reordered(inner:t():contiguous(), kind.order))
  local bias = weights.bias
  if not bias then return end
  if blocks == 3 and bias:dim() == 1 then
    error('a GRU with reset_after = False, which PyTorch lacks, expected one with a bias of two rows', 0)
  end
  local rows = blocks * units
  if bias:nElement() ~= rows * (blocks == 3 and 2 or 1) then
    error(('a bias of %d numbers, expected %d'):format(bias:nElement(), rows), 0)
  end
  local first = bias:dim() == 2 and bias[1] or bias
  local second = bias:dim() == 2 and bias[2] or torch.zeros(rows):typeAs(bias)
  add('bias_ih_l0' .. ending, reordered(first:contiguous(), kind.order))
  add('bias_hh_l0' .. ending, reordered(second:contiguous(), kind.order))
end

--- Converts the weights of a layer. Those without a rule keep their names and values.
-- @tparam table weights tensors by Keras's names, and `names`, their order
-- @string ending of recurrent weights: `_reverse` for those that run backwards
-- @bool isRaw whether the layer is an einsum, whose kernels stay as they are
-- @tparam function add called with PyTorch's name and a tensor
function rules.convert(weights, ending, isRaw, add)
  if weights.recurrent_kernel then return recurrent(weights, add, ending) end
  for _, name in ipairs(weights.names) do
    local x = weights[name]
    local layout = not isRaw and rules.layouts[name] and rules.layouts[name][x:dim()]
    if not layout then
      add(name, x)
    elseif weights.pointwise_kernel then      -- a depthwise and a pointwise convolution in one layer
      add(name == 'depthwise_kernel' and 'depthwise.weight' or name == 'bias' and 'pointwise.bias' or layout.to, permuted(x, layout))
    else
      add(layout.to, permuted(x, layout))
    end
  end
end

return rules
