--- Tensors in memory that processes share.
-- The memory has no name: the system frees it with the last process that uses it, however that process ends. A child of fork has all memory
-- shared before the fork; the workers of `torch.processes` receive memory in messages. There is no synchronisation: a process that reads
-- while another one writes may see a part of the write (see docs/packages/processes.md).
-- @module torch.tensor.shared
-- @usage local weights = torch.shared(torch.zeros(3))     -- or torch.zeros(3):share(), or torch.shared.DoubleTensor(3)
local C = require 'libmoontorch'
local check, class = require 'torch.check', require 'torch.class'

local shared = {}

local typename = class.typename

-- Appends the storages to share to a list: of a tensor its storage, of a module those of its parameters, of a table those of all its
-- values.
local function collect(where, x, storages, seen)
  if C.isTensor(x) then
    storages[#storages + 1] = x:storage()      -- nil if there are no elements
  elseif C.isStorage(x) then
    storages[#storages + 1] = x
  elseif type(x) ~= 'table' or typename(x) and type(x.parameters) ~= 'function' then
    check.raise(('%s: x: %s, expected a tensor, a storage, a module or a table of these'):format(where, class.type(x)))
  elseif not seen[x] then
    seen[x] = true
    local parts = x
    if type(x.parameters) == 'function' then parts = x:parameters() or {} end
    for _, part in pairs(parts) do collect(where, part, storages, seen) end
  end
end

-- Garbage may hold the descriptor or the memory that is missing.
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
-- before, and children of fork and workers see them, too. Shared elements are not moved again. The storage can't be resized any more.
-- @treturn torch.Tensor|torch.Storage itself
-- @raise if the elements are on a device, are lent or foreign, if a storage is a view of them, or if another thread may use them
function shared:share()
  if not C.isTensor(self) and not C.isStorage(self) then
    error('share: self: ' .. class.type(self) .. ', expected a tensor or storage', 2)
  end
  return share('share', self)
end

--- Returns whether the elements are in memory that processes share.
-- @treturn boolean false if there are no elements
function shared:isShared()
  if C.isStorage(self) then return C.isSharedStorage(self) end
  if not C.isTensor(self) then error('isShared: self: ' .. class.type(self) .. ', expected a tensor or storage', 2) end
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

--- Moves elements into memory that processes share, in place, like `x:share()`: those of a tensor, a storage, all values of a table, and
-- the parameters of a module (each process has separate gradients and running means). All go into one block of memory, which is one open
-- file.
-- @function torch.shared
-- @tparam torch.Tensor|torch.Storage|nn.Module|table x
-- @return x
-- @raise if x is another value or can't be shared; then nothing is shared
return setmetatable(shared, {
  __index = constructor,
  __call = function(_, x) return share('torch.shared', x) end,
})
