-- A layer of long short-term memory in plain Lua, step by step. A tensor is { sizes = {...}, data = {...} }, row-major.
local cell = require 'spec.reference.recurrent'

local reference = {}

-- Step t of a tensor (steps, n, k).
local function stepOf(x, t)
  local step, count = { sizes = { x.sizes[2], x.sizes[3] }, data = {} }, x.sizes[2] * x.sizes[3]
  for i = 1, count do step.data[i] = x.data[(t - 1) * count + i] end
  return step
end

local function setStep(x, t, step)
  for i, v in ipairs(step.data) do x.data[(t - 1) * #step.data + i] = v end
end

-- a b, or a b' if `transposes`.
local function product(a, b, transposes)
  local rows, depth, columns = a.sizes[1], a.sizes[2], b.sizes[transposes and 1 or 2]
  local c = { sizes = { rows, columns }, data = {} }
  for i = 1, rows do
    for j = 1, columns do
      local sum = 0
      for k = 1, depth do
        sum = sum + a.data[(i - 1) * depth + k] * b.data[transposes and (j - 1) * depth + k or (k - 1) * columns + j]
      end
      c.data[(i - 1) * columns + j] = sum
    end
  end
  return c
end

local function added(a, b)
  local c = { sizes = a.sizes, data = {} }
  for i, v in ipairs(a.data) do c.data[i] = v + b.data[i] end
  return c
end

-- The steps in the order in which they run, or backwards.
local function orderOf(steps, isBackward)
  local order = {}
  for t = 1, steps do order[t] = isBackward and steps + 1 - t or t end
  return order
end

function reference.lstm_layer(x, h, c, weight, reverse, keeps)
  local steps, n, m = x.sizes[1], x.sizes[2], h.sizes[2]
  local kept = keeps == false and 1 or steps
  local y, cells = { sizes = { steps, n, m }, data = {} }, { sizes = { kept, n, m }, data = {} }
  local gates = { sizes = { kept, n, 4 * m }, data = {} }
  for _, t in ipairs(orderOf(steps, reverse)) do
    local ofStep
    h, c, ofStep = cell.lstm_cell(added(stepOf(x, t), product(h, weight, true)), c)
    setStep(y, t, h)
    setStep(cells, kept == 1 and 1 or t, c)
    setStep(gates, kept == 1 and 1 or t, ofStep)
  end
  return y, cells, gates
end

function reference.lstm_layer_grad(gy, gh, gc, gates, c0, c, weight, reverse)
  local gx, order = { sizes = gates.sizes, data = {} }, orderOf(gates.sizes[1], not reverse)
  for i, t in ipairs(order) do
    local before = order[i + 1] and stepOf(c, order[i + 1]) or c0
    local step
    step, gc = cell.lstm_cell_grad(added(gh, stepOf(gy, t)), gc, stepOf(gates, t), before, stepOf(c, t))
    setStep(gx, t, step)
    gh = product(step, weight)
  end
  return gx, gh, gc
end

return reference
