--- Tensors in nested tables, the inputs and outputs of modules; `nn.utils` in programs.
-- @module nn.nested
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local typeName, replaced = require 'torch.class.type_name', require 'torch.tensor.replaced'
local types, kinds = require 'torch.devices.types', require 'torch.devices.kinds'

local nested = {}
local tracked, isTensor = C.tracked, C.isTensor

local function mismatch(t1, t2)
  check.raise(('expecting nested tensors or tables. Got %s and %s instead'):format(torch.type(t1), torch.type(t2)))
end

--- Returns whether a tensor in `value` is on the tape.
-- @param value a tensor, or tables of them
-- @treturn boolean
function nested.isTracked(value)
  if type(value) == 'userdata' then return tracked(value) end
  if type(value) == 'table' then
    for _, element in pairs(value) do
      if nested.isTracked(element) then return true end
    end
  end
  return false
end

--- Returns `value` with each tensor replaced by `fn(tensor, a, b, c, d)`; other values stay unchanged. (LuaJIT doesn't compile variable
-- arguments here.)
-- @param value
-- @tparam function fn
-- @param[opt] a further arguments of fn
-- @param[opt] b
-- @param[opt] c
-- @param[opt] d
-- @return the mapped value
function nested.map(value, fn, a, b, c, d)
  if isTensor(value) then return fn(value, a, b, c, d) end
  if type(value) ~= 'table' or torch.typename(value) then return value end
  local mapped = {}
  for key, element in pairs(value) do mapped[key] = nested.map(element, fn, a, b, c, d) end
  return mapped
end

local noNames = {}

-- Returns the strings among a table's keys, sorted.
local function namesIn(value)
  local names = noNames
  for key in pairs(value) do
    if type(key) == 'string' then
      if names == noNames then names = {} end
      names[#names + 1] = key
    end
  end
  if #names > 1 then table.sort(names) end
  return names
end

--- Appends the tensors in `value` to `list`, in the order of array positions, then of sorted names.
-- @param value
-- @tparam table list
-- @treturn table list
function nested.flatten(value, list)
  if isTensor(value) then
    list[#list + 1] = value
  elseif type(value) == 'table' and not torch.typename(value) then
    for i = 1, #value do nested.flatten(value[i], list) end
    local names = namesIn(value)
    for i = 1, #names do nested.flatten(value[names[i]], list) end
  end
  return list
end

--- Stores in `list` the entries of `value` at the positions of the tensors in `shape`, in the order of `flatten`; missing entries leave
-- gaps.
-- @param shape tables of tensors
-- @param value a value of the same structure
-- @tparam table list destination
-- @tparam int count number of positions of the list already used
-- @treturn int count plus the number of tensors in `shape`
function nested.alongside(shape, value, list, count)
  if isTensor(shape) then
    list[count + 1] = value
    return count + 1
  end
  if type(shape) ~= 'table' or torch.typename(shape) then return count end
  local parts, names = type(value) == 'table' and value or noNames, namesIn(shape)
  for i = 1, #shape do count = nested.alongside(shape[i], parts[i] or nil, list, count) end
  for i = 1, #names do count = nested.alongside(shape[names[i]], parts[names[i]] or nil, list, count) end
  return count
end

local function rebuildFrom(shape, list, position)
  if isTensor(shape) then return list[position], position + 1 end
  if type(shape) ~= 'table' or torch.typename(shape) then return shape, position end
  local built, names = {}, namesIn(shape)
  for i = 1, #shape do built[i], position = rebuildFrom(shape[i], list, position) end
  for i = 1, #names do built[names[i]], position = rebuildFrom(shape[names[i]], list, position) end
  return built, position
end

--- Returns `shape` with its tensors replaced by those of `list`, in the order of `flatten`.
-- @param shape tables of tensors
-- @tparam table list
function nested.rebuild(shape, list)
  return (rebuildFrom(shape, list, 1))
end

local function isDevice(name)
  return C.deviceNamed(name) ~= nil
end

-- Returns the type of a dtype's tensors on devices of a kind, from that on another kind: 'torch.CudaHalfTensor' for 'torch.HalfTensor'. A
-- package's tensor types stay unchanged.
local function onKind(typename, kind)
  local dtype = types.parse(typename:match '^torch%.(.*)Tensor$' or '')
  return dtype and 'torch.' .. types.name(kind, C.dtypes[dtype].torch) .. 'Tensor' or typename
end

-- Returns the kind of devices of a tensor type; nil for the default kind.
local function kindOf(typename)
  local _, kind = types.parse(typename:match '^torch%.(.*)Tensor$' or '')
  return kind
end

local function refuse(where, typename, why)
  check.raise(('%s: typename: %s is no type of tensor here%s'):format(where,
    type(typename) == 'userdata' and torch.type(typename) or tostring(typename), why and ': ' .. why or ''))
end

-- Loads the library for the device of a type's name.
local function bring(f, name, where, typename)
  local good, why = pcall(f, name)
  if not good then refuse(where, typename, tostring(why)) end
end

-- Returns the full name of a type, which may be a package's; of a device; or of both: 'torch.FloatTensor on meta'. Names of dtypes that
-- are not classes, such as 'half', mean that dtype on the devices of another type, `own`.
local function checkName(where, typename, own)
  local known = typeName(typename)
  if known then
    local kind = kindOf(known)
    if kind then bring(kinds.bring, kind, where, typename) end
    return own and known:sub(7) ~= typename and known ~= typename and not kind and onKind(known, kindOf(own)) or known
  end
  if type(typename) == 'string' then
    bring(kinds.bringNamed, typename, where, typename)
    local element, device = typename:match '^(.-) on (.+)$'
    if isDevice(device or typename) and (not element or typeName(element)) then
      return element and typeName(element) .. ' on ' .. device or typename
    end
  end
  if type(typename) ~= 'string' or not typename:find '^torch%.%a%w+Tensor$' or not torch.getmetatable(typename) then
    refuse(where, typename)
  end
  return typename
end

local function typeIn(name)
  local typename = name:match '^(.-) on ' or name
  return typename:find('Tensor$') and typename or nil
end

--- Returns the type of tensors after a conversion to such a name.
-- @string name result of `checkType`
-- @string own their former type
function nested.typeAfter(name, own)
  local device = name:match ' on (.+)$' or not typeIn(name) and name
  local typename = typeIn(name) or own
  return device and onKind(typename, C.deviceKind(device)) or typename
end

-- Returns the destination of a tensor: the named device, else one that has such a type.
local function deviceAfter(tensor, name, typename)
  local device = name:match ' on (.+)$' or not typeIn(name) and name
  if device then return C.deviceNamed(device) end
  local kind = kindOf(typename)
  if kind == C.deviceKind(tensor) then return tensor:device() end
  return C.deviceNamed(kind or 'cpu')
end

-- Converts a storage to a type and device.
local function convertStorage(tensor, typename, device)
  local storage = tensor:storage()
  if device == 'cpu' and storage:device() == 'cpu' then
    return torch.getmetatable((typename:gsub('Tensor$', 'Storage'))).new(storage:size()):copy(storage)
  end
  return torch.to(C.wholeOf(C.detach(tensor)), typename .. ' on ' .. device):storage()
end

local function convertTensor(tensor, name, cache)
  local typename = nested.typeAfter(name, tensor:type())
  local device = deviceAfter(tensor, name, typename)
  if tensor:type() == typename and tensor:device() == device then return tensor end
  local key = torch.pointer(tensor)
  if cache[key] then return cache[key] end
  local converted = torch.getmetatable(typename).new()
  if device ~= 'cpu' or tensor:device() ~= 'cpu' then converted = torch.to(converted, device) end
  local storage = tensor:storage()
  if storage then
    local storageKey = torch.pointer(storage)
    if not cache[storageKey] then
      cache[storageKey] = convertStorage(tensor, typename, device)
    end
    converted:set(cache[storageKey], tensor:storageOffset(), tensor:size(), tensor:stride())
  end
  if tracked(tensor) then converted:requiresGrad() end
  replaced.note(tensor, converted)
  cache[key] = converted
  return converted
end

--- Checks the arguments of the method `type` of modules and criteria.
-- @param owner module or criterion
-- @tparam string typename
-- @tparam[opt] table cache
-- @treturn string the type's full name, the device's, or 'torch.FloatTensor on meta'
-- @treturn table the cache, a new one if it is nil
function nested.checkType(owner, typename, cache)
  local where = torch.type(owner) .. ': type'
  local own = owner._type or isTensor(owner.gradInput) and owner.gradInput:type() or nil
  return checkName(where, typename, own), check.table(where, 'cache', cache or {})
end

local function convert(value, typename, cache)
  if isTensor(value) then return convertTensor(value, typename, cache) end
  if type(value) ~= 'table' or cache[value] then return value end
  cache[value] = true
  if torch.isTypeOf(value, 'nn.Module') or torch.isTypeOf(value, 'nn.Criterion') then
    value:type(typename, cache)                                    -- a program's method may return nothing
    return value
  end
  if torch.typename(value) then return value end                   -- tensors in other objects are not converted, as in Torch7
  for key, element in pairs(value) do value[key] = convert(element, typename, cache) end
  return value
end

--- Converts all tensors: in plain tables in place, in modules and criteria by their `type`. Tensors that shared a storage still share one
-- afterwards.
-- @param value tensor, module, table of them; other values stay unchanged
-- @tparam string typename any name of a type: 'torch.FloatTensor', 'float'; of a device, or both: 'float on meta'
-- @tparam[opt] table cache earlier conversions; with one table for several calls, tensors stay shared between them
-- @return the converted value
function nested.recursiveType(value, typename, cache)
  return convert(value, checkName('type', typename), check.table('type', 'cache', cache or {}))
end

--- Returns whether a value is a table without a class.
-- @param value
-- @treturn boolean
function nested.isPlain(value) return type(value) == 'table' and torch.typename(value) == nil end

--- Removes the entries of a table that another one doesn't have.
-- @tparam table t1
-- @tparam table t2
-- @treturn table t1
function nested.trim(t1, t2)
  for key in pairs(t1) do
    if t2[key] == nil then t1[key] = nil end
  end
  return t1
end

--- Replaces the entries of a table by those of a list.
-- @param held the table; for other values, the result is the list itself
-- @tparam table list
-- @int count its length, nils included
-- @treturn table
function nested.refill(held, list, count)
  if not nested.isPlain(held) then return list end
  for i = 1, count do held[i] = list[i] end
  for i = #held, count + 1, -1 do held[i] = nil end
  return held
end

local function resizeAs(t1, t2) return t1:resizeAs(t2) end
local function copyOf(t1, t2) return resizeAs(t1, t2):copy(t2) end

-- Returns t1 with the structure of t2; `fit(tensor of t1, tensor of t2)` changes each of its tensors.
local function fitted(t1, t2, fit)
  if type(t2) == 'table' then
    t1 = type(t1) == 'table' and t1 or { t1 }
    for key, element in pairs(t2) do t1[key] = fitted(t1[key], element, fit) end
    nested.trim(t1, t2)
  elseif isTensor(t2) then
    t1 = isTensor(t1) and t1 or t2.new()
    fit(t1, t2)
  else
    mismatch(t1, t2)
  end
  return t1, t2
end

--- Changes `t1` to the structure and sizes of `t2`.
-- @param t1 a tensor, or tables of them
-- @param t2 likewise
-- @return t1, or a new value if it has another kind
-- @return t2
function nested.recursiveResizeAs(t1, t2) return fitted(t1, t2, resizeAs) end

--- Fills a tensor, or all tensors of nested tables, with a number.
-- @param t a tensor, or tables of them
-- @number value
-- @return t
function nested.recursiveFill(t, value)
  if type(t) == 'table' then
    for key in pairs(t) do nested.recursiveFill(t[key], value) end
  elseif isTensor(t) then
    t:fill(value)
  else
    check.raise(('expecting tensor or table thereof. Got %s instead'):format(torch.type(t)))
  end
  return t
end

--- t1 = t1 + value * t2, over the whole structure.
-- @param t1 a tensor, or tables of them
-- @tparam[opt=1] number value
-- @param t2 of the same structure
-- @return t1
-- @return t2
function nested.recursiveAdd(t1, value, t2)
  if t2 == nil then value, t2 = 1, value end
  if type(t2) == 'table' then
    t1 = type(t1) == 'table' and t1 or { t1 }
    for key, element in pairs(t2) do nested.recursiveAdd(t1[key], value, element) end
  elseif isTensor(t1) and isTensor(t2) then
    t1:add(value, t2)
  else
    mismatch(t1, t2)
  end
  return t1, t2
end

--- Copies `t2` into `t1`, and changes its structure and sizes to those of `t2`.
-- @param t1 a tensor, or tables of them
-- @param t2 likewise
-- @return t1, or a new value if it has another kind
-- @return t2
function nested.recursiveCopy(t1, t2) return fitted(t1, t2, copyOf) end

--- Returns a view with a dimension of size 1 before dimension `dim`.
-- @param ... [a tensor for the result,] the tensor, and the dimension (1)
function nested.addSingletonDimension(...)
  local view, tensor, dim
  if torch.isTensor((select(2, ...))) then
    view, tensor, dim = ...
  else
    tensor, dim = ...
    view = tensor.new()
  end
  dim = dim or 1
  assert(dim > 0 and dim <= tensor:dim() + 1, ('invalid dimension: %s. Tensor is of %d dimensions.'):format(dim, tensor:dim()))
  local size, stride = tensor:size():totable(), tensor:stride():totable()
  table.insert(size, dim, 1)
  table.insert(stride, dim, 1)
  return view:set(tensor:storage(), tensor:storageOffset(), torch.LongStorage(size), torch.LongStorage(stride))
end

--- Returns `input` with other sizes: a view if it is contiguous, else a view of a copy.
-- @tparam ?torch.Tensor output
-- @tparam torch.Tensor input
-- @param ... sizes, or a LongStorage of them
function nested.contiguousView(output, input, ...)
  output = output or input.new()
  return output:view(input:contiguous(), ...)
end

--- Returns whether a tensor from an earlier pass can be reused for x. Images with channels last are not reused.
-- @param held
-- @tparam torch.Tensor x
-- @treturn boolean
function nested.isReusable(held, x) return isTensor(held) and held:type() == x:type() and not held:isChannelsLast() end

local function anyTracked(tensors)
  for i = 1, #tensors do
    if tracked(tensors[i]) then return true end
  end
  return false
end

--- Concatenates tensors along a dimension, in a tensor from an earlier pass if it can be reused; nothing is recorded.
-- @param held the tensor of the earlier pass, or nil
-- @tparam {torch.Tensor,...} tensors
-- @int dim
-- @treturn torch.Tensor
function nested.cat(held, tensors, dim)
  if tensors[1]:isChannelsLast() then return (torch.noGrad(torch.cat, tensors, dim)) end
  if not nested.isReusable(held, tensors[1]) then held = tensors[1].new() end
  if anyTracked(tensors) then
    torch.noGrad(torch.cat, held, tensors, dim)
  else
    local done, message = pcall(torch.cat, held, tensors, dim)     -- so that the message has no position in this file
    if not done then error(message, 0) end
  end
  return held
end

--- Empties fields of an object: tensors lose their storage, tables their elements, anything else becomes nil.
-- @param object
-- @param ... field names, or one list of them
-- @return object
function nested.clear(object, ...)
  local fields = type(...) == 'table' and ... or { ... }
  for _, field in ipairs(fields) do
    local value = object[field]
    if isTensor(value) then
      value:set()
    elseif type(value) == 'table' then
      object[field] = {}
    else
      object[field] = nil
    end
  end
  return object
end

-- Torch7's nn.utils also has what PyTorch's has.
require 'torch.start.lazy_loader'(nested, [[
  rnn = nn.recurrent.packing
  nn.utils.gradients: clipGradNorm clipGradValue getTotalNorm clipGradsWithNorm
  nn.utils.vector: parametersToVector vectorToParameters
  nn.utils.fusion: fuseConvBnEval fuseConvBnWeights fuseLinearBnEval fuseLinearBnWeights
  nn.utils.skip_init: skipInit
  nn.utils.weight_norms: weightNorm removeWeightNorm spectralNorm removeSpectralNorm
  parametrize = nn.utils.parametrize
  parametrizations = nn.utils.parametrizations
  prune = nn.utils.prune
]])

return nested
