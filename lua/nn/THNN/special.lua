--- Kernels of nn.THNN that differ from the module of the same name: functions of a table of their arguments by name.
-- Sparse inputs are (n, 3): sample, column and value of each element; legacy ones (N, n, 2), where column 0 marks unused entries.
-- @module nn.THNN.special
local torch = require 'torch'
local nn = require 'nn'
local refuse = require 'torch.check.refuse'
local _, _ = nn.IndexLinear, nn.LookupTable

local special = {}

-- Turns the table of arguments into an nn.LookupTable with them as fields.
local function lookupTable(arguments)
  return setmetatable(arguments, torch.getmetatable 'nn.LookupTable')
end

function special.LookupTable_accGradParameters(arguments)
  local module = lookupTable(arguments)
  module.shouldScaleGradByFreq = arguments.scaleGradByFreq
  module.weight = module.gradWeight
  module:accGradParameters(arguments.input, arguments.gradOutput, arguments.scale)
end

function special.LookupTable_renorm(arguments)
  local module = lookupTable(arguments)
  torch.noGrad(module.compute, module, arguments.idx:view(-1))
end

--- The buffer holds e^-m + e^(-x - m), m = max(0, -x).
function special.LogSigmoid_updateOutput(arguments)
  local input, buffer = arguments.input, arguments.buffer
  local most = torch.cmax(torch.neg(input), 0)
  buffer:resizeAs(input):copy(torch.exp(torch.neg(most)):add(torch.exp(torch.neg(torch.add(input, most)))))
  arguments.output:resizeAs(input):copy(torch.neg(torch.log(buffer):add(most)))
end

-- Returns samples, columns and values of a sparse input.
local function parts(input, columns)
  if input:dim() ~= 2 or input:size(2) ~= 3 then refuse.shape('SparseLinear: input: input must be in coo format, nnz x 3') end
  local places = input:select(2, 2):_as 'Long'
  if places:nElement() > 0 and (places:min() < 1 or places:max() > columns) then
    refuse.range(('SparseLinear: input: index out of bound. updateOutput: %d not between 1 and %d'):format(
      places:min() < 1 and places:min() or places:max(), columns))
  end
  return input:select(2, 1):_as 'Long', places, input:select(2, 3):contiguous()
end

-- Converts a legacy input to the present format.
local function modern(input)
  if input:dim() ~= 3 or input:size(3) ~= 2 then refuse.shape('SparseLinear: input: input size must be batchsize x nnz x 2') end
  local rows = input.new(input:size(1) * input:size(2), 3)
  local samples = torch.range(1, input:size(1)):type(input:type()):view(-1, 1)
  rows:select(2, 1):copy(samples:expand(input:size(1), input:size(2)))
  rows:narrow(2, 2, 2):copy(input)
  local used = rows:select(2, 2):ne(0):nonzero()
  return used:nElement() == 0 and rows:resize(0, 3) or rows:index(1, used:view(-1))
end

local sparse = {}

function sparse.updateOutput(arguments)
  local weight, output = arguments.weight, arguments.output
  local samples, columns, values = parts(arguments.input, weight:size(2))
  output:copy(arguments.bias:view(1, -1):expandAs(output))
  if values:nElement() == 0 then return end
  local rows = weight:index(2, columns):t()
  output:indexAdd(1, samples, torch.cmul(rows, values:view(-1, 1):expandAs(rows)))
end

function sparse.accGradParameters(arguments)
  local gradOutput, scale = arguments.gradOutput, arguments.scale or 1
  local samples, columns, values = parts(arguments.input, arguments.gradWeight:size(2))
  if values:nElement() > 0 then
    local rows = gradOutput:index(1, samples)
    arguments.gradWeight:indexAdd(2, columns, rows:cmul(values:view(-1, 1):expandAs(rows)):mul(scale):t():contiguous())
  end
  arguments.gradBias:add(scale, gradOutput:sum(1):view(-1))
  if arguments.weightDecay and arguments.weightDecay ~= 0 then
    arguments.gradWeight:add(scale * arguments.weightDecay, arguments.weight)
  end
end

function sparse.zeroGradParameters(arguments)
  local _, columns = parts(arguments.lastInput, arguments.gradWeight:size(2))
  if columns:nElement() > 0 then arguments.gradWeight:indexFill(2, columns, 0) end
  arguments.gradBias:zero()
end

function sparse.updateParameters(arguments)
  local weight, gradWeight, rate = arguments.weight, arguments.gradWeight, arguments.learningRate
  local _, columns = parts(arguments.lastInput, weight:size(2))
  arguments.bias:add(-rate, arguments.gradBias)
  -- A column that occurs several times is updated once.
  if columns:nElement() > 0 then weight:indexCopy(2, columns, torch.add(weight, -rate, gradWeight):index(2, columns)) end
end

for method, kernel in pairs(sparse) do
  special['SparseLinear_' .. method] = kernel
  special['SparseLinear_legacy' .. method:sub(1, 1):upper() .. method:sub(2)] = function(arguments)
    local field = arguments.lastInput and 'lastInput' or 'input'
    arguments[field] = modern(arguments[field])
    kernel(arguments)
  end
end

-- Returns positions (with the offset added), and the sample of each.
local function keyed(a)
  local owners, first = torch.LongTensor(a.keys:nElement()), 1
  for i = 1, a.sizes:nElement() do
    if a.sizes[i] > 0 then owners:narrow(1, first, a.sizes[i]):fill(i) end
    first = first + a.sizes[i]
  end
  return torch.add(a.keys, a.keysOffset), owners
end

function special.IndexLinear_updateOutput(a)
  local keys = keyed(a)
  local outputSize = a.bias:nElement()
  local module = setmetatable({
    weight = a.weight, bias = a.bias, offset = 0, outputSize = outputSize, normalize = a.weight:size(2) - outputSize, output = a.output,
    train = a.train == 1 or a.train == true,
  }, torch.getmetatable 'nn.IndexLinear')
  module:updateOutput { keys, a.values, a.sizes }
end

-- Returns a gradient for each position that occurs.
local function occurrences(a, scale)
  local keys, owners = keyed(a)
  local rows = a.gradOutput:index(1, owners)
  return keys, rows:cmul(a.values:view(-1, 1):expandAs(rows)):mul(scale), torch.mul(a.gradOutput:sum(1):view(-1), scale)
end

function special.IndexLinear_accGradParameters(a)
  local _, gradients, ofBias = occurrences(a, a.scale or 1)
  a.gradWeight:resize(gradients:size()):copy(gradients)
  a.gradBias:add(ofBias)
end

-- Updates the rows at `keys`, after their decay.
local function step(a, keys, gradients, rate)
  if a.weightDecay and a.weightDecay ~= 0 then
    a.weight:indexCopy(1, keys, torch.mul(a.weight:index(1, keys), 1 - rate * a.weightDecay))
  end
  a.weight:indexAdd(1, keys, gradients:mul(-rate))
end

function special.IndexLinear_accUpdateGradParameters(a)
  local keys, gradients, ofBias = occurrences(a, 1)
  step(a, keys, gradients, a.scale or 1)
  a.bias:add(-(a.scale or 1), ofBias)
end

function special.IndexLinear_updateParameters(a)
  step(a, torch.add(a.runningKeys, a.keysOffset), a.gradWeight:clone(), a.learningRate)
  a.bias:add(-a.learningRate, a.gradBias)
end

-- Returns the windows of a padded image, (planes, kH, kW, oH, oW), as a view.
local function windows(padded, a)
  local view = padded:unfold(2, a.kH, a.dH):unfold(3, a.kW, a.dW)
  return view:narrow(2, 1, a.outputHeight):narrow(3, 1, a.outputWidth):permute(1, 4, 5, 2, 3)
end

local function padded(a)
  return a.input.new(a.nInputPlane, a.inputHeight + 2 * a.padH, a.inputWidth + 2 * a.padW):zero()
end

local function middle(whole, a)
  return whole:narrow(2, a.padH + 1, a.inputHeight):narrow(3, a.padW + 1, a.inputWidth)
end

--- Copies each window of an image to a column.
function special.unfolded_copy(a)
  local whole = padded(a)
  middle(whole, a):copy(a.input)
  a.finput:resize(a.nInputPlane * a.kH * a.kW, a.outputHeight * a.outputWidth):copy(windows(whole, a))
end

--- Adds columns to the positions of their windows.
function special.unfolded_acc(a)
  local whole = padded(a)
  windows(whole, a):add(a.finput:view(a.nInputPlane, a.kH, a.kW, a.outputHeight, a.outputWidth))
  a.input:add(middle(whole, a))
end

-- Returns the elements of images (N, C, H, W) around each position of grid (N, h, w, 2), with x and y from -1 to 1, corner to corner, and
-- zeros around the images.
local function sampled(input, grid)
  local function places(axis, size) return torch.mul(torch.add(torch.select(grid, 4, axis), 1), (size - 1) / 2) end
  local field = torch.stack({ places(2, input:size(3)), places(1, input:size(4)) }, 2)
  return torch.warp(input, field, 'bilinear', false, 'zeros')
end

function special.SpatialGridSamplerBilinear_updateOutput(a)
  local output = torch.noGrad(sampled, a.input, a.grid)
  a.output:resize(output:size()):copy(output)
end

function special.SpatialGridSamplerBilinear_updateGradInput(a)
  local autograd = require 'autograd.core'
  local input, grid = a.input:detach():requiresGrad(), a.grid:detach():requiresGrad()
  local output = autograd.enableGrad(sampled, input, grid)
  local found = autograd.grad(output, { input, grid }, { gradOutputs = a.gradOutput })
  a.gradInput:resize(input:size()):copy(found[1])
  a.gradGrid:resize(grid:size()):copy(found[2])
end

return special
