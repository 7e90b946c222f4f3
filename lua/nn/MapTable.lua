--- Applies one module to each entry of a table, with clones that share its parameters: {x1, x2, ...} -> {m(x1), m(x2), ...}.
-- @classmod nn.MapTable
local torch, check = require 'torch', require 'torch.check'
local nn = require 'nn'
local branches, explain = require 'nn.support.branches', require 'nn.support.explain'

local MapTable, parent = torch.class('nn.MapTable', 'nn.Container')

--- @tparam[opt] nn.Module module may be set later with `add`
-- @tparam[opt=true] boolean shared whether clones share parameters
function MapTable:__init(module, shared)
  parent.__init(self)
  self.shared = shared == nil or shared
  self.sharedparams = { 'weight', 'bias', 'gradWeight', 'gradBias' }
  self.output, self.gradInput = {}, {}
  self:add(module)
end

--- Sets the module for all entries, if the constructor had none.
-- @tparam nn.Module module
-- @treturn nn.MapTable self
-- @raise if there is one already
function MapTable:add(module)
  check.that(not self.module, 'nn.MapTable: add: module: a second module, expected one: Single module required')
  self.module = module
  self.modules[1] = module
  return self
end

--- Adds or removes clones until there are `count` modules.
-- @int count
function MapTable:resize(count)
  assert(self.module, 'nn.MapTable: module: none, expected add(module) before')
  for i = #self.modules, count + 1, -1 do self.modules[i] = nil end
  self.modules[1] = self.module
  for i = #self.modules + 1, count do
    self.modules[i] = self.shared and self.module:clone(unpack(self.sharedparams)) or self.module:clone()
  end
end

-- One module remains even if there is no entry.
function MapTable:count(input) return #input end

branches.byEntry(MapTable)
branches.install(MapTable)
local updateOutput = MapTable.updateOutput

function MapTable:updateOutput(input)
  if type(input) ~= 'table' then explain.refuse(self, input) end
  self:resize(#input)
  return updateOutput(self, input)
end

-- On the tape, a shared module itself computes all entries, because its parameters have the gradients.
function MapTable:compute(input)
  if type(input) ~= 'table' then explain.refuse(self, input) end
  self:resize(#input)
  local outputs = {}
  for i = 1, #input do outputs[i] = (self.shared and self.module or self.modules[i]):onTape(input[i]) end
  return outputs
end

MapTable.derived.updateOutput = MapTable.updateOutput

-- Shared parameters are zeroed and updated once.
for _, method in ipairs { 'zeroGradParameters', 'updateParameters' } do
  MapTable[method] = function(self, ...)
    if not self.module then return end
    if self.shared then return self.module[method](self.module, ...) end
    parent[method](self, ...)
  end
end

--- Frees the clones.
function MapTable:clearState()
  for i = 2, #self.modules do self.modules[i] = nil end
  return nn.Container.clearState(self)
end

function MapTable:__tostring__()
  if not self.module then return 'nn.MapTable { }' end
  return ('nn.MapTable {\n  %s\n}'):format((tostring(self.module):gsub('\n', '\n  ')))
end

return MapTable
