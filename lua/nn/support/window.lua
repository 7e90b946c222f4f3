--- The common part of modules with windows over images and volumes: their fields, checks of inputs, and their text form.
-- Names of fields end in the axis: kW, dH, padT. Torch7 lists axes as T, W, H; ops and tensors as T, H, W.
-- @module nn.support.window
local torch, check, elements = require 'torch', require 'torch.check', require 'torch.names.element_count'
local boundOf = require 'nn.support.bound'
local refuse = require 'torch.check.refuse'

local window = {}

--- Axes in the order of Torch7's arguments, by number of dimensions.
window.axes = { [2] = { 'W', 'H' }, [3] = { 'T', 'W', 'H' } }

-- Torch7's messages for values that must not be 0.
local refusals = { k = 'kernel size should be greater than zero', d = 'stride should be greater than zero' }

--- Returns an integer for a field of a module: fractions are truncated, such as the padding (k - 1) / 2 for an even k. Values that are not
-- numbers stay unchanged.
function window.whole(module, name, value)
  if type(value) ~= 'number' then return value end
  return check.whole(torch.type(module), name, value)
end

--- Sets the fields `<prefix><axis>` to the integer parts of numbers, in the order of arguments. The first forward raises an error for
-- missing ones.
-- @tparam nn.Module module
-- @tparam string prefix for example `k`
-- @param ... values, 2 for images or 3 for volumes
function window.keep(module, prefix, ...)
  for i, axis in ipairs(window.axes[select('#', ...)]) do
    local value = window.whole(module, prefix .. axis, (select(i, ...)))
    if refusals[prefix] and type(value) == 'number' and value <= 0 then
      check.raise(('%s: %s: %s, %s'):format(torch.type(module), prefix .. axis, value, refusals[prefix]))
    end
    module[prefix .. axis] = value
  end
end

--- Does the same for values that determine the sizes of weights: they are required, and must be `least` or more.
-- @tparam nn.Module module
-- @tparam string prefix for example `k`
-- @tparam int least
-- @param ... values, 2 for images or 3 for volumes
function window.set(module, prefix, least, ...)
  window.keep(module, prefix, ...)
  for _, axis in ipairs(window.axes[select('#', ...)]) do
    check.int(torch.type(module), prefix .. axis, module[prefix .. axis], { min = least })
  end
end

--- Returns the fields `<prefix><axis>` in the order of ops: T, H, W.
function window.get(module, prefix, dims)
  if dims == 3 then return module[prefix .. 'T'], module[prefix .. 'H'], module[prefix .. 'W'] end
  return module[prefix .. 'H'], module[prefix .. 'W']
end

--- Checks that an input has that many dimensions after its channels, and possibly a batch dimension before them.
-- @raise Torch7's message
function window.expectImages(module, input, dims)
  local found = input:dim()
  if found ~= dims + 1 and found ~= dims + 2 then
    refuse.shape(('%s: input: %dD or %dD input tensor expected but got: [%s]'):format(torch.type(module), dims + 1, dims + 2,
      table.concat(input:size():totable(), ' x ')))
  end
end

-- Names of fields of each axis, in the order of tensors; they are concatenated only once.
local fields = {}
for dims, axes in pairs { [2] = { 'H', 'W' }, [3] = { 'T', 'H', 'W' } } do
  fields[dims] = {}
  for i, axis in ipairs(axes) do
    fields[dims][i] = { kernel = 'k' .. axis, step = 'd' .. axis, pad = 'pad' .. axis, dilation = 'dilation' .. axis }
  end
end

local positive = { min = 1 }

-- Checks that a module has the fields for its windows along an axis.
local function expectFields(module, axis)
  module[axis.kernel] = check.whole(torch.type(module), axis.kernel, module[axis.kernel], positive)
  module[axis.step] = check.whole(torch.type(module), axis.step, module[axis.step], positive)
  if module[axis.pad] ~= nil then module[axis.pad] = check.whole(torch.type(module), axis.pad, module[axis.pad]) end
end

-- Returns the size of a module's output along an axis.
local function outputSize(module, axis, size, ceil)
  local kernel = (module[axis.dilation] or 1) * (module[axis.kernel] - 1) + 1
  local steps = (size + 2 * (module[axis.pad] or 0) - kernel) / module[axis.step]
  return (ceil and math.ceil(steps) or math.floor(steps)) + 1
end

local function refuseSize(module, input, dims, ceil)
  local first = input:dim() - dims
  local given = { unpack(input:size():totable(), first) }
  local result = { module.nOutputPlane or given[1] }
  for i, axis in ipairs(fields[dims]) do result[i + 1] = outputSize(module, axis, given[i + 1], ceil) end
  refuse.shape(('%s: input: Given input size: (%s). Calculated output size: (%s). Output size is too small'):format(torch.type(module),
    table.concat(given, ' x '), table.concat(result, ' x ')))
end

--- Checks the input of sliding windows: dimensions, planes, and that the output is not empty.
-- @tparam nn.Module module with fields for axes; `pad` and `dilation` are optional
-- @tparam torch.Tensor input
-- @tparam int dims
-- @tparam[opt] int planes required number
-- @tparam[opt] boolean ceil whether output sizes are rounded up
-- @raise Torch7's messages
function window.expectRoom(module, input, dims, planes, ceil)
  window.expectImages(module, input, dims)
  local first = input:dim() - dims
  if planes and input:size(first) ~= planes then
    refuse.shape(('%s: input: invalid number of input planes. Got: %d, Expected: %d'):format(torch.type(module), input:size(first), planes))
  end
  local axes = fields[dims]
  for i = 1, dims do
    expectFields(module, axes[i])
    if outputSize(module, axes[i], input:size(first + i), ceil) < 1 then refuseSize(module, input, dims, ceil) end
  end
end

--- Checks that padding is at most half of the kernel.
-- @raise Torch7's message
function window.expectHalf(module, dims)
  local axes = fields[dims]
  for i = 1, dims do
    expectFields(module, axes[i])
    if 2 * (module[axes[i].pad] or 0) > module[axes[i].kernel] then
      refuse.shape(('%s: pad should be smaller than half of kernel size'):format(torch.type(module)))
    end
  end
end

--- Checks positions in planes or volumes, counted from 1.
-- @raise Torch7's message
function window.expectPositions(module, positions, ...)
  local count, worst = elements { ... }, nil
  if positions:nElement() > 0 then
    local least, most = positions:min(), positions:max()
    worst = least < 1 and least or most > count and most or nil
  end
  if worst then
    refuse.range(('%s: found an invalid max index %d (output volumes are of size %s)'):format(torch.type(module), worst,
      table.concat({ ... }, 'x')))
  end
end

--- Raises an op's error for an input, in Torch7's words if possible. These checks run only after an op has failed, so they cost nothing
-- otherwise.
-- @tparam nn.Module module
-- @tparam string message the op's error
-- @param ... the other arguments of expectRoom
function window.explain(module, message, ...)
  window.expectRoom(module, ...)
  error(message, 0)
end

--- Makes an unpooling module share the indices of its pooling module's last forward. Without one, for example after reading a file without
-- the indices, it keeps its present ones.
-- @tparam nn.Module module with the field `pooling`
function window.shareIndices(module)
  local indices = module.pooling.indices
  if module.indices == nil or torch.isTensor(indices) and indices:nElement() > 0 then module.indices = indices end
end

local function listed(module, prefix, dims, separator)
  local values = {}
  for i, axis in ipairs(window.axes[dims]) do values[i] = ('%d'):format(module[prefix .. axis]) end
  return table.concat(values, separator)
end

local function anyIsNot(module, prefix, dims, neutral)
  for _, axis in ipairs(window.axes[dims]) do
    local value = module[prefix .. axis]
    if value and value ~= neutral then return true end
  end
  return false
end

--- Returns the kernel, and steps, pads and adjustments unless they have no effect: `5x5, 1,1, 2,2`.
-- @tparam nn.Module module
-- @tparam int dims
-- @tparam[opt] boolean always whether steps are shown even if they are 1
function window.describe(module, dims, always)
  local text, padded = listed(module, 'k', dims, 'x'), anyIsNot(module, 'pad', dims, 0)
  if always or anyIsNot(module, 'd', dims, 1) or padded then text = text .. ', ' .. listed(module, 'd', dims, ',') end
  if padded then text = text .. ', ' .. listed(module, 'pad', dims, ',') end
  if anyIsNot(module, 'adj', dims, 0) then text = text .. ', ' .. listed(module, 'adj', dims, ',') end
  return text
end

--- Returns a convolution's planes and window for the text after its class: `(3 -> 16, 5x5) without bias`.
-- @tparam nn.Module module
-- @tparam int dims
-- @tparam[opt] string before text between planes and window
-- @tparam[opt] string behind text after the window
function window.describeConvolution(module, dims, before, behind)
  return ('(%d -> %d, %s%s%s)%s'):format(module.nInputPlane, module.nOutputPlane, before or '', window.describe(module, dims),
    behind or '', module.bias and '' or ' without bias')
end

--- Draws weight, then bias, uniformly between -s and s, s = 1 / sqrt(fan), or so that their standard deviation is `stdv`.
function window.draw(module, stdv, fan)
  module:draw(boundOf(module, stdv, 1 / math.sqrt(fan)))
end

--- A method: old programs' name for `clearState`.
function window.empty(module) return module:clearState() end

--- Pooling's method `ceil`: output sizes are rounded up from now on.
-- @return the module
function window.ceil(module)
  module.ceil_mode = true
  return module
end

--- Pooling's method `floor`: output sizes are rounded down from now on.
-- @return the module
function window.floor(module)
  module.ceil_mode = false
  return module
end

--- Average pooling's method `setCountIncludePad`: padding counts as elements from now on.
-- @return the module
function window.setCountIncludePad(module)
  module.count_include_pad = true
  return module
end

--- Average pooling's method `setCountExcludePad`: from now on, means are over elements of the input only.
-- @return the module
function window.setCountExcludePad(module)
  module.count_include_pad = false
  return module
end

return window
