--- Extrema of rows and their positions, compared with a plain loop: rows of every length around vectors, groups and parts, ties, infinities
-- and NaN.
local torch = require 'torch'

-- The first of the largest elements (order: function(a, b) whether a is better); a NaN is better than any number.
local function firstBest(row, order)
  local place = 1
  for i = 2, #row do
    local a, b = row[i], row[place]
    if order(a, b) or (a ~= a and b == b) then place = i end
  end
  return row[place], place
end

local function larger(a, b) return a > b end
local function smaller(a, b) return a < b end

local function check(rows, typeName)
  local x = torch.Tensor(rows):type(typeName)
  local largest, largestAt = x:max(2)
  local least, leastAt = x:min(2)
  local onlyAt = torch.argmax(x, 2)
  for i, row in ipairs(rows) do
    for _, case in ipairs { { larger, largest, largestAt, 'max' }, { smaller, least, leastAt, 'min' } } do
      local value, place = firstBest(row, case[1])
      local got, at = case[2][i][1], case[3][i][1]
      if at ~= place or (got ~= value and value == value) or (value ~= value and got == got) then
        error(('%s of %d %s: %g at %d, not %g at %d'):format(case[4], #row, typeName, got, at, value, place))
      end
    end
    assert.equal(largestAt[i][1], onlyAt[i][1])
  end
end

describe('extrema of rows', function()
  local lengths = { 1, 2, 24, 25, 31, 32, 33, 63, 64, 65, 95, 96, 97, 100, 127, 128, 129, 400, 1000, 8191, 8192, 8193, 8200, 16500 }

  for _, name in ipairs { 'Float', 'Double', 'Int', 'Long', 'Short', 'Half' } do
    local typeName = 'torch.' .. name .. 'Tensor'
    it('of a ' .. typeName .. ' are found wherever they are, the first of equal ones', function()
      for _, n in ipairs(lengths) do
        local rows = {}
        for r = 1, n > 1000 and 3 or 8 do
          local row = {}
          for i = 1, n do row[i] = torch.random(-9, 9) end     -- many ties
          if r % 2 == 0 then                                   -- one extremum of each kind, and a second equal one at times
            row[torch.random(1, n)], row[torch.random(1, n)] = 50, -50
            if r % 4 == 0 then row[torch.random(1, n)], row[torch.random(1, n)] = 50, -50 end
          end
          rows[r] = row
        end
        check(rows, typeName)
      end
    end)
  end

  for _, typeName in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
    it('of a ' .. typeName .. ' with infinities and NaN', function()
      for _, n in ipairs(lengths) do
        local inf, nan = math.huge, 0 / 0
        for _, special in ipairs { { inf }, { -inf }, { inf, -inf }, { nan }, { nan, inf }, { nan, nan } } do
          local row, all = {}, {}
          for i = 1, n do row[i], all[i] = torch.random(-9, 9), special[1] end
          for _, value in ipairs(special) do row[torch.random(1, n)] = value end
          check({ row, all }, typeName)
        end
      end
    end)
  end
end)
