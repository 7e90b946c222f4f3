-- cephes against mpmath: relative errors over wide ranges of arguments, by numbers and by tensors.
local torch, cephes = require 'torch', require 'cephes'

-- The greatest relative errors: 1e-14, and those of functions that are better, or whose errors grow with parameters or digits that cancel.
local bounds = {
  ellpk = 1e-15, ellpe = 1e-15, ellik = 1e-15, ellie = 1e-15, spence = 1e-15, airy = 2e-15, dawsn = 2e-15, fresnl = 1e-15, polylog = 2e-15,
  kolmogorov = 1e-15, ellpj = 2e-14, kn = 1e-13,
  jv = 2e-13, yv = 3e-13, iv = 2e-13, zetac = 2e-13, struve = 1e-13, hyperg = 2e-13, hyp2f1 = 1e-12, cpow = 5e-13,
}

local names, cases = {}, {}
for _, row in ipairs(require 'spec.cephes.sweep') do
  if not cases[row[1]] then
    names[#names + 1] = row[1]
    cases[row[1]] = {}
  end
  table.insert(cases[row[1]], row)
end

-- Functions of complex numbers get and return structs.
local isComplex = {}
for name in pairs(require 'cephes.complex') do isComplex[name] = true end

local function call(name, parameters)
  if not isComplex[name] then return { cephes[name](unpack(parameters)) } end
  local numbers = {}
  for i = 1, #parameters, 2 do numbers[#numbers + 1] = cephes.new_cmplx(parameters[i], parameters[i + 1]) end
  local z = cephes[name](unpack(numbers))
  return { z.r, z.i }
end

for _, name in ipairs(names) do
  it(('%s has %d right values'):format(name, #cases[name]), function()
    local most = bounds[name] or 1e-14
    local columns = {}
    for i = 1, #cases[name][1][2] do columns[i] = torch.DoubleTensor(#cases[name]) end
    for n, row in ipairs(cases[name]) do
      local got = call(name, row[2])
      assert.equal(#row[3], #got)
      for i, wanted in ipairs(row[3]) do
        assert.is_true(math.abs(got[i] - wanted) <= most * math.abs(wanted),
          ('%s(%s), result %d: %.17g, expected %.17g'):format(name, table.concat(row[2], ', '), i, got[i], wanted))
      end
      for i, x in ipairs(row[2]) do columns[i][n] = x end
    end
    if isComplex[name] then return end
    local whole = { cephes[name](unpack(columns)) }
    for n, row in ipairs(cases[name]) do
      for i, value in ipairs { cephes[name](unpack(row[2])) } do
        assert.is_true(math.abs(whole[i][n] - value) <= 1e-14 * math.abs(value))
      end
    end
  end)
end
