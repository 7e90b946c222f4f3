--- Modules in a row: the output of each is the input of the next.
-- @classmod nn.Sequential
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
require 'nn'
local children = require 'nn.support.children'
local refuse = require 'torch.check.refuse'

local forwardRow, backwardRow, callChild = children.forwardRow, children.backwardRow, children.call
local node, release, isTensor = require 'autograd.node', C.release, torch.isTensor

local Sequential, parent = torch.class('nn.Sequential', 'nn.Container')

--- @param ... initial modules, as separate arguments or in lists; as in Torch7, numbers and other values are ignored
function Sequential:__init(...)
  parent.__init(self)
  for i = 1, select('#', ...) do
    local given = select(i, ...)
    if type(given) == 'table' then
      for _, module in ipairs(getmetatable(given) and { given } or given) do self:add(module) end
    end
  end
end

function Sequential:__len__()
  return #self.modules
end

-- Programs write `for i = 1, #net do`. LuaJIT without Lua 5.2 compatibility ignores `__len` of tables: `#` counts the entries of the array
-- part, so the container has a mark for each module there.
local function mark(self)
  local count = #self.modules
  for i = #self + 1, count do rawset(self, i, true) end
  for i = #self, count + 1, -1 do
    if rawget(self, i) == true then rawset(self, i, nil) end  -- other values belong to the program
  end
end

-- The container's output is that of its last module, and its gradInput that of its first.
local function link(self)
  local modules = self.modules
  self.output, self.gradInput = modules[#modules].output, modules[1].gradInput
end

--- Appends a module.
-- @tparam nn.Module module
-- @treturn nn.Sequential self
function Sequential:add(module)
  check.instance(torch.type(self), 'module', module, 'a module')
  if #self.modules == 0 then self.gradInput = module.gradInput end
  table.insert(self.modules, module)
  mark(self)
  self.output = module.output
  return self
end

--- Inserts a module before position `index`, by default at the end.
-- @tparam nn.Module module
-- @int[opt] index from 1 to one past the last
-- @raise if the index is out of range
function Sequential:insert(module, index)
  check.instance(torch.type(self), 'module', module, 'a module')
  index = check.whole(torch.type(self), 'index', index or #self.modules + 1)
  if index > #self.modules + 1 or index < 1 then
    refuse.range(('%s: index: %d, expected 1 to %d: index should be contiguous to existing modules'):format(torch.type(self), index,
      #self.modules + 1), 2)
  end
  table.insert(self.modules, index, module)
  mark(self)
  link(self)
end

--- Removes the module at position `index`, by default the last.
-- @int[opt] index from 1 to the number of modules
function Sequential:remove(index)
  index = check.whole(torch.type(self), 'index', index or #self.modules)
  if index > #self.modules or index < 1 then
    refuse.range(('%s: index: %d, expected 1 to %d: index out of range'):format(torch.type(self), index, #self.modules), 2)
  end
  table.remove(self.modules, index)
  mark(self)
  if #self.modules > 0 then
    link(self)
  else
    self.output, self.gradInput = torch.Tensor(), torch.Tensor()
  end
end

-- If neither of two consecutive modules keeps the tensor between them, nothing else refers to it: the backward pass frees it with its node
-- (see autograd.backward_pass), or, without nodes, it is freed at once. This frees as much memory as the whole network holds, before the
-- collector would, and the next module's result gets memory that the cache still holds.
function Sequential:compute(input)
  local modules = self.modules
  local between, source  -- a result that only this container refers to, and its node
  for i = 1, #modules do
    local module = modules[i]
    local output = callChild(self, module, i, 'onTape', input)
    if not module:keepsNothing() then
      between, source = nil, nil
    elseif not rawequal(output, input) then
      local made = C.node(output)
      if source then
        node.setTransient(source, between)
      elseif between and not made then  -- otherwise the node of `output` may have saved it
        release(between)
      end
      source = made
      between = isTensor(output) and output
    end
    input = output
  end
  return input
end

-- A result of the last module belongs to the container's caller alone if no module keeps any.
function Sequential:keepsNothing()
  if self.compute ~= Sequential.compute then return false end
  local modules = self.modules
  for i = 1, #modules do
    if not modules[i]:keepsNothing() then return false end
  end
  return true
end

function Sequential:updateOutput(input)
  local modules = self.modules
  if #modules ~= #self then mark(self) end  -- programs may also change the list directly
  self.output = forwardRow(self, input)
  return self.output
end

function Sequential:updateGradInput(input, gradOutput)
  self.gradInput = backwardRow(self, 'updateGradInput', true, input, gradOutput)
  return self.gradInput
end

function Sequential:accGradParameters(input, gradOutput, scale)
  backwardRow(self, 'accGradParameters', false, input, gradOutput, scale or 1)
end

function Sequential:backward(input, gradOutput, scale)
  self.gradInput = backwardRow(self, 'backward', true, input, gradOutput, scale or 1)
  return self.gradInput
end

function Sequential:backwardUpdate(input, gradOutput, lr)
  self.gradInput = backwardRow(self, 'backwardUpdate', true, input, gradOutput, lr)
  return self.gradInput
end

function Sequential:accUpdateGradParameters(input, gradOutput, lr)
  backwardRow(self, 'accUpdateGradParameters', false, input, gradOutput, lr)
end

function Sequential:sharedAccUpdateGradParameters(input, gradOutput, lr)
  backwardRow(self, 'sharedAccUpdateGradParameters', false, input, gradOutput, lr)
end

function Sequential:read(file, version)
  parent.read(self, file, version)
  mark(self)
end

Sequential.derived = {
  updateOutput = Sequential.updateOutput,
  updateGradInput = Sequential.updateGradInput,
  accGradParameters = Sequential.accGradParameters,
}

function Sequential:__tostring__()
  local lines, path = {}, { 'input' }
  for i, module in ipairs(self.modules) do
    path[#path + 1] = ('(%d)'):format(i)
    lines[#lines + 1] = ('\n  (%d): %s'):format(i, (tostring(module):gsub('\n', '\n  ')))
  end
  path[#path + 1] = 'output'
  return ('nn.Sequential {\n  [%s]%s\n}'):format(table.concat(path, ' -> '), table.concat(lines))
end

return Sequential
