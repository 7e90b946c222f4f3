-- Compares the changes that a Lua state's hook was told of with the actual changes: in the bytes and the geometry of tensors.
local ffi = require 'ffi'
local C = require 'libmoontorch'
local storageOf = require('torch.index.element').storageOf

local announced = {}

local sizeOf = {}
for _, info in ipairs(C.dtypes) do sizeOf[info.torch] = info.size end

local function address(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end

local function list(sizes) return table.concat(sizes, ' ') end

-- The geometry of a tensor, as text. It holds no reference to the storage, because references decide which writes are in place.
local function geometryOf(t)
  local storage = storageOf(t)
  return ('%s from %d: %s by %s'):format(storage and address(storage) or 'nothing', t:storageOffset() - 1,
    list(t:dim() > 0 and t:size():totable() or {}), list(t:dim() > 0 and t:stride():totable() or {}))
end

local function geometryOfCall(seen)
  return ('%s from %d: %s by %s'):format(seen.storage > 0 and seen.storage or 'nothing', seen.offset, list(seen.sizes), list(seen.strides))
end

local function bytesOf(t)
  local storage = storageOf(t)
  return storage and ffi.string(storage.data, tonumber(storage.size) * sizeOf[C.dtypeOf(t)]) or ''
end

-- Calls f(position in bytes) for each element of a tensor.
local function eachElement(seen, f)
  local function along(dim, at)
    if dim > #seen.sizes then return f(at * sizeOf[seen.dtype]) end
    for i = 0, seen.sizes[dim] - 1 do along(dim + 1, at + i * seen.strides[dim]) end
  end
  if #seen.sizes > 0 then along(1, seen.offset) end
end

-- The elements that calls wrote or may have written: storage -> positions in bytes; and tensors that they set: tensor -> last geometry.
local function toldBy(calls)
  local written, made = {}, {}
  local function note(seen)
    written[seen.storage] = written[seen.storage] or {}
    eachElement(seen, function(at) written[seen.storage][at] = true end)
  end
  for _, call in ipairs(calls) do
    for _, result in ipairs(call.results) do
      note(result)
      made[result.tensor] = geometryOfCall(result)
    end
    if #call.results == 0 then                    -- an optimiser's step writes to lists of tensors
      for _, argument in pairs(call.arguments) do
        for _, one in ipairs(type(argument) == 'table' and argument[1] and type(argument[1]) == 'table' and argument or {}) do note(one) end
        if type(argument) == 'table' and argument.storage then note(argument) end
      end
    end
  end
  return written, made
end

local function collect(value, into)
  if C.isTensor(value) then into[#into + 1] = value end
  if type(value) == 'table' then for _, inner in pairs(value) do collect(inner, into) end end
  return into
end

--- Runs f with tensors, and lists their changes that the hook was not told of. Tensors that f returns, also in tables, are views that it
-- created, if they share memory with one of the tensors.
-- @return list of texts
-- @return number of changes
function announced.missing(tensors, f)
  local before = {}
  for i, t in ipairs(tensors) do before[i] = { geometry = geometryOf(t), bytes = bytesOf(t), storage = storageOf(t) } end
  C.traceOps(true)
  local good, result = pcall(f, unpack(tensors))
  local names, calls = C.traceOps(false)
  if not good then error(result, 0) end
  local written, made = toldBy(calls)
  local wrong, changes = {}, 0
  for i, t in ipairs(tensors) do
    local was, is = before[i], geometryOf(t)
    if is ~= was.geometry then
      changes = changes + 1
      if made[C.pointer(t)] ~= is then wrong[#wrong + 1] = ('tensor %d shows %s, not %s'):format(i, is, was.geometry) end
    end
    local storage = storageOf(t)
    if storage and storage == was.storage then
      local bytes, size = bytesOf(t), sizeOf[C.dtypeOf(t)]
      local known = written[address(storage)] or {}
      if #bytes ~= #was.bytes then
        changes = changes + 1
        if not known[#bytes - size] then wrong[#wrong + 1] = ('tensor %d has %d bytes, not %d'):format(i, #bytes, #was.bytes) end
      end
      for at = 0, #was.bytes - size, size do
        if bytes:sub(at + 1, at + size) ~= was.bytes:sub(at + 1, at + size) then
          changes = changes + 1
          if at < #bytes and not known[at] then wrong[#wrong + 1] = ('element %d of tensor %d changed'):format(at / size + 1, i) end
        end
      end
    end
  end
  for _, t in ipairs(collect(result, {})) do
    local isWatched, shares = false, false
    for i, watched in ipairs(tensors) do
      isWatched = isWatched or rawequal(t, watched)
      shares = shares or storageOf(t) ~= nil and storageOf(t) == before[i].storage
    end
    if shares and not isWatched then
      changes = changes + 1
      if made[C.pointer(t)] ~= geometryOf(t) then wrong[#wrong + 1] = 'a view that shows ' .. geometryOf(t) end
    end
  end
  if #wrong > 0 then wrong[#wrong + 1] = 'seen: ' .. table.concat(names, ' ') end
  return wrong, changes
end

return announced
