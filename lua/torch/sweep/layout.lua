--- Sweep: an op returns the same for the same elements in any memory layout: any strides, offsets and, for elementwise ops, any number of
-- elements.
local compare = require 'torch.sweep.compare'
local layouts = require 'torch.sweep.layouts'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

-- Lengths around those of vectors, blocks of 256 elements and empty tensors; and more dimensions than the loops are specialised for.
local lengths = { { 0 }, { 1 }, { 17 }, { 259 }, { 2, 1, 2, 1, 3, 1, 2, 2, 2 }, { 7, 1, 37 } }

-- The order of sums depends on strides: results must be as exact as required for the reference.
local function same(op, expected, got, scale)
  if got.n ~= expected.n then return ('%d results, expected %d'):format(got.n, expected.n) end
  for i = 1, expected.n do
    local want = expected[i]
    if type(want) == 'table' then want = { sizes = want.sizes, data = want.data, scale = scale } end
    if type(want) == 'number' then want = { sizes = { 1 }, data = { want }, scale = scale } end
    local difference = compare.difference(want, got[i], 2 * op.info.ulp)
    if difference then return difference end
  end
end

local function call(op, arguments) return ops.results(op.call(unpack(arguments, 1, arguments.n))) end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong = {}
  local function note(sample, what, text) wrong[#wrong + 1] = ('%s, %s: %s'):format(samples.describe(sample), what, text) end
  local function check(sample, what, changed, expected)
    local ok, difference = pcall(function() return same(op, expected, call(op, changed), 10) end)
    if not ok or difference then note(sample, what, difference) end
  end

  local kind = ops.mainType(op)
  for _, sample in ipairs(samples.of(op, kind)) do
    local expected = call(op, samples.copied(sample))
    for which, x in ipairs(samples.tensors(sample)) do
      for _, layout in ipairs(layouts.of(x)) do
        local changed = samples.map(samples.copied(sample), function(t, i) return i == which and layout[2] or t end)
        check(sample, ('tensor %d %s'):format(which, layout[1]), changed, expected)
      end
      local dense, expanded = layouts.repeated(x)
      local written = op.info.results == 0 or op.info.method == 'alwaysInPlace' and which == 1
      if dense and not written then
        local function with(y) return samples.map(samples.copied(sample), function(t, i) return i == which and y or t end) end
        local ok, wanted = pcall(call, op, with(dense))
        if ok then check(sample, ('tensor %d expanded'):format(which), with(expanded), wanted) end
      end
    end
  end

  if op.elementwise then
    for _, sizes in ipairs(lengths) do
      for i, sample in ipairs(samples.of(op, kind, { resize = function() return sizes end })) do
        if i > 2 then break end
        local what = 'sizes ' .. table.concat(sizes, ' ')
        local expected = ops.results(op.reference(unpack(samples.plain(sample), 1, sample.n)))
        check(sample, what, samples.copied(sample), expected)
      end
    end
  end
  return wrong
end
