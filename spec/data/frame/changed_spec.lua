-- Columns of data frames that a program, or a file, changed so that they do not fit the frame: errors that name the column.
local torch = require 'torch'
local data = require 'data'

local rows = 100000

local function fails(message, f, name)
  local good, raised = pcall(f)
  assert.is_false(good, name)
  assert.is_truthy(tostring(raised):find(message, 1, true), ('%s: %s, expected %s'):format(tostring(name), tostring(raised), message))
end

local function numbers()
  return data.Frame { k = torch.range(1, rows), x = torch.range(1, rows), y = torch.range(1, rows) }
end

-- Methods that read the column k of a frame.
local verbs = {
  sum = function(f) return f:groupBy('k'):sum() end, sort = function(f) return f:sort 'k' end,
  valueCounts = function(f) return f:valueCounts 'k' end, unique = function(f) return f:unique 'k' end,
  nunique = function(f) return f:nunique 'k' end, join = function(f) return f:join(f, 'k') end,
  oneHot = function(f) return f:oneHot 'k' end, crosstab = function(f) return f:crosstab('k', 'x') end,
  dropDuplicates = function(f) return f:dropDuplicates 'k' end, duplicated = function(f) return f:duplicated 'k' end,
  pivotTable = function(f) return f:pivotTable { index = 'x', columns = 'k', values = 'y' } end, rank = function(f) return f:rank 'k' end,
  joinAsof = function(f) return f:joinAsof(f, { on = 'x', by = 'k' }) end, filter = function(f) return f:filter "k == 1" end,
  texts = function(f) return f:cast { k = 'text' } end, rows = function(f) return f:rows() end, print = function(f) return f:text() end,
}

-- Methods that read columns of numbers.
local numeric = {
  mean = function(f) return f:groupBy('x'):mean() end, median = function(f) return f:groupBy('x'):median() end,
  distinct = function(f) return f:groupBy('x'):aggregate { k = 'nunique' } end,
  transform = function(f) return f:groupBy('x'):transform { z = { 'k', 'sum' } } end, corr = function(f) return f:corr() end,
  describe = function(f) return f:describe() end, quantile = function(f) return f:quantile(0.5) end,
  rolling = function(f) return f:rolling(3):sum() end, cumsum = function(f) return f:cumsum() end,
  matrix = function(f) return f:matrix() end, get = function(f) return f:get(50) end, select = function(f) return f:select 'k' end,
  getBatch = function(f) return f:getBatch(torch.LongTensor { 1, 50 }) end, asof = function(f) return f:joinAsof(f, 'k') end,
}

describe('A changed column of a data.Frame', function()
  it('is an error if its length is not the number of rows', function()
    local short = ('data.Frame: k: 3 values, expected %d, one for each row of the frame'):format(rows)
    local long = ('data.Frame: k: %d values, expected %d, one for each row of the frame'):format(2 * rows, rows)
    for _, group in ipairs { verbs, numeric } do
      for name, verb in pairs(group) do
        local f = numbers()
        f.k:set(torch.ones(3))
        fails(short, function() return verb(f) end, name)
        f = numbers()
        f.columns.k = torch.range(1, 2 * rows)
        fails(long, function() return verb(f) end, name)
      end
    end
    local f = numbers()
    f.k:resize(10)
    fails('data.Frame: k: 10 values', function() f:sort 'k' end)
    f = data.Frame { word = { 'a', 'b' }, x = { 1, 2 } }
    f.word[3] = 'c'
    fails('data.Frame: word: 3 values, expected 2', function() f:sort 'word' end)
  end)

  it('is an error if it has values of another type', function()
    local f = numbers()
    f.columns.k = { 'a' }
    fails('data.Frame: k: a table, expected values of the type torch.DoubleTensor', function() f:sort 'k' end)
    f.columns.k = torch.zeros(rows):int()
    fails('data.Frame: k: a torch.IntTensor, expected values of the type torch.DoubleTensor', function() f:sort 'k' end)
  end)

  it('is an error in groups and windows that were made before', function()
    local f = numbers()
    local groups = f:groupBy 'k'
    f.x:resize(3)
    fails('data.Frame: x: 3 values', function() groups:sum() end)
    f.k, f.x, f.y = nil, nil, nil
    f.k = torch.ones(2 * rows)
    local message = ('data.Groups: the frame has %d rows, expected %d'):format(2 * rows, rows)
    for _, method in ipairs { 'aggregate', 'head', 'count' } do fails(message, function() return groups[method](groups, 2) end, method) end
    fails(message, function() groups:transform { k = 'cumsum' } end)
    f = data.Frame { d = { 0, 1, 2 }, x = { 1, 2, 3 } }:cast { d = 'date' }
    local window = f:rolling('2 seconds', { on = 'd' })
    f.d, f.x = nil, nil
    f.x = torch.ones(rows)
    fails(('data.Rolling: the frame has %d rows, expected 3'):format(rows), function() window:sum() end)
  end)

  it('is an error if a number of a category has no name', function()
    for _, code in ipairs { 1e9, -1, 3, -2 ^ 40, 2 ^ 40 } do
      local message = ('data.Frame: k: category %s, expected a number from 0 to 2'):format(tostring(code))
      for name, verb in pairs(verbs) do
        local f = data.Frame { k = { 'x', 'y' }, x = { 1, 2 }, y = { 1, 2 } }:cast { k = 'category' }
        f.k[1] = code
        fails(message, function() return verb(f) end, name)
      end
    end
    local f = data.Frame { k = { 'x', 'y' } }:cast { k = 'category' }
    local file = torch.MemoryFile()
    f.k[2] = 7
    file:writeObject(f)
    file:seek(1)
    local read = file:readObject()
    fails('data.Frame: k: category 7, expected a number from 0 to 2', function() read:sort 'k' end)
  end)
end)
