--- The multiply-adds of ops, from the sizes of their arguments and results in a trace (`traceOps` of libmoontorch).
-- Counted are products of matrices and vectors, convolutions and attention: ops whose work is not in proportion to the elements they read.
-- @module nn.support.multiply_adds
local counts = {}

local function elements(sizes, first, last)
  local count = 1
  for d = first or 1, last or #sizes do count = count * sizes[d] end
  return count
end

-- Returns a function for a product of results with the inner size `name`'s last dimension has.
local function product(name)
  return function(arguments, result) return elements(result) * arguments[name].sizes[#arguments[name].sizes] end
end

counts.linear = product 'x'
counts.mm, counts.bmm, counts.mv = product 'a', product 'a', product 'a'
counts.addmm, counts.baddbmm, counts.addmv = product 'a', product 'a', product 'a'

function counts.dot(arguments) return elements(arguments.x.sizes) end

-- The batch is summed, too.
function counts.addbmm(arguments, result) return elements(result) * arguments.a.sizes[1] * arguments.a.sizes[3] end

-- Outer products.
function counts.ger(_, result) return elements(result) end
counts.addr = counts.ger

-- A weight is (out, in of a group, points of the kernel...): each element of the result needs those after the first dimension.
function counts.conv2d(arguments, result) return elements(result) * elements(arguments.weight.sizes, 2) end
counts.conv1d, counts.conv3d = counts.conv2d, counts.conv2d

-- A weight is (in, out of a group, points of the kernel...): each element of the input contributes to those after the first dimension.
function counts.convTranspose2d(arguments) return elements(arguments.x.sizes) * elements(arguments.weight.sizes, 2) end
counts.convTranspose1d, counts.convTranspose3d = counts.convTranspose2d, counts.convTranspose2d

function counts.scaledDotProductAttention(arguments)
  local q, k, v = arguments.query.sizes, arguments.key.sizes, arguments.value.sizes
  return elements(q) * k[#k - 1] + elements(q, 1, #q - 1) * k[#k - 1] * v[#v]
end

--- Returns the multiply-adds of the calls in a trace.
-- @tparam {table,...} calls second result of traceOps(false)
-- @treturn int
return function(calls)
  local sum = 0
  for _, call in ipairs(calls) do
    local count = counts[call.op]
    if count then sum = sum + count(call.arguments, call.results[1].sizes) end
  end
  return sum
end
