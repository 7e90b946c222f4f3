--- The samples from which specs create modules and criteria (spec/nn/declared.lua), and these objects.
local torch = require 'torch'
local nn, nested = require 'nn', require 'nn.nested'
local layers = require 'spec.support.layers'

local samples = {}
local series, map = layers.series, nested.map

--- The name of a sample.
function samples.nameOf(sample) return sample.of and sample[1] .. ' of ' .. sample.of or sample[1] end

local function evaluated(text, class) return assert(loadstring('local nn, torch, class = ...; return ' .. text))(nn, torch, class) end

-- Creates the object of a sample: its first word names a class of nn, or represents the class that the sample belongs to.
local function make(sample)
  if sample.class then return evaluated('class' .. sample[1]:match '^[%w_]+(.*)$', sample.class):double() end
  return evaluated('nn.' .. sample[1]):double()
end

--- The classes of nn that are declared (nn.support.declare), by the names that nn knows from its files.
function samples.classes()
  local list = {}
  for _, name in ipairs(getmetatable(nn).__names()) do
    local class = name:find '^%u' and nn[name]
    local declaration = type(class) == 'table' and class.declaration
    if declaration and declaration.name == 'nn.' .. name then list[#list + 1] = nn[name] end   -- not its parent's
  end
  table.sort(list, function(a, b) return a.declaration.name < b.declaration.name end)
  return list
end

--- The samples in a class's declaration.
function samples.of(class)
  local list = {}
  for i, sample in ipairs(class.declaration and class.declaration.samples or {}) do
    list[i] = setmetatable({ class = class }, { __index = sample })
  end
  return list
end

--- Whether a class is a criterion.
function samples.isCriterion(class) return class.accGradParameters == nil end

-- Tensors of these sizes, with the elements of given() in figures.py.
local function tensors(sizes, counter)
  if type(sizes[1]) ~= 'number' then
    local list = {}
    for i, part in ipairs(sizes) do list[i] = tensors(part, counter) end
    return list
  end
  local x = layers.input(unpack(sizes)):mul(1 + 0.13 * counter[1]):add(0.07 * counter[1])
  counter[1] = counter[1] + 1
  return x
end

--- A value with the structure and sizes of another one, and elements of layers.series with `rate`.
function samples.like(value, rate) return map(value, function(x) return series(x:size(), rate) end) end

--- Copies of all tensors.
function samples.copied(value) return map(value, function(x) return x:clone() end) end

--- The input of a sample.
function samples.inputOf(sample)
  local input = tensors(sample[2], { 0 })
  if sample.positive then map(input, function(x) return x:abs():add(0.1) end) end
  if sample.unit then map(input, function(x) return x:sigmoid() end) end
  return input
end

--- The target of a criterion's sample.
function samples.targetOf(sample)
  if type(sample[3]) == 'string' then return evaluated(sample[3]) end
  if type(sample[3]) == 'number' then return sample[3] end
  return tensors(sample[3], { 5 })
end

--- The parameters and gradients of a module, each once: clones share theirs.
function samples.parametersOf(module)
  local parameters, gradients = module:parameters()
  local own, byOwn, seen = {}, {}, {}
  for i, parameter in ipairs(parameters or {}) do
    local place = torch.pointer(parameter:storage())
    if not seen[place] then own[#own + 1], byOwn[#own + 1] = parameter, gradients[i] end
    seen[place] = true
  end
  return own, byOwn
end

--- The module of a sample, in double, with parameters such that all elements matter to gradients.
function samples.moduleOf(sample)
  local module = make(sample)
  for i, parameter in ipairs((samples.parametersOf(module))) do parameter:copy(series(parameter:size(), 1.7 + 0.3 * i)) end
  return module
end

--- The criterion of a sample, in double.
samples.criterionOf = make

return samples
