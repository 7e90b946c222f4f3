--- Copies of every second, third, fourth and fifth element: every width, any number of elements, to any address, larger than the caches.
local torch = require 'torch'

local types = { 'torch.ByteTensor', 'torch.ShortTensor', 'torch.FloatTensor', 'torch.DoubleTensor' }

-- A matrix with `step` columns, whose elements encode their positions as far as the type can represent them.
local function columnsOf(n, step, typeName) return torch.remainder(torch.range(0, n * step - 1), 251):type(typeName):resize(n, step) end

describe('a copy of elements that lie apart', function()
  for _, typeName in ipairs(types) do
    it('takes those of a ' .. typeName .. ' and leaves what is around the result', function()
      for step = 2, 5 do
        for _, n in ipairs { 1, 2, 3, 15, 16, 17, 31, 33, 64, 65, 127, 130, 1000 } do
          local x = columnsOf(n, step, typeName)
          for column = 1, step do
            local shift = n % 3 + column
            local whole = torch.zeros(n + 6):type(typeName):fill(252)
            whole:narrow(1, shift, n):copy(x:select(2, column))
            local values = whole:storage()
            for i = 1, n + 6 do
              local k = i - shift
              local expected = (k >= 0 and k < n) and (k * step + column - 1) % 251 or 252
              if values[i] ~= expected then error(('%d of %d, %d, %d: %g, not %g'):format(i, n, step, column, values[i], expected)) end
            end
          end
        end
      end
    end)

    it('takes those of a ' .. typeName .. ' by streaming stores', function()
      local threads = torch.getnumthreads()
      local n = math.ceil(16.5 * 2 ^ 20 / torch.Tensor():type(typeName):elementSize())
      for step = 2, 4 do
        local x = columnsOf(n, step, typeName)
        torch.setnumthreads(step == 3 and 2 or 1)
        local copied = x:select(2, step):contiguous()
        torch.setnumthreads(threads)
        assert.is_true(torch.eq(copied, x:select(2, step)):min() == 1)
        for _, i in ipairs { 1, 2, math.floor(n / 2), n - 1, n } do assert.equal((i * step - 1) % 251, copied[i]) end
      end
    end)
  end
end)

-- Elements of a storage that tell their places: no two rows of up to 251 are alike.
local function marked(n, typeName) return torch.range(0, 250):type(typeName):repeatTensor(math.ceil(n / 251)):narrow(1, 1, n) end

describe('a copy of rows with gaps between them', function()
  local function rowsOf(x, from, rows, columns, apart)
    return x.new():set(x:storage(), from, torch.LongStorage { rows, columns }, torch.LongStorage { apart, 1 })
  end

  -- Memory around the rows keeps the value 252, which no element has.
  local function check(typeName, rows, columns, to, toApart, from, fromApart)
    local source = marked(from + rows * fromApart, typeName)
    local whole = torch.zeros(to + rows * toApart + 70):type(typeName):fill(252)
    rowsOf(whole, to, rows, columns, toApart):copy(rowsOf(source, from, rows, columns, fromApart))
    local place = 0
    for row = 0, rows - 1 do
      local start = to + row * toApart
      for i = place + 1, start - 1 do assert(whole[i] == 252, 'before row ' .. row) end
      for k = 0, columns - 1 do
        local expected = (from - 1 + row * fromApart + k) % 251
        if whole[start + k] ~= expected then error(('%s, %d x %d, column %d of row %d'):format(typeName, rows, columns, k, row)) end
      end
      place = start + columns - 1
    end
    for i = place + 1, whole:nElement() do assert(whole[i] == 252, 'behind the rows') end
  end

  for _, typeName in ipairs(types) do
    it('takes rows of 1 to 200 bytes and more, one after the other: ' .. typeName, function()
      local width = torch.Tensor():type(typeName):elementSize()
      for bytes = width, 200, width do check(typeName, 5, bytes / width, bytes % 7 + 1, bytes / width + bytes % 5, 3, bytes / width + 1) end
      for _, bytes in ipairs { 1016, 1024, 1032, 4096 } do check(typeName, 3, bytes / width, 2, bytes / width + 3, 1, bytes / width) end
    end)

    it('takes them by streaming stores: ' .. typeName, function()
      local width = torch.Tensor():type(typeName):elementSize()
      for _, bytes in ipairs { 1016, 1040 } do
        local columns = bytes / width
        check(typeName, math.ceil(16.2 * 2 ^ 20 / bytes), columns, 4, columns + 1, 2, columns + 2)
      end
    end)
  end

  it('keeps the last write if rows overlap, for tensors larger than the caches, too', function()
    for _, case in ipairs { { 7, 10, 3 }, { 40, 33, 16 }, { 4500, 1000, 400 } } do
      local rows, columns, apart = unpack(case)
      local source, whole = torch.range(1, rows * columns):float(), torch.FloatTensor(rows * apart + columns):zero()
      rowsOf(whole, 2, rows, columns, apart):copy(source:view(rows, columns))
      for i = 0, (rows - 1) * apart + columns - 1 do
        local row = math.min(math.floor(i / apart), rows - 1)
        if whole[i + 2] ~= row * columns + i - row * apart + 1 then error(('place %d of %d x %d'):format(i, rows, columns)) end
      end
    end
  end)
end)
