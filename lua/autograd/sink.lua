--- Gradients that stand in a tensor of the program's, where the tape adds them up: those of parameters that `getParameters` gathered.
-- The field `grad` of such a leaf is that tensor, from the start and for good: nil put there means zeros.
-- @module autograd.sink
local C = require 'libmoontorch'
local node = require 'autograd.node'

local sink = {}

-- By parameter, which it doesn't keep alive.
local sinks = setmetatable({}, { __mode = 'k' })

--- Lets the gradients of a leaf that has none yet go there.
function sink.attach(n, into)
  n.sink = into
  node.setGradient(n, into)
end

-- The same for a leaf that may have one of its own.
local function connect(n, into)
  local own = node.gradient(n)
  sink.attach(n, into)
  if own and not rawequal(own, into) then into:add(C.detach(own)) end
end

--- Lets the gradients of x, which may become a leaf later, be added to another tensor.
-- @tparam torch.Tensor x
-- @tparam torch.Tensor into
function sink.set(x, into)
  sinks[x] = into
  local n = C.node(x)
  if n and node.isLeaf(n) then require('torch').noGrad(connect, n, into) end
end

--- For a new leaf: where its gradients go, or nil.
function sink.of(x) return sinks[x] end

--- Puts a value, nil for zeros, in the place of a leaf's gradient.
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
