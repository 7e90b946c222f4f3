--- The tensors of nested tables as a list, depth first, without copies.
-- @classmod nn.FlattenTable
local torch, nn = require 'torch', require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local function flattened(_, input)
  assert(type(input) == 'table', 'input must be a table')
  return nested.flatten(input, {})
end

local function isLeaf(value) return type(value) ~= 'table' or torch.typename(value) ~= nil end

-- Whether the leaves of `map` are the list positions of the tensors at the same keys of `input`.
local function fits(map, list, input)
  if isLeaf(input) then return type(map) == 'number' and rawequal(list[map], input) end
  if type(map) ~= 'table' then return false end
  for key, element in pairs(input) do
    if not fits(map[key], list, element) then return false end
  end
  for key in pairs(map) do
    if input[key] == nil then return false end
  end
  return true
end

-- Returns the entries of a list in the structure of a map; zeros for missing entries.
local function inverse(map, list, outputs)
  if type(map) ~= 'table' then return list[map] or outputs[map]:clone():zero() end
  local whole = {}
  for key, element in pairs(map) do whole[key] = inverse(element, list, outputs) end
  return whole
end

local FlattenTable, parent = nn.declare {
  name = 'nn.FlattenTable', takes = 'table',
  widens = false,
  compute = flattened,
  -- Reuses the table while the input contains the same tensors in the same structure.
  forward = function(self, input)
    local list = flattened(self, input)
    if not fits(self.input_map, self.output, input) then
      local positions = {}
      for i = 1, #list do positions[i] = i end
      self.output, self.input_map = list, nested.rebuild(input, positions)
    end
    return self.output
  end,
  -- Returns the tensors of gradOutput in the structure of the input.
  backward = function(self, _, gradOutput)
    explain.gradient(self, gradOutput, self.output)
    if not fits(self.input_map, gradOutput, self.gradInput) then self.gradInput = inverse(self.input_map, gradOutput, self.output) end
    return self.gradInput
  end,
  transient = { 'input_map' },
  samples = { { 'FlattenTable()', { { 3 }, { { 2 }, { { 4 } } } } } },
}

function FlattenTable:__init()
  parent.__init(self)
  self.output, self.input_map, self.gradInput = {}, {}, {}
end

return FlattenTable
