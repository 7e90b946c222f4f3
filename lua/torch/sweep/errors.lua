--- Sweep: a bad argument causes an error in the standard form `op: argument: ...`, and no tensor changes. Each argument of a sample in turn
-- is missing, of a wrong kind, of a wrong size and out of range.
local torch = require 'torch'
local compare = require 'torch.sweep.compare'
local elements = require 'torch.sweep.elements'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

-- Values that no op accepts, and whether they have no other meaning.
local wrongKinds = {
  { 'a function', function() return print end, true },
  { 'a coroutine', function() return coroutine.create(print) end, true },
  { 'a string', function() return 'moontorch' end },
  { 'a boolean', function() return true end },
  { 'a table', function() return { 'moontorch' } end },
  { 'a number', function() return 2 end },
}
local wrongTensors = {
  { 'a tensor of odd sizes', function(kind) return torch[kind:match '%.(.+)$'](7, 11):fill(1) end },
  { 'a tensor of 4 dimensions', function(kind) return torch[kind:match '%.(.+)$'](2, 3, 1, 2):fill(1) end },
  { 'a tensor without elements', function(kind) return torch[kind:match '%.(.+)$']() end },
}
-- As sizes, the large ones require more memory than there is.
local wrongNumbers = { 0, -1, -99, 99, 2.5, 1e15, -1e18, 1e300, 0 / 0, math.huge, -math.huge }

-- If a view would leave its storage, the tensor code raises the error, with its own prefix.
local function standard(op, message)
  return type(message) == 'string' and (message:find('^' .. op.name .. ': ') or message:find '^tensor: %a+: ') ~= nil
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong, kind = {}, ops.mainType(op)
  local list = samples.of(op, kind)

  -- Calls the op with arguments that may be bad; with `must`, they certainly are.
  local function try(sample, what, arguments, must)
    local function note(text) wrong[#wrong + 1] = ('%s, %s: %s'):format(samples.describe(sample), what, text) end
    local tensors, before = samples.tensors(arguments), {}
    for i, x in ipairs(tensors) do before[i] = elements.read(x) end
    local ok, message = pcall(op.call, unpack(arguments, 1, arguments.n))
    if ok then
      if must then note 'no error was raised' end
      return
    end
    if not standard(op, message) then note('the error has another form: ' .. tostring(message)) end
    for i, x in ipairs(tensors) do
      local difference = compare.difference(before[i], elements.read(x), 0)
      if difference then note(('tensor %d changed: %s'):format(i, difference)) end
    end
  end

  local required = 0
  for _, param in ipairs(op.info.params) do required = required + (param.optional and 0 or 1) end
  if required > 0 and not op.random then try({ text = 'no arguments', n = 0 }, 'nothing given', { n = 0 }, true) end

  for s, sample in ipairs(list) do
    if s > 3 then break end
    local function with(position, value)
      local arguments = samples.copied(sample)
      arguments[position], arguments.n = value, math.max(arguments.n, position)
      return arguments
    end
    for i = 1, sample.n do
      local short = samples.copied(sample)
      for k = i, sample.n do short[k] = nil end
      short.n = i - 1
      try(sample, ('argument %d and all later ones omitted'):format(i), short)
      for _, bad in ipairs(wrongKinds) do try(sample, ('%s as argument %d'):format(bad[1], i), with(i, bad[2]()), bad[3]) end
      if torch.isTensor(sample[i]) then
        for _, bad in ipairs(wrongTensors) do
          try(sample, ('%s as argument %d'):format(bad[1], i), with(i, bad[2](elements.kind(sample[i]))))
        end
      elseif type(sample[i]) == 'number' then
        for _, bad in ipairs(wrongNumbers) do
          try(sample, ('%g as argument %d'):format(bad, i), with(i, bad))
        end
      elseif type(sample[i]) == 'table' then
        for _, bad in ipairs { {}, { -1 }, { 1e18, 1e18 }, { 0 / 0 }, { 1, 'moontorch' }, { print } } do
          try(sample, ('a bad table as argument %d'):format(i), with(i, bad))
        end
      end
    end
    try(sample, 'an argument too many', with(sample.n + 1, print), true)
  end
  return wrong
end
