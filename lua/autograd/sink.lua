--- Gradients that the tape accumulates in a tensor of the program: those of parameters that `getParameters` flattened.
-- The field `grad` of such a leaf is always this tensor: assigning nil sets it to zeros.
-- @module autograd.sink
local C = require 'libmoontorch'
local node = require 'autograd.node'

local sink = {}

-- By parameter, with weak keys.
local sinks = setmetatable({}, { __mode = 'k' })

--- Lets the gradients of a leaf without a gradient accumulate in `into`.
function sink.attach(n, into)
  n.sink = into
  node.setGradient(n, into)
end

-- Does the same for a leaf that may already have a gradient.
local function connect(n, into)
  local own = node.gradient(n)
  sink.attach(n, into)
  if own and not rawequal(own, into) then into:add(C.detach(own)) end
end

--- Lets the gradients of x, which may become a leaf later, accumulate in another tensor.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor into
function sink.set(x, into)
  sinks[x] = into
  local n = C.node(x)
  if n and node.isLeaf(n) then require('torch').noGrad(connect, n, into) end
end

--- Returns the tensor for the gradients of a new leaf, or nil.
function sink.of(x) return sinks[x] end

--- Assigns a value, or nil for zeros, to a leaf's gradient.
function sink.put(n, value)
  local into = n.sink
  node.setGradient(n, into)
  if value == nil then
    into:zero()
  elseif not rawequal(value, into) then
    into:copy(C.detach(value))
  end
end

return sink
