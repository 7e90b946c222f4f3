-- Modules and functions with PyTorch's names against PyTorch's results and gradients (figures.py): on the tape, by Torch7's protocol, and
-- in float32.
local torch, nn = require 'torch', require 'nn'
local series = require('spec.support.layers').series
local state = require 'nn.support.state'

local tolerance = { ['torch.DoubleTensor'] = 1e-9, ['torch.FloatTensor'] = 2e-4 }

-- The inputs of `given` in figures.py.
local function given(k, spec, typename)
  local kind = type(spec[1]) == 'string' and spec[1] or 'floats'
  local first = kind == 'floats' and 1 or 2
  if kind == 'labels' or kind == 'lengths' then
    local n = spec[2]
    local x = spec[3] and torch.LongTensor(unpack(spec, 3)) or torch.LongTensor(1)
    local i = 0
    return x:apply(function()
      i = i + 1
      return ((i - 1) * 7 + 3 * k + 2) % n + 1
    end)
  end
  local x = series(torch.LongStorage { unpack(spec, first) }, 1.3 + 0.21 * k):mul(1.5)
  if kind == 'mask' then return torch.gt(x, 0) end
  if kind == 'positive' then x:add(1.6) elseif kind == 'unit' then x:mul(0.32):add(0.5) elseif kind == 'signs' then x:sign() end
  return x:type(typename)
end

local function evaluated(text, scope)
  return setfenv(assert(loadstring('return ' .. text)), setmetatable(scope, { __index = _G }))()
end

local function tensorsOf(value, list)
  if type(value) == 'number' or type(value) == 'boolean' then
    list[#list + 1] = torch.DoubleTensor { tonumber(value) or value and 1 or 0 }
  elseif torch.isTensor(value) then
    list[#list + 1] = value
  else
    for _, part in ipairs(value) do tensorsOf(part, list) end
  end
  return list
end

local function near(what, expected, actual, limit)
  local same = expected == actual or expected ~= expected and actual ~= actual
  if not (same or math.abs(expected - actual) <= limit * math.max(1, math.abs(expected))) then
    error(('%s: %.12g, expected %.12g'):format(what, actual, expected), 0)
  end
end

-- Compares a tensor with a figure: sizes, projection, elements.
local function compare(what, figure, x, limit)
  local sizes = x:dim() > 0 and x:size():totable() or {}
  if not (#figure[1] == 0 and x:nElement() == 1) then assert.same(figure[1], sizes, what .. ': sizes') end
  local count = x:nElement()
  if count == 0 then return end
  local flat = x:detach():contiguous():view(-1):double()
  near(what .. ': projection', figure[2], flat:dot(series(torch.LongStorage { count }, 0.9)), limit * math.sqrt(count))
  local step = math.max(1, math.floor(count / 5))
  for i = 3, #figure do near(('%s: element %d'):format(what, (i - 3) * step + 1), figure[i], flat[(i - 3) * step + 1], limit) end
end

-- The parameters of a module by PyTorch's names: entries with the field's tensor, a view with PyTorch's sizes and the gradient.
local function parametersOf(module)
  local gradients, byName = {}, {}
  for _, parameter, gradient in module:namedParameters() do gradients[parameter] = gradient end
  for _, entry in ipairs((state.entries(module))) do
    local gradient = gradients[entry.source]
    if not entry.isBuffer then byName[entry.name] = { entry.source, entry.tensor, gradient and gradient:viewAs(entry.tensor) } end
  end
  return byName
end

-- Sets a module's parameters to the series of figures.py, and returns them and their gradients in PyTorch's order.
local function fill(module, wanted, isFilled)
  local parameters = parametersOf(module)
  local list, gradients = {}, {}
  for i, entry in ipairs(wanted) do
    local name = entry[1]
    local parameter, view, gradient = unpack(assert(parameters[name], 'no parameter ' .. name), 1, 3)
    assert.same({ unpack(entry, 2) }, view:size():totable(), name)
    if isFilled then torch.noGrad(view.copy, view, series(view:size(), 0.7 + 0.1 * (i - 1)):mul(0.5)) end
    list[i], gradients[i] = parameter, gradient
    parameters[name] = nil
  end
  assert.is_nil(next(parameters), 'further parameters')
  return list, gradients
end

local function prepared(case, typename)
  local scope, inputs = { F = nn.functional, nn = nn, torch = torch, series = series }, {}
  for k, spec in ipairs(case.inputs or {}) do
    inputs[k] = given(k - 1, spec, typename)
    scope['x' .. k] = inputs[k]
  end
  local parameters, gradients = {}, {}
  if case.module then
    scope.m = evaluated(case.module, scope):type(typename)
    if case.evaluate then scope.m:evaluate() end
    if scope.m.parameters then parameters, gradients = fill(scope.m, case.parameters or {}, case.fill ~= false) end
  end
  return scope, inputs, parameters, gradients
end

-- Whether input k has a gradient.
local function isLeaf(case, k, x)
  for _, constant in ipairs(case.constants or {}) do
    if constant == k then return false end
  end
  return x:isFloatingPoint()
end

-- The weights of the loss for each result, as in figures.py.
local function weightsOf(results)
  local weights = {}
  for i, y in ipairs(results) do
    weights[i] = series(y:dim() > 0 and y:size() or torch.LongStorage { 1 }, 1.1 + 0.1 * (i - 1)):type(y:type())
  end
  return weights
end

local function onTape(case, typename)
  local scope, inputs, parameters = prepared(case, typename)
  local wanted = {}
  if case.gradient ~= false then
    for k, x in ipairs(inputs) do
      if isLeaf(case, k, x) then wanted[#wanted + 1] = x:requiresGrad() end
    end
    for _, p in ipairs(parameters) do wanted[#wanted + 1] = p:requiresGrad() end
  end
  local limit = math.max(case.within or 0, tolerance[typename])
  local results = tensorsOf(evaluated(case.call, scope), {})
  assert.equal(#case.results, #results)
  for i, figure in ipairs(case.results) do compare('result ' .. i, figure, results[i], limit) end
  if case.gradient == false then return end
  local loss = 0
  for i, weight in ipairs(weightsOf(results)) do
    local y = results[i]
    if y:isFloatingPoint() and y:isTracked() then loss = loss + torch.cmul(y:contiguous():view(-1), weight:view(-1)):sum() end
  end
  loss:backward()
  for i, figure in ipairs(case.gradients) do
    compare('gradient ' .. i, figure, wanted[i].grad or wanted[i]:clone():zero(), limit)
  end
end

-- Torch7's forward and backward of a module whose call in the case has only its inputs as arguments.
local function byProtocol(case)
  local scope, inputs, parameters, gradients = prepared(case, 'torch.DoubleTensor')
  local isTable = case.call:find('{', 1, true) ~= nil
  local input = isTable and inputs or inputs[1]
  scope.m:zeroGradParameters()
  local output = scope.m:forward(input)
  local results = tensorsOf(output, {})
  for i, figure in ipairs(case.results) do compare('output ' .. i, figure, results[i], case.within or 1e-9) end
  if case.gradient == false then return end
  local weights = weightsOf(results)
  local gradInput = scope.m:backward(input, type(output) == 'table' and weights or weights[1])
  local list = {}
  for i, x in ipairs(inputs) do
    if isLeaf(case, i, x) then list[#list + 1] = isTable and gradInput[i] or gradInput end
  end
  for i = 1, #parameters do list[#list + 1] = gradients[i] end
  for i, figure in ipairs(case.gradients) do compare('gradient ' .. i .. ' of backward', figure, list[i], case.within or 1e-9) end
end

-- Torch7's forward and backward of a criterion, whose backward is the gradient of the sum of the losses.
local function criterionByProtocol(case)
  local scope, inputs = prepared(case, 'torch.DoubleTensor')
  local function by(method) return evaluated(case.call:gsub('^m%f[%W]', 'm:' .. method), scope) end
  local loss = by 'forward'
  compare('loss', case.results[1], torch.isTensor(loss) and loss or torch.DoubleTensor { loss }, 1e-9)
  local gradInput = by 'backward'
  if case.gradient == false or torch.isTensor(loss) then return end
  local factor = 1 / math.sin(1.1 + 0.5)                                            -- the weight of a single result in figures.py
  local list = torch.isTensor(gradInput) and { gradInput } or gradInput
  local names = {}
  for name in case.call:match '^m *%(?{?([^}]*)':gmatch 'x(%d)' do names[#names + 1] = tonumber(name) end
  for i, gradient in ipairs(list) do
    local position = 0
    for k = 1, names[i] do position = position + (isLeaf(case, k, inputs[k]) and 1 or 0) end
    local figure = { unpack(case.gradients[position]) }
    for j = 2, #figure do figure[j] = figure[j] * factor end
    compare('gradient ' .. i .. ' of backward', figure, gradient, 1e-9)
  end
end

for file in require('paths').files('spec/nn/pytorch', '_figures%.lua$') do
  describe(file:match '^(.*)_figures', function()
    for _, case in ipairs(dofile('spec/nn/pytorch/' .. file)) do
      local text = case.module and case.call:gsub('%f[%w]m%f[%W]', function() return case.module end) or case.call
      it(text .. ' on the tape', function() onTape(case, 'torch.DoubleTensor') end)
      it(text .. ' in float32', function() onTape(case, 'torch.FloatTensor') end)
      local isCriterion = case.module and torch.isTypeOf(evaluated(case.module, { nn = nn }), 'nn.Criterion')
      if isCriterion and case.protocol ~= false then
        it(text .. " by Torch7's protocol", function() criterionByProtocol(case) end)
      end
      local isPlain = case.module and not isCriterion and (case.call == 'm(x1)' or case.call:find '^m { x1[x%d, ]* }$')
      if isPlain and case.protocol ~= false then
        it(text .. " by Torch7's protocol", function() byProtocol(case) end)
      end
    end
  end)
end
