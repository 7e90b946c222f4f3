--- Tensors in memory that processes share.
-- The memory has no name: the system frees it with the last process that has it, however that one ends. A child of fork has what was shared
-- before; the workers of `torch.processes` get what is sent to them. Nobody waits for anybody: who reads what another process writes at
-- that time sees some of it (see docs/packages/processes.md).
-- @module torch.tensor.shared
-- @usage local weights = torch.shared(torch.zeros(3))     -- or torch.zeros(3):share(), or torch.shared.DoubleTensor(3)
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'

local shared = {}

local typename = class.typename

-- Adds the storages of what is shared to a list: of a tensor its own, of a module those of its parameters, of a table those of all in it.
local function collect(where, x, storages, seen)
  if C.isTensor(x) then
    storages[#storages + 1] = x:storage()      -- nil where there are no elements
  elseif C.isStorage(x) then
    storages[#storages + 1] = x
  elseif type(x) ~= 'table' or typename(x) and type(x.parameters) ~= 'function' then
    check.raise(('%s: x: %s came, a tensor, a storage, a module or a table of these was expected'):format(where, class.type(x)))
  elseif not seen[x] then
    seen[x] = true
    local parts = x
    if type(x.parameters) == 'function' then parts = x:parameters() or {} end
    for _, part in pairs(parts) do collect(where, part, storages, seen) end
  end
end

-- What is garbage may hold the descriptor, or the memory, that is missing.
local function share(where, x)
  local storages = {}
  collect(where, x, storages, {})
  local good, message = pcall(C.shareStorages, storages)
  if not good and tostring(message):find('shared memory: ', 1, true) then
    collectgarbage()
    collectgarbage()
    good, message = pcall(C.shareStorages, storages)
  end
  if not good then check.raise((tostring(message):gsub('^share: ', where .. ': '))) end
  return x
end

--- Moves the elements of this tensor or storage into memory that processes share, in place: all tensors over them see the same elements as
-- before, and children of fork and workers see them, too. What is shared stays as it is. The storage can't be resized any more.
-- @treturn torch.Tensor|torch.Storage itself
-- @raise if the elements are on a device, are visited or foreign, if a storage is a view of them, or if another thread may have them
function shared:share()
  if not C.isTensor(self) and not C.isStorage(self) then
    error('share: self: ' .. class.type(self) .. ' came, a tensor or storage was expected', 2)
  end
  return share('share', self)
end

--- Whether the elements are in memory that processes share.
-- @treturn boolean false, too, where there are none
function shared:isShared()
  if C.isStorage(self) then return C.isSharedStorage(self) end
  if not C.isTensor(self) then error('isShared: self: ' .. class.type(self) .. ' came, a tensor or storage was expected', 2) end
  local storage = self:storage()
  return storage ~= nil and C.isSharedStorage(storage)
end

--- Constructors of tensors and storages in shared memory by their names: `torch.shared.FloatTensor(2, 3)`.
-- @function FloatTensor
-- @param ... as for torch.FloatTensor
-- @treturn torch.Tensor
local function constructor(_, name)
  local torch = require 'torch'
  local make = type(name) == 'string' and (name:find 'Tensor$' or name:find 'Storage$') and torch[name]
  if not make then return nil end
  return function(...) return share('torch.shared.' .. name, check.call(make, ...)) end
end

--- Moves elements into memory that processes share, in place, as `x:share()` does: those of a tensor, a storage, all in a table, and of a
-- module its parameters (gradients and running means stay each process's own). All go into one memory, which is one open file.
-- @function torch.shared
-- @tparam torch.Tensor|torch.Storage|nn.Module|table x
-- @return x
-- @raise if something else came or can't be shared; then nothing is
return setmetatable(shared, {
  __index = constructor,
  __call = function(_, x) return share('torch.shared', x) end,
})
