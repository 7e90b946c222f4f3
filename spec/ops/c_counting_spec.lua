-- The C interface counts from 0 where Lua counts from 1: dimensions, positions, and lists of them, in every op that takes some.
-- Each sample of an op is called from Lua, and with arguments counted from 0 in C, through a session and, where the engine has the op,
-- through mt_call_named.
local torch = require 'torch'
local C, c = require 'libmoontorch', require 'spec.support.c_interface'
local registry, samples = require 'spec.support.registry', require 'torch.sweep.samples'
local close = require 'spec.support.close'

local has = c.takes
local function counts(param) return has(param, c.INDEX, c.DIM, c.DIMS, c.INDICES) end

local function fits(param, value)
  if torch.isTensor(value) then return has(param, c.TENSOR) end
  if type(value) == 'table' then return has(param, torch.isTensor(value[1]) and c.TENSORS or c.SIZES) end
  if type(value) == 'boolean' then return has(param, c.BOOLEAN) end
  if type(value) == 'string' then return has(param, c.STRING, c.DTYPE) end
  return type(value) == 'number' and has(param, c.NUMBER, 4, c.INDEX, c.DIM, c.SIZES)
end

-- A sample's arguments by name, in the order of a form; numbers one by one are a list where one is expected. nil where none fits.
local function byName(info, form, sample)
  local named, at = {}, 1
  for _, i in ipairs(form) do
    local param, value = info.params[i], sample[at]
    if at <= sample.n and fits(param, value) then
      if type(value) == 'number' and not has(param, c.NUMBER, 4, c.INDEX, c.DIM) then
        local list = {}
        while type(sample[at]) == 'number' do list[#list + 1], at = sample[at], at + 1 end
        value = list
      else
        at = at + 1
      end
      named[#named + 1] = { param = param, value = value }
    elseif not param.optional then
      return nil
    end
  end
  return at > sample.n and named or nil
end

local function arranged(info, sample)
  for _, form in ipairs(info.forms) do
    local named = not form.methodOnly and byName(info, form, sample)
    if named then return named end
  end
end

-- The same in Lua, with lists.
local function callLua(name, info, named)
  local arguments, n = {}, 0
  for _, form in ipairs(info.forms) do
    local all = not form.methodOnly
    for _, argument in ipairs(named) do
      local found = false
      for _, i in ipairs(form) do found = found or info.params[i] == argument.param end
      all = all and found
    end
    if all then
      for k, i in ipairs(form) do
        for _, argument in ipairs(named) do
          if info.params[i] == argument.param then arguments[k], n = argument.value, math.max(n, k) end
        end
      end
      break
    end
  end
  for i = 1, n do
    if torch.isTensor(arguments[i]) then arguments[i] = arguments[i]:clone() end
  end
  local done, result = pcall(torch[name], unpack(arguments, 1, n))
  if not done then return nil, result end
  if type(result) == 'boolean' then return result end
  if type(result) == 'number' then return torch.DoubleTensor { result } end
  return result:double()
end

local function alike(a, b)
  if not a or not b then return a == b end
  if a:nElement() == 1 and b:nElement() == 1 then a, b = a:item(), b:item() end      -- a reduction of all: a number, or a tensor
  return close.isClose(b, a, { rtol = 1e-12, equalNan = true })
end

-- The same arguments with dimensions counted from the end.
local function fromTheEnd(named)
  local first = named[1] and named[1].value
  if type(first) == 'table' then first = first[1] end
  if not torch.isTensor(first) then return nil end
  local n, changed, list = first:dim(), false, {}
  local function negative(v)
    if v < 1 or v > n then return v end
    changed = true
    return v - n - 1
  end
  for i, argument in ipairs(named) do
    local v = argument.value
    if type(v) == 'number' and has(argument.param, c.DIM) then
      v = negative(v)
    elseif type(v) == 'table' and has(argument.param, c.DIMS) then
      local dims = {}
      for k, d in ipairs(v) do dims[k] = negative(d) end
      v = dims
    end
    list[i] = { param = argument.param, value = v }
  end
  return changed and list or nil
end

local function shown(named)
  local words = {}
  for i, argument in ipairs(named) do
    local v = argument.value
    if type(v) == 'table' then v = torch.isTensor(v[1]) and 'tensors' or table.concat(v, ' ') end
    words[i] = argument.param.name .. ' ' .. (torch.isTensor(v) and 'a tensor' or tostring(v))
  end
  return table.concat(words, ', ')
end

describe('the C interface counts dimensions and positions from 0, and from the end as Lua does:', function()
  local session
  setup(function() session = c.open() end)
  teardown(function() c.close(session) end)

  local checked = 0
  local function compare(name, info, named)
    local expected = callLua(name, info, named)
    if type(expected) == 'boolean' then return end      -- of all elements: no tensor, and no dimension
    local actual, message = c.call(session, name, named)
    assert.is_true(alike(expected, actual), ('%s(%s) in a session: %s'):format(name, shown(named), message or 'another result'))
    if c.hasOp(name) then
      actual, message = c.call(nil, name, named)
      assert.is_true(alike(expected, actual), ('%s(%s): %s'):format(name, shown(named), message or 'another result'))
    end
    checked = checked + 1
  end

  for _, op in ipairs(registry.ops()) do
    local info = C.opInfo(op.name)
    local isCounted, isRandom = false, false
    for _, param in ipairs(info.params) do
      isCounted, isRandom = isCounted or counts(param), isRandom or has(param, c.GENERATOR)
    end
    if isCounted and not isRandom and not info.library then
      it(op.name, function()
        local before = checked
        for _, sample in ipairs(samples.of(op, 'torch.DoubleTensor')) do
          local named = arranged(info, sample)
          if named then
            compare(op.name, info, named)
            local negative = fromTheEnd(named)
            if negative then compare(op.name, info, negative) end
          end
        end
        assert.is_true(checked > before, 'no sample fits a form')
      end)
    end
  end

  it('a list of dimensions is declared as one', function()
    for _, name in ipairs(torch.ops()) do
      for _, param in ipairs(C.opInfo(name).params) do
        if param.name:find '^dim' and has(param, c.SIZES) then assert.is_true(has(param, c.DIMS), name .. ': ' .. param.name) end
      end
    end
  end)

  it('reductions along several dimensions, in a session', function()
    local x = torch.range(1, 24):view(2, 3, 4)
    for _, name in ipairs { 'sum', 'mean', 'max', 'prod', 'var', 'logsumexp' } do
      local info = C.opInfo(name)
      local dim
      for _, param in ipairs(info.params) do dim = param.name == 'dim' and param or dim end
      for _, dims in ipairs { { 1, 2 }, { 3, 1 }, { -1, 2 }, { 1, 2, 3 } } do
        local named = { { param = info.params[1], value = x }, { param = dim, value = dims } }
        local actual, message = c.call(session, name, named)
        assert.is_true(alike(torch[name](x, dims):double(), actual), ('%s: %s'):format(name, message or 'another result'))
      end
    end
  end)
end)
