-- Compares sequences with their formulas, bit for bit: lengths around those of vectors, at any address. Prints `all right` or the failures.
jit.off()      -- on ARM, compiled code would round a product and a sum only once
local ffi = require 'ffi'
local torch = require 'torch'

local first, last, step = -1.7, 11.3, 0.37
local n
local formulas = {
  linspace = function(i) return i == n - 1 and last or first + (last - first) * i / (n - 1) end,
  logspace = function(i) return 10 ^ (i == n - 1 and last or first + (last - first) * i / (n - 1)) end,
  range = function(i) return first + i * step end,
  arange = function(i) return first + i * step end,
}
local function arguments(name)
  if name == 'linspace' or name == 'logspace' then return first, last, n end
  return first, first + (n - (name == 'arange' and 0.5 or 0.8)) * step, step
end

-- The doubles at p as elements of each type.
local function asType(name, p)
  if name == 'Double' then return p end
  if name == 'Float' then
    local floats = ffi.new('float[?]', n)
    for i = 0, n - 1 do floats[i] = p[i] end
    return floats
  end
  local whole = ffi.new('int32_t[?]', n)
  for i = 0, n - 1 do whole[i] = p[i] < 0 and math.ceil(p[i]) or math.floor(p[i]) end
  return whole
end

local wrong
local function compare(op, name, x, at, want)
  local p = x:data() + at
  for i = 0, n - 1 do
    if p[i] ~= want[i] then wrong = wrong or ('%s of %d, %s, from %d: %.17g at %d, not %.17g'):format(op, n, name, at, p[i], i, want[i]) end
  end
  for i = 0, x:nElement() - 1 do
    if (i < at or i >= at + n) and x[i + 1] ~= 5 then wrong = wrong or ('%s of %d, %s: wrote beside it'):format(op, n, name) end
  end
end

for _, length in ipairs { 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 255, 256, 257, 1000, 70001 } do
  n = length
  for op, formula in pairs(formulas) do
    local values = ffi.new('double[?]', n)
    for i = 0, n - 1 do values[i] = formula(i) end
    for _, name in ipairs { 'Double', 'Float', op ~= 'logspace' and 'Int' or nil } do
      for at = 0, n < 100 and 5 or 1 do
        local x = torch[name .. 'Tensor'](n + 7):fill(5)
        torch[op](x:narrow(1, at + 1, n), arguments(op))
        compare(op, name, x, at, asType(name, values))
      end
    end
  end
end
io.write(wrong or 'all right', '\n')
