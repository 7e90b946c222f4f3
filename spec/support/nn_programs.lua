--- Uses of a module or criterion in programs: each is a function that notes results, and tries calls that may fail.
local assert, torch = require 'luassert', require 'torch'
local nested = require 'nn.nested'
local samples = require 'spec.support.nn_samples'

local programs = { module = {}, criterion = {} }

local map, like = nested.map, samples.like

-- A strided copy: every second column of a larger tensor.
local function strided(x)
  local sizes = x:size():totable()
  sizes[#sizes + 1] = 2
  return x.new():resize(torch.LongStorage(sizes)):fill(99):select(#sizes, 1):copy(x)
end

local function float(value) return map(value, function(x) return x:type() == 'torch.DoubleTensor' and x:float() or x end) end

-- Called with a module, an input, a function that notes a value, one that tries a function, and an input of another size.
local ways = programs.module

local function pass(module, input, note, try, gradOutput)
  local output = try('output', module.forward, module, input)
  if output == nil then return end
  module:zeroGradParameters()
  try('gradInput', module.backward, module, input, gradOutput or like(output, 0.7):type(output:type()))
  note('gradients', select(2, samples.parametersOf(module)))
end

local function likeOutput(output) return map(output, function(x) return like(x, 0.7):type(x:type()) end) end

ways['forward and backward'] = pass

ways['scale'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  try('gradInput', module.backward, module, input, g, 0.5)
  try('gradInput', module.backward, module, input, g, 0)
  note('gradients', select(2, samples.parametersOf(module)))
end

ways['the halves of backward'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  try('gradInput', module.updateGradInput, module, input, g)
  note('gradients before', select(2, samples.parametersOf(module)))
  try('nothing', module.accGradParameters, module, input, g, 0.5)
  note('gradients', select(2, samples.parametersOf(module)))
  note('gradInput', module.gradInput)
end

ways['one size after another'] = function(module, input, note, try, other)
  pass(module, input, note, try)
  pass(module, other, note, try)
  pass(module, input, note, try)
end

ways['strided input and gradOutput'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  pass(module, map(input, strided), note, try, map(g, strided))
end

ways['gradOutput of another shape, of another count, of another type, none'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  if not torch.isTensor(g) then return end
  for what, given in pairs {
    flat = g:view(-1), row = g:view(1, -1), longer = torch.cat(g:view(-1), g:view(-1), 1), float = g:float(), empty = g.new(),
    long = g:long(), text = 'g', number = 2, table = { g },
  } do try(what, module.backward, module, input, given) end
  try('none', module.backward, module, input)
  note('gradients', select(2, samples.parametersOf(module)))
end

ways['no gradInput wanted'] = function(module, input, note, try)
  module.gradInput = nil
  pass(module, input, note, try)
end

ways['frozen'] = function(module, input, note, try)
  for _, name in ipairs(module.parameterNames or {}) do
    local field = 'grad' .. name:sub(1, 1):upper() .. name:sub(2)
    local kept = module[field]
    for _, no in ipairs { 'nil', false } do
      module[field] = no ~= 'nil' and no or nil
      pass(module, input, note, try)
    end
    module[field] = kept
  end
end

ways['no bias'] = function(module, input, note, try)
  module.bias, module.gradBias = nil, nil
  pass(module, input, note, try)
end

ways['parameters swapped between forward and backward'] = function(module, input, note, try)
  local output = module:forward(input)
  for _, name in ipairs(module.parameterNames or {}) do
    if module[name] then module[name] = torch.mul(module[name], 2) end
  end
  try('gradInput', module.backward, module, input, likeOutput(output))
  note('gradients', select(2, samples.parametersOf(module)))
end

ways['accUpdateGradParameters'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  try('nothing', module.accUpdateGradParameters, module, input, g, 0.1)
  note('parameters', (samples.parametersOf(module)))
end

ways['outputs that are held'] = function(module, input, note, try, other)
  local first = module:forward(input)
  if not torch.isTensor(first) then return end
  local shown = first:narrow(1, 1, 1)
  pass(module, other, note, try)
  note('a view of the output before', shown)
  module.output = shown
  pass(module, input, note, try)
  note('a view that became the output', shown)
end

ways['output and gradInput of a program'] = function(module, input, note, try)
  local memory = torch.DoubleTensor(200):fill(5)
  module.output, module.gradInput = memory:narrow(1, 3, 4), torch.isTensor(input) and memory:narrow(1, 9, 5) or {}
  pass(module, input, note, try)
  note('memory that others see', memory)
  module.output = torch.DoubleTensor(2, 2):t()
  pass(module, input, note, try)
end

ways['the input as output'] = function(module, input, note, try)
  if not torch.isTensor(input) then return end
  module.output = input
  try('output', module.forward, module, input)
  note('the input', input)
end

ways['the input as gradInput'] = function(module, input, note, try)
  if not torch.isTensor(input) then return end
  module.gradInput = input
  pass(module, input, note, try)
  note('the input', input)
end

ways['gradOutput as gradInput, and a view of it'] = function(module, input, note, try)
  if not torch.isTensor(input) then return end
  local g = likeOutput(module:forward(input))
  if not torch.isTensor(g) then return end
  module.gradInput = g
  pass(module, input, note, try, g)
  note('gradOutput', g)
  module.gradInput = g:view(-1)
  pass(module, input, note, try, g)
  note('gradOutput', g)
end

ways['the output as gradInput'] = function(module, input, note, try)
  if not torch.isTensor(input) then return end
  module.gradInput = module:forward(input)
  local g = likeOutput(module.output)
  try('gradInput', module.backward, module, input, g)
  note('gradients', select(2, samples.parametersOf(module)))
end

ways['a parameter as gradInput'] = function(module, input, note, try)
  for _, name in ipairs(module.parameterNames or {}) do
    local kept = module[name] and module[name]:clone()
    if torch.isTensor(input) and module[name] then
      module.gradInput = module[name]
      pass(module, input, note, try)
      module[name], module.gradInput = kept, input.new()
    end
  end
end

ways["tracked input in Torch7's protocol"] = function(module, input, note, try)
  local xs = map(input, function(x) return x:isFloatingPoint() and x:requiresGrad() or x end)
  local output = try('output', module.updateOutput, module, xs)
  if output == nil then return end
  for _, y in ipairs(nested.flatten(output, {})) do assert.is_false(y:isTracked()) end
  local gradInput = try('gradInput', module.updateGradInput, module, xs, likeOutput(output))
  for _, y in ipairs(nested.flatten(gradInput or {}, {})) do assert.is_false(y:isTracked()) end
  try('nothing', module.accGradParameters, module, xs, likeOutput(output))
  note('gradients', select(2, samples.parametersOf(module)))
end

ways['without gradients'] = function(module, input, note, try)
  torch.noGrad(function() pass(module, input, note, try) end)
end

ways['in place'] = function(module, input, note, try)
  if not module.declaration.inplace or not torch.isTensor(input) then return end
  module.inplace = true
  local output = try('output', module.forward, module, input)
  note('the input', input)
  if output == nil then return end
  local g = likeOutput(output)
  try('gradInput', module.backward, module, input, g)
  note('gradOutput', g)
end

ways['float'] = function(module, input, note, try)
  module:float()
  pass(module, float(input), note, try)
end

ways['an input of another type than the module'] = function(module, input, note, try)
  module:float()
  pass(module, input, note, try)
end

local junk = {
  a_number = function() return 3 end, a_text = function() return 'text' end, a_table = function() return {} end,
  yes = function() return true end, a_function = function() return print end,
  nothing = function() return torch.DoubleTensor() end, bytes = function() return torch.ByteTensor { 1, 2 } end,
  floats = function() return torch.FloatTensor { 1, 2 } end, a_cube = function() return torch.DoubleTensor(2, 2, 2):fill(1) end,
  a_storage = function() return torch.DoubleStorage { 1 } end, a_large_number = function() return 300 end,
  a_fraction = function() return 1.5 end,
}

local function namesOf(module)
  local names = {}
  for name in pairs(module) do
    if type(name) == 'string' and name ~= 'compute' and name ~= 'modules' then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- (One of the compared implementations may not use a field with junk for which the other one fails.)
ways['junk in fields'] = function(module, input, note, try)
  for _, name in ipairs(namesOf(module)) do
    local kept = module[name]
    for what, make in pairs(junk) do
      module[name] = make()
      pcall(module.forward, module, input)
      module[name] = kept
      local output = try(('output, %s was %s'):format(name, what), module.forward, module, input)
      if output ~= nil then
        local g = likeOutput(output)
        module[name] = make()
        pcall(module.backward, module, input, g)
        module[name] = kept
      end
    end
    module:zeroGradParameters()
  end
  pass(module, input, note, try)
end

ways['junk as input'] = function(module, input, note, try)
  local g = likeOutput(module:forward(input))
  for what, make in pairs(junk) do
    try('output of ' .. what, module.forward, module, make())
    pcall(module.backward, module, make(), g)                      -- which may not use the input
    try('output of a list with ' .. what, module.forward, module, { make(), make() })
    pcall(module.backward, module, { make() }, g)
  end
  try('output of nothing', module.forward, module)
  pass(module, input, note, try)
end

-- Called with a criterion, an input, a target, a function that tries a function, and one that notes a value.
local losses = programs.criterion

local function judge(criterion, input, target, try)
  try('loss', criterion.forward, criterion, input, target)
  try('gradInput', criterion.backward, criterion, input, target)
end

losses['forward and backward'] = judge

losses['the gradient alone, and twice'] = function(criterion, input, target, try, note)
  criterion:forward(input, target)
  try('gradInput', criterion.updateGradInput, criterion, input, target)
  try('gradInput', criterion.updateGradInput, criterion, map(input, function(x) return torch.mul(x, 0.9) end), target)
  note('the field', criterion.gradInput)
end

losses['strided'] = function(criterion, input, target, try)
  judge(criterion, map(input, strided), map(target, function(x) return x:dim() > 0 and strided(x) or x end), try)
end

losses['float, and mixed types'] = function(criterion, input, target, try)
  judge(criterion, float(input), target, try)
  judge(criterion, input, float(target), try)
  judge(criterion:float(), float(input), float(target), try)
end

losses['the input or a view of a program as gradInput'] = function(criterion, input, target, try, note)
  if not torch.isTensor(input) then return end
  local memory = torch.DoubleTensor(100):fill(5)
  criterion.gradInput = memory:narrow(1, 3, 4)
  judge(criterion, input, target, try)
  note('memory that others see', memory)
  criterion.gradInput = input
  judge(criterion, input, target, try)
  note('the input', input)
end

losses['tracked, and without gradients'] = function(criterion, input, target, try)
  torch.noGrad(function() judge(criterion, input, target, try) end)
  try('loss', criterion.updateOutput, criterion, map(input, function(x) return x:requiresGrad() end), target)
  try('gradInput', criterion.updateGradInput, criterion, input, target)
end

losses['junk in fields'] = function(criterion, input, target, try)
  for _, name in ipairs(namesOf(criterion)) do
    local kept = criterion[name]
    for _, make in pairs(junk) do
      criterion[name] = make()
      pcall(criterion.forward, criterion, input, target)
      pcall(criterion.backward, criterion, input, target)
      criterion[name] = kept
    end
  end
  judge(criterion, input, target, try)
end

losses['junk as input and target'] = function(criterion, input, target, try)
  for what, make in pairs(junk) do
    judge(criterion, make(), target, function(...) try(what, select(2, ...)) end)
    judge(criterion, input, make(), function(...) try(what .. ' as target', select(2, ...)) end)
    judge(criterion, { make(), make() }, { make() }, function(...) try(what .. ' in lists', select(2, ...)) end)
  end
  try('nothing', criterion.forward, criterion)
  try('nothing', criterion.backward, criterion)
end

return programs
