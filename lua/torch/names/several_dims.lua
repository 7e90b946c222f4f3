--- Forms of ops that their signatures don't have: reductions along several dimensions.
-- torch.names.named_options calls this module if the arguments of a call match no form of its op.
-- @module torch.names.several_dims
local C, torch = require 'libmoontorch', require 'torch'

local expect = require 'torch.check.expect'

local isTensor = C.isTensor

-- Returns the dimensions in a list, from 1, after checks.
local function dimsOf(name, x, list)
  if not isTensor(list) and type(list) ~= 'table' then list = list:totable() end
  local dims, met = {}, {}
  for i = 1, #list do
    local d = tonumber(list[i])
    if not d or d ~= math.floor(d) or d == 0 or math.abs(d) > x:dim() then
      local shown = isTensor(list[i]) and list[i]:type() or tostring(list[i])
      expect.range(name, 'dim', 'number %d of the list is %s, expected a dimension from 1 to %d', i, shown, x:dim())
    end
    d = d < 0 and x:dim() + 1 + d or d
    if met[d] then expect.range(name, 'dim', 'dimension %d is twice in the list', d) end
    dims[i], met[d] = d, true
  end
  if #dims == 0 then expect.range(name, 'dim', 'an empty list, expected at least one dimension') end
  return dims, met
end

-- Returns x with the dimensions merged into one, the last; and the sizes of a result, in which they are 1.
local function gathered(name, x, list)
  local dims, isReduced = dimsOf(name, x, list)
  local order, sizes, kept = {}, {}, {}
  for d = 1, x:dim() do
    sizes[d] = isReduced[d] and 1 or x:size(d)
    if not isReduced[d] then order[#order + 1], kept[#kept + 1] = d, x:size(d) end
  end
  table.sort(dims)
  local count = 1
  for _, d in ipairs(dims) do order[#order + 1], count = d, count * x:size(d) end
  kept[#kept + 1] = count
  return torch.reshape(torch.permute(x, torch.LongStorage(order)), torch.LongStorage(kept)), torch.LongStorage(sizes)
end

-- By op: whether an argument comes before the dimensions (norm's p) or after them, and the number of results, unless it is one; nil if the
-- op only supports a single dimension.
local reductions = {
  sum = {}, nansum = {}, prod = {}, mean = {}, max = {}, min = {}, any = {}, all = {}, logsumexp = {}, nanmean = {}, nanmax = {},
  nanmin = {}, countNonzero = {}, norm = { before = true }, var = { behind = true }, std = { behind = true },
  nanvar = { behind = true }, nanstd = { behind = true }, aminmax = { results = 2 }, varMean = { behind = true, results = 2 },
  stdMean = { behind = true, results = 2 },
}

local function isList(value)
  return type(value) == 'table' and not torch.typename(value) and getmetatable(value) == nil or C.isStorage(value)
end

--- Calls an op whose arguments match none of its forms.
-- @string name of the op
-- @param ... its arguments
-- @return the results; nothing if this module has no such form
return function(name, ...)
  local form, count = reductions[name], select('#', ...)
  if not form or count < 2 then return end
  local arguments, at = { ... }, nil
  while count > 0 and arguments[count] == nil do count = count - 1 end
  for i = 2, count do
    if isList(arguments[i]) then at = i end
  end
  local given, wanted = {}, form.results or 1
  while at and isTensor(arguments[1]) and isTensor(arguments[2]) do
    given[#given + 1], at, count = table.remove(arguments, 1), at - 1, count - 1
  end
  local before, behind = at and at - 2, at and count - at
  if not at or not isTensor(arguments[1]) or #given > wanted then return end
  if before > (form.before and 1 or 0) or behind > (form.behind and 1 or 0) then return end
  local x, sizes = gathered(name, arguments[1], arguments[at])
  local last = x:dim()
  local results
  if form.before then
    results = { torch[name](x, before == 1 and arguments[2] or 2, last) }
  elseif behind == 1 then
    results = { torch[name](x, last, arguments[at + 1]) }
  else
    results = { torch[name](x, last) }
  end
  for r = 1, wanted do
    results[r] = torch.reshape(results[r], sizes)
    if given[r] then results[r] = given[r]:resize(sizes):copy(results[r]) end
  end
  return unpack(results, 1, wanted)
end
