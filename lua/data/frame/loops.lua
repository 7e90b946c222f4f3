--- Loops over rows, which LuaJIT compiles. Rows and groups are numbered from 1 in IntTensors, so that Lua reads plain numbers.
-- @module data.frame.loops
local torch = require 'torch'

local loops = {}

--- A contiguous DoubleTensor whose NaNs are Lua's: LuaJIT would take the bits of others for values of other types.
-- @tparam torch.Tensor x
-- @treturn torch.DoubleTensor x itself if it is one
function loops.doubles(x)
  local numbers = x:double():contiguous()
  local isNaN = numbers:ne(numbers)
  if numbers:nElement() > 0 and isNaN:max() ~= 0 then numbers = numbers:clone():maskedFill(isNaN, 0 / 0) end
  return numbers
end

--- An IntTensor of `count` elements, which may be none.
-- @int count
-- @treturn torch.IntTensor
function loops.ints(count) return torch.IntTensor():resize(count) end

--- The numbers from `first` to `last`.
-- @int first
-- @int last
-- @treturn torch.IntTensor
function loops.range(first, last)
  local x = loops.ints(math.max(last - first + 1, 0))
  local p = x:data()
  for i = 0, last - first do p[i] = first + i end
  return x
end

--- The places at which a mask is not 0.
-- @tparam torch.Tensor mask of booleans or bytes
-- @treturn torch.IntTensor from 1
function loops.places(mask)
  local bytes = mask:ne(0):byte():contiguous()      -- 0 and 1, which need no branch
  local n, count = bytes:nElement(), 0
  local p, found = bytes:data(), loops.ints(n)
  local q = found:data()
  for i = 0, n - 1 do
    q[count] = i + 1
    count = count + p[i]
  end
  return found:resize(count)
end

--- Sorts rows by codes, stably.
-- @tparam torch.IntTensor codes from 0 to `most`
-- @int most
-- @tparam[opt] torch.IntTensor rows their order so far
-- @treturn torch.IntTensor rows, from 1
-- @treturn torch.IntTensor the place, from 0, of the first row of each code, and the number of rows
function loops.sort(codes, most, rows)
  local n = codes:nElement()
  local starts, order = torch.IntTensor(most + 2):zero(), loops.ints(n)
  local c, s, o = codes:data(), starts:data(), order:data()
  for i = 0, n - 1 do s[c[i] + 1] = s[c[i] + 1] + 1 end
  for code = 1, most + 1 do s[code] = s[code] + s[code - 1] end
  local nextPlaces = starts:clone()
  local at = nextPlaces:data()
  local r = rows and rows:data()
  for j = 0, n - 1 do
    local row = r and r[j] or j + 1
    local code = c[row - 1]
    o[at[code]] = row
    at[code] = at[code] + 1
  end
  return order, starts
end

return loops
