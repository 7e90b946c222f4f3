--- The tensors of a table of tables to any depth, as a list, depth first: the very tensors that came.
-- @classmod nn.FlattenTable
local torch = require 'torch'
require 'nn'
local nested, explain = require 'nn.nested', require 'nn.support.explain'

local FlattenTable, parent = torch.class('nn.FlattenTable', 'nn.Module')
FlattenTable.takes = 'table'

function FlattenTable:__init()
  parent.__init(self)
  self.output, self.input_map, self.gradInput = {}, {}, {}
end

local function flattened(input)
  assert(type(input) == 'table', 'input must be a table')
  return nested.flatten(input, {})
end

function FlattenTable:compute(input) return flattened(input) end

local function isLeaf(value) return type(value) ~= 'table' or torch.typename(value) ~= nil end

-- Whether the leaves of `map` lead to the tensors that stand in `input` in their places.
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

--- Gives the same table from call to call while the input holds the same tensors in the same structure.
function FlattenTable:updateOutput(input)
  local list = flattened(input)
  if not fits(self.input_map, self.output, input) then
    local positions = {}
    for i = 1, #list do positions[i] = i end
    self.output, self.input_map = list, nested.rebuild(input, positions)
  end
  return self.output
end

-- The structure of a map with what a list has in the places that it names; zeros where it has nothing.
local function inverse(map, list, outputs)
  if type(map) ~= 'table' then return list[map] or outputs[map]:clone():zero() end
  local whole = {}
  for key, element in pairs(map) do whole[key] = inverse(element, list, outputs) end
  return whole
end

--- The tensors of gradOutput in the structure of the input.
function FlattenTable:updateGradInput(_, gradOutput)
  explain.gradient(self, gradOutput, self.output)
  if not fits(self.input_map, gradOutput, self.gradInput) then self.gradInput = inverse(self.input_map, gradOutput, self.output) end
  return self.gradInput
end

FlattenTable.derived = {
  updateOutput = FlattenTable.updateOutput, updateGradInput = FlattenTable.updateGradInput,
  accGradParameters = FlattenTable.accGradParameters,
}

FlattenTable.transient = { 'input_map' }

return FlattenTable
