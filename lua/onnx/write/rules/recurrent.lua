--- ONNX nodes for recurrent cells and layers, and attention.
-- @module onnx.write.rules.recurrent
local emitter = require 'onnx.write.emitter'

local rules = {}

-- Parts of `size` columns.
local function columns(o, x, size, count, dim)
  local parts = {}
  for i = 1, count do parts[i] = o.slice(x, dim or 1, (i - 1) * size, i * size) end
  return unpack(parts)
end

-- c and h of the sums at the gates i, f, g, o; and the gates.
local function cell(o, sums, c0, size, wantsGates)
  local i, f, g, out = columns(o, sums, size, 4)
  i, f, g, out = o.Sigmoid(i), o.Sigmoid(f), o.Tanh(g), o.Sigmoid(out)
  local c = o.Add(o.Mul(f, c0), o.Mul(i, g))
  return o.Mul(out, o.Tanh(c)), c, wantsGates and o.Concat(i, f, g, out, { axis = 1 }) or nil
end

function rules.lstm_cell(o, step)
  return cell(o, step.x, step.c0, step:fixedSize(step.c0, 2), step:wants(3))
end

function rules.gru_cell(o, step)
  local size = step:fixedSize(step.h0, 2)
  local xr, xz, xn = columns(o, step.x, size, 3)
  local yr, yz, yn = columns(o, step.y, size, 3)
  local r, z = o.Sigmoid(o.Add(xr, yr)), o.Sigmoid(o.Add(xz, yz))
  local n = o.Tanh(o.Add(xn, o.Mul(r, yn)))
  return o.Add(n, o.Mul(z, o.Sub(step.h0, n))), step:wants(2) and o.Concat(r, z, n, { axis = 1 }) or nil
end

-- The cell for each slice of x, in a body.
function rules.lstm_layer(o, step)
  local size = step:fixedSize(step.h0, 2)
  local weight = o.Transpose(step.weight, { perm = { 1, 0 } })
  local body = emitter.new(o.opset, o)
  local names, inputs = {}, {}
  for i, like in ipairs { step.h0, step.c0, step.x } do
    local sizes = { like.sizes[#like.sizes - 1] or 'n', like.sizes[#like.sizes] }
    names[i] = body.input(like.dtype, sizes)
    inputs[i] = emitter.value(names[i].name, like.dtype)
  end
  local keepsGates = step:wants(3)
  local h, c, gates = cell(body, body.Add(inputs[3], body.MatMul(inputs[1], weight)), inputs[2], size, keepsGates)
  local outputs = { h, c, body.Identity(h), body.Identity(c), keepsGates and body.Identity(gates) or nil }
  local reverse = step.reverse and 1 or 0
  local directions = {}
  for i = 1, #outputs - 2 do directions[i] = reverse end
  local made = { o.node('Scan', #outputs, step.h0, step.c0, step.x, {
    num_scan_inputs = 1, scan_input_directions = { reverse }, scan_output_directions = directions,
    body = { graph = body.graph(names, body.outputs(outputs)) },
  }) }
  local last = { unpack(made, 3) }
  if not step.keeps then      -- the step that ran last alone
    for i = 2, #last do last[i] = o.slice(last[i], 0, reverse == 1 and 0 or -1, reverse == 1 and 1 or 2 ^ 31 - 1) end
  end
  return unpack(last)
end

-- ---- attention

-- Heads of keys and values, each of which serves adjacent heads of the query.
local function shared(o, step, x, query)
  local rank = #x.sizes
  if rank < 3 or x.sample[rank - 2] == query.sample[rank - 2] or x.sample[rank - 2] == 1 then return x end
  local sizes = step:fixed(x)
  local heads, times = sizes[rank - 2], step:fixed(query)[rank - 2] / sizes[rank - 2]
  local column, wide, joined = { unpack(sizes) }, { unpack(sizes) }, { unpack(sizes) }
  table.insert(column, rank - 1, 1)
  table.insert(wide, rank - 1, times)
  joined[rank - 2] = heads * times
  return o.reshape(o.Expand(o.reshape(x, column), o.integers(wide)), joined)
end

-- The positions from 0 below a size.
local function range(o, size) return o.Range(o.number(0, 'int64'), o.scalar(size, 'int64'), o.number(1, 'int64')) end

function rules.scaledDotProductAttention(o, step)
  local query, rank, dtype = step.query, #step.query.sizes, step.dtype
  local key, value = shared(o, step, step.key, query), shared(o, step, step.value, query)
  local scale = step.scale or 1 / math.sqrt(step:fixedSize(query, rank))
  local order = {}
  for d = 1, rank do order[d] = d - 1 end
  order[rank - 1], order[rank] = rank - 1, rank - 2
  local scores = o.Mul(o.MatMul(query, o.permute(key, order)), scale)
  local none = o.number(-math.huge, dtype)
  local mask, excludes = step.mask, step.causal
  if mask and mask.dtype:find 'float' then
    scores, excludes = o.Add(scores, o.cast(mask, dtype)), true
  elseif mask then
    scores, excludes = o.Where(o.cast(mask, 'bool'), scores, none), true
  end
  if step.causal then
    local rows = o.Reshape(range(o, o.size(query, rank - 1)), o.integers { -1, 1 })
    local keys = range(o, o.size(step.key, rank - 1))
    scores = o.Where(o.LessOrEqual(keys, rows), scores, none)
  end
  local weights = o.Softmax(scores, { axis = rank - 1 })
  local logsum
  if excludes then      -- a query without keys has the weight NaN for all of them
    local isEmpty = o.Equal(o.reduce('ReduceMax', scores, { rank - 1 }), none)
    weights = o.Where(isEmpty, o.number(0, dtype), weights)
  end
  if step:wants(2) then logsum = o.reshapeTo(o.reduce('ReduceLogSumExp', scores, { rank - 1 }), step.results[2]) end
  return o.MatMul(weights, value), logsum
end

return rules
