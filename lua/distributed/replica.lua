--- Makes a network the same on all ranks of a group.
-- @module distributed.replica
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local objects, operation, tensors = require 'distributed.objects', require 'distributed.operation', require 'distributed.tensors'
local nnState = require 'nn.support.state'

local replica = {}

local function describe(net)
  local list = {}
  for name, parameter in net:namedParameters() do list[#list + 1] = ('%s, a %s'):format(name, operation.describe(parameter)) end
  for name, buffer in net:namedBuffers() do list[#list + 1] = ('%s, a %s'):format(name, operation.describe(buffer)) end
  return list
end

--- Raises the same error on every rank if networks differ in the names, types or sizes of parameters and buffers.
-- @string where the start of the message
-- @tparam nn.Module net
-- @tparam ?Group group
function replica.compare(where, net, group)
  local all = objects.allGatherObject(describe(net), { group = group })
  for place = 2, #all do
    for i = 1, math.max(#all[1], #all[place]) do
      local first, other = all[1][i] or 'nothing', all[place][i] or 'nothing'
      if first ~= other then
        local rank = group and group.ranks or {}
        check.raise(('%s: net: tensor %d of rank %d is %s, expected that of rank %d: %s'):format(where, i, rank[place] or place - 1, other,
          rank[1] or 0, first))
      end
    end
  end
end

-- Copies tensors from the first rank: one message for each type and device.
local function copyAll(list, group)
  local byType, order = {}, {}
  for _, x in ipairs(list) do
    local kind = x:type() .. ' on ' .. x:device()
    if x:nElement() > 0 and not byType[kind] then
      byType[kind] = {}
      order[#order + 1] = kind
    end
    if x:nElement() > 0 then table.insert(byType[kind], C.detach(x)) end
  end
  for _, kind in ipairs(order) do
    local count = 0
    for _, x in ipairs(byType[kind]) do count = count + x:nElement() end
    local flat, at = byType[kind][1].new(count), 1
    for _, x in ipairs(byType[kind]) do
      flat:narrow(1, at, x:nElement()):copy(x:contiguous():view(-1))
      at = at + x:nElement()
    end
    tensors.broadcast(flat, group and group.ranks[1] or 0, { group = group })
    at = 1
    for _, x in ipairs(byType[kind]) do
      x:copy(flat:narrow(1, at, x:nElement()):viewAs(x))
      at = at + x:nElement()
    end
  end
end

local function collected(iterator)
  local list = {}
  for _, x in iterator do list[#list + 1] = x end
  return list
end

--- Returns where the buffers of a network are.
-- @tparam nn.Module net
-- @treturn {table,...} pairs of a module and a field
function replica.buffers(net)
  local list = {}
  for _, entry in ipairs((nnState.entries(net))) do
    if entry.isBuffer then list[#list + 1] = { entry.module, entry.field } end
  end
  return list
end

--- Copies the buffers of the group's first rank to the others.
-- @tparam nn.Module net
-- @tparam ?Group group
-- @tparam[opt] {table,...} buffers of `replica.buffers`, for a program that has them
function replica.copyBuffers(net, group, buffers)
  local list = {}
  for _, place in ipairs(buffers or replica.buffers(net)) do list[#list + 1] = place[1][place[2]] end
  if #list > 0 then torch.noGrad(copyAll, list, group) end
end

--- Copies the parameters and the buffers of the group's first rank to the others.
-- @tparam nn.Module net
-- @tparam ?Group group
function replica.copy(net, group)
  torch.noGrad(copyAll, collected(net:namedParameters()), group)
  replica.copyBuffers(net, group)
end

return replica
