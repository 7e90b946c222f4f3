-- Conditions on missing values and on integers of 64 bits in expressions of columns.
local torch = require 'torch'
local data = require 'data'

local nan, null = 0 / 0, data.jsonl.null

-- Every combination of 1, 2 and a missing value, of true, false and missing, and of 'a', 'b' and missing.
local function example()
  local rows = {}
  for _, n in ipairs { 1, 2, nan } do
    for _, b in ipairs { 'true', 'false', '' } do
      for _, k in ipairs { 'a', 'b', '' } do
        rows[#rows + 1] = { id = #rows + 1, x = n, b = b == '' and null or b == 'true', k = k == '' and null or k }
      end
    end
  end
  local frame = data.Frame.fromRows(rows)
  return frame:assign { n = frame:select 'x', c = frame:select 'k' }:cast { n = 'int', c = 'category' }
end

-- Kleene's values of the conditions in Lua, with 'missing'.
local function negate(a) if a == 'missing' then return a end return not a end
local function both(a, b)
  if a == false or b == false then return false end
  return (a == 'missing' or b == 'missing') and 'missing' or true
end
local function either(a, b) return negate(both(negate(a), negate(b))) end
local function equals(a, b) if a == nil or a ~= a then return 'missing' end return a == b end
local function truth(b) if b == nil then return 'missing' end return b end

local cases = {
  ['NUM ~= 1'] = function(n) return negate(equals(n, 1)) end,
  ['not (NUM == 1)'] = function(n) return negate(equals(n, 1)) end,
  ['not (NUM < 2)'] = function(n) return negate(equals(n, 1)) end,
  ['not b'] = function(_, b) return negate(truth(b)) end,
  ['b'] = function(_, b) return truth(b) end,
  ["TXT ~= 'a'"] = function(_, _, k) return negate(equals(k, 'a')) end,
  ["not (TXT == 'a')"] = function(_, _, k) return negate(equals(k, 'a')) end,
  ["TXT > 'a'"] = function(_, _, k) return equals(k, 'b') end,
  ["not isIn(TXT, 'a', 'c')"] = function(_, _, k) return negate(equals(k, 'a')) end,
  ["not texts.contains(TXT, 'a') and NUM == 1"] = function(n, _, k) return both(negate(equals(k, 'a')), equals(n, 1)) end,
  ["texts.contains(TXT, 'a') or b"] = function(_, b, k) return either(equals(k, 'a'), truth(b)) end,
  ["not (NUM == 1 or TXT == 'a')"] = function(n, _, k) return negate(either(equals(n, 1), equals(k, 'a'))) end,
  ["not (NUM == 1 and TXT == 'a')"] = function(n, _, k) return negate(both(equals(n, 1), equals(k, 'a'))) end,
  ["not (NUM == 1 and b or TXT == 'a' and not b)"] = function(n, b, k)
    return negate(either(both(equals(n, 1), truth(b)), both(equals(k, 'a'), negate(truth(b)))))
  end,
  ['(NUM > 1) == b'] = function(n, b) return (equals(n, 2) == 'missing' or b == nil) and 'missing' or (n > 1) == b end,
  ['NUM == nil'] = function(n) return n ~= n end, ['NUM ~= NUM'] = function(n) return n ~= n end,
  ["TXT == ''"] = function(_, _, k) return k == nil end, ["'' ~= TXT"] = function(_, _, k) return k ~= nil end,
  ['TXT ~= nil'] = function(_, _, k) return k ~= nil end, ['TXT == TXT and b ~= nil'] = function(_, b, k) return k ~= nil and b ~= nil end,
}

describe('An expression of columns', function()
  it('has three values', function()
    local frame = example()
    for text, expected in pairs(cases) do
      for _, names in ipairs { { 'x', 'k' }, { 'n', 'c' } } do
        local condition = text:gsub('NUM', names[1]):gsub('TXT', names[2])
        local kept, values = {}, {}
        for i = 1, frame:size() do
          local row = frame:get(i)
          local k = row.k
          if k == '' then k = nil end
          local value = expected(row.x, row.b, k)
          if value == true then kept[#kept + 1] = i end
          values[i] = tostring(value)
        end
        assert.same(kept, frame:filter(condition).id:totable(), condition)
        local made = frame:assign { z = condition }
        local missing, found = made:isMissing('z'):byte(), {}
        for i = 1, frame:size() do found[i] = missing[i] == 1 and 'missing' or tostring(made:get(i).z) end
        assert.same(values, found, condition)
      end
    end
  end)

  it('chooses between values as Lua does', function()
    local frame = example()
    local words = frame:assign({ z = "n > 1 and 'large' or 'small'" }).z
    assert.same({ 'small', 'large', 'small' }, { words[1], words[10], words[19] })
    assert.same({ 1, 2 }, (function()
      local z = frame:assign({ z = 'n * 2 - 1 > 1 and x or n' }).z
      return { z[1], z[10] }
    end)())
    assert.equal(9, frame:filter("k ~= '' and k:sub(1, 1) == 'a'"):size())
    assert.equal(9, frame:filter("n == n and tonumber(n) ~= 1"):size())
    local message = select(2, pcall(frame.filter, frame, 'k > 1'))
    assert.is_truthy(message:find('data.Frame:filter: "k > 1": row 1: attempt to compare number with string (k is text)', 1, true), message)
    assert.equal(27, frame:filter('id > 0 -- all'):size())
    assert.equal(3, frame:filter('[[a]] == k and 0x1 == n and 1e-0 == x'):size())
  end)

  it('is the same by columns and by rows', function()
    local n = 60
    local columns = {
      x = torch.randn(n):mul(3):round():float(), y = torch.DoubleTensor(n):random(-3, 3), i = torch.Tensor(n):random(-3, 3):totable(),
      day = torch.DoubleTensor(n):random(-3, 3):mul(86400), id = torch.range(1, n),
    }
    columns.x[7], columns.y[7], columns.y[9], columns.day[11], columns.x[12] = nan, nan, nan, nan, math.huge
    columns.i[5] = null
    local frame = data.Frame(columns):cast { day = 'date', i = 'int' }
    local operands = { 'x', 'y', 'i', 'x', 'y', '1', '-2', '(2)', '(-1)', '0x2', '1e0' }
    local operators = { '==', '~=', '<', '<=', '>', '>=' }
    local comparisons = require 'data.frame.comparisons'
    local function some(list) return list[torch.random(1, #list)] end
    local function condition(depth)
      if depth == 0 or torch.uniform() < 0.3 then
        if torch.uniform() < 0.1 then return ("day %s '1970-01-0%d'"):format(some(operators), torch.random(1, 3)) end
        return ('%s %s %s'):format(some(operands), some(operators), some(operands))
      end
      local text = condition(depth - 1) .. (torch.uniform() < 0.5 and ' and ' or ' or ') .. condition(depth - 1)
      return torch.uniform() < 0.5 and '(' .. text .. ')' or text
    end
    local count = 0
    for _ = 1, 300 do
      local text = condition(3)
      if comparisons.mask(frame, (text:gsub("'1970%-01%-0(%d)'", '%1'))) then count = count + 1 end
      assert.same(frame:filter('(' .. text .. ') and not false').id:totable(), frame:filter(text).id:totable(), text)
    end
    assert.is_true(count > 20)
    local others = { 'x', 'x < 1 < 2', 'x < 1 +', '(x < 1', 'x < y + 1', 'not x < 1', 'x < k', '1 < 2', 'x ~= x', 'x <', '', 'x < 1)' }
    for _, text in ipairs(others) do assert.is_nil(comparisons.mask(frame, text), text) end
    assert.same({ 'torch.DoubleTensor', columns.x[3] + 2 }, { frame:assign({ z = 'i * 2' }).types.z, frame:assign({ z = 'x + 2' }).z[3] })
    assert.same({ 'text', 1 }, { frame:assign({ z = "id > 2 and 'a' or id > 1 and nil or ''" }).types.z,
      frame:assign({ z = 'i * 2' }):isMissing('z')[5] })
  end)

  it('compares integers of 64 bits exactly', function()
    local list = { 9007199254740993LL, 9007199254740992LL, 1LL, -9007199254740993LL, 9223372036854775807LL, 0LL }
    local n = torch.LongTensor(6)
    for i, value in ipairs(list) do n[i] = value end
    local frame = data.Frame { n = n, m = n:clone(), id = { 1, 2, 3, 4, 5, 6 } }
    for condition, expected in pairs {
      ['n == 9007199254740992'] = { 2 }, ['n == 9007199254740993'] = { 1 }, ['9007199254740992 < n'] = { 1, 5 },
      ['n == -9007199254740993'] = { 4 }, ['n ~= 9007199254740993'] = { 2, 3, 4, 5, 6 }, ['n > 0.5 and n < 1.5'] = { 3 },
      ['n >= 1e300'] = {}, ['n > -1e300'] = { 1, 2, 3, 4, 5, 6 }, ['n == 9223372036854775807'] = { 5 },
      ['n <= 9223372036854775806'] = { 1, 2, 3, 4, 6 },
      ['n == m'] = { 1, 2, 3, 4, 5, 6 }, ['not (n == 9007199254740992)'] = { 1, 3, 4, 5, 6 }, ['n == 9007199254740993LL'] = { 1 },
    } do
      assert.same(expected, frame:filter(condition).id:totable(), condition)
    end
    local gaps = frame:setMissing('n', frame.id:eq(1))
    assert.same({ 3, 4, 5, 6 }, gaps:filter('n ~= 9007199254740992').id:totable())
    assert.same({ 1 }, gaps:filter('n == nil').id:totable())
  end)
end)
