--- Sweep: an op gives what its float64 reference gives, for every sample and dtype.
local elements = require 'spec.support.elements'
local compare = require 'spec.support.compare'
local registry = require 'spec.support.registry'
local samples = require 'spec.support.samples'

-- Whether integers were divided by 0: an error of the op, infinity or NaN in the reference.
local function dividesByZero(kind, expected)
  if elements.isFloat(kind) or type(expected) ~= 'table' or not expected.kind or elements.isFloat(expected.kind) then return false end
  for _, v in ipairs(expected.data) do
    if v ~= v or math.abs(v) == math.huge then return true end
  end
  return false
end

-- The largest finite number among the arguments and in the result: rounding errors of sums are as large as this allows.
local function largest(...)
  local most = 0
  local function look(value)
    if type(value) == 'number' and math.abs(value) < math.huge then most = math.max(most, math.abs(value)) end
    if type(value) == 'table' then
      for _, v in ipairs(value.data or value) do look(v) end
    end
  end
  for _, value in ipairs { ... } do look(value) end
  return most
end

--- @tparam table op as spec.support.registry makes it
-- @treturn {string,...} what is wrong; empty when nothing is
return function(op)
  if not op.reference then return { op.name .. ' has no reference' } end
  local wrong = {}
  for _, kind in ipairs(registry.types(op)) do
    local list = samples.of(op, kind)
    if #list == 0 then return { op.name .. ' has no samples' } end
    for _, sample in ipairs(list) do
      local function note(text) wrong[#wrong + 1] = ('%s %s: %s'):format(kind, samples.describe(sample), text) end
      local plain = samples.plain(sample)
      local expected = registry.results(op.reference(unpack(plain, 1, sample.n)))
      local refused = dividesByZero(kind, expected[1])
      local ok, message = pcall(function()
        local got = registry.results(op.call(unpack(sample, 1, sample.n)))
        if got.n < expected.n then note(('%d results came, the reference has %d'):format(got.n, expected.n)) end
        for i = 1, expected.n do
          if type(expected[i]) == 'number' then expected[i] = { sizes = { 1 }, data = { expected[i] } } end
          if type(expected[i]) == 'table' then expected[i].scale = expected[i].scale or largest(plain, expected[i]) end
          local difference = compare.difference(expected[i], got[i], op.info.ulp, kind)
          if difference then note(difference) end
        end
      end)
      if not ok and not (refused and message:find "integers can't be divided by it") then note(message) end
    end
  end
  return wrong
end
