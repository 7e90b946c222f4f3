--- Copies of transposed tensors: every element width, sizes on both sides of each block, small and larger than the caches.
local torch = require 'torch'

local types = { 'torch.ByteTensor', 'torch.ShortTensor', 'torch.FloatTensor', 'torch.DoubleTensor' }

-- Position (i, j) of a rows x columns matrix holds a unique value, as far as the type can represent it.
local function numbered(rows, columns, typeName)
  local x = torch.range(0, rows * columns - 1):resize(rows, columns)
  return torch.remainder(x, 251):type(typeName)
end

local function checkCopy(rows, columns, typeName)
  local x = numbered(rows, columns, typeName)
  local y = x:t():contiguous()
  assert.same({ columns, rows }, y:size():totable())
  local from, to = x:storage(), y:storage()
  local step = math.max(1, math.floor(rows * columns / 2000))
  for k = 0, rows * columns - 1, step do
    local i, j = math.floor(k / columns), k % columns
    assert.equal(from[i * columns + j + 1], to[j * rows + i + 1], ('%d x %d %s at %d, %d'):format(rows, columns, typeName, i, j))
  end
  assert.is_true(torch.eq(y:t(), x):min() == 1)
end

describe('a transposed copy', function()
  for _, typeName in ipairs(types) do
    it('holds each element of a ' .. typeName .. ' in its place', function()
      for _, size in ipairs { { 8, 8 }, { 9, 13 }, { 64, 64 }, { 67, 130 }, { 1, 50 }, { 300, 11 }, { 1024, 200 }, { 2100, 70 } } do
        checkCopy(size[1], size[2], typeName)
      end
      local long = math.ceil(4.3e6 / torch.Tensor():type(typeName):elementSize() / 1000)
      checkCopy(1003, long, typeName)
    end)

    it('changes nothing around the part of a ' .. typeName .. ' that it fills, at any address', function()
      for _, size in ipairs { { 8, 9 }, { 17, 33 }, { 40, 64 }, { 70, 135 } } do
        local rows, columns = size[1], size[2]
        for shift = 1, 3 do
          local whole = torch.zeros(columns + 4, rows + 5):type(typeName):fill(253)
          local from = numbered(rows + 5, columns + 4, typeName):narrow(1, shift, rows):narrow(2, shift + 1, columns)
          whole:narrow(1, shift, columns):narrow(2, shift + 2, rows):copy(from:t())
          for i = 1, columns + 4 do
            for j = 1, rows + 5 do
              local row, column = j - shift - 1, i - shift + 1
              local inside = row >= 1 and row <= rows and column >= 1 and column <= columns
              local expected = inside and ((row + shift - 2) * (columns + 4) + column + shift - 1) % 251 or 253
              if whole[i][j] ~= expected then
                error(('%d x %d, shift %d: %g at %d, %d, not %g'):format(columns, rows, shift, whole[i][j], i, j, expected))
              end
            end
          end
        end
      end
    end)

    it('does so by streaming stores with a ' .. typeName, function()
      local threads, width = torch.getnumthreads(), torch.Tensor():type(typeName):elementSize()
      local rows = 1027 + 64 * 8 / width                       -- elements of a row of the result
      local columns = math.ceil(16.1 * 2 ^ 20 / width / rows)
      local from = numbered(rows, columns, typeName)
      for shift = 1, 3 do
        local whole = torch.zeros(columns + 4, rows + 5):type(typeName):fill(253)
        local part = whole:narrow(1, shift, columns):narrow(2, shift + 2, rows)
        torch.setnumthreads(shift == 1 and 2 or 1)
        part:copy(from:t())
        torch.setnumthreads(threads)
        for i = 1, rows, 64 do                                 -- part by part: comparing all at once takes its time
          local m = math.min(64, rows - i + 1)
          assert.is_true(torch.eq(part:narrow(2, i, m):contiguous(), from:narrow(1, i, m):t():contiguous()):min() == 1)
        end
        local inside = torch.ne(part, 253):double():sum()
        assert.equal(inside, torch.ne(whole, 253):double():sum())
      end
    end)
  end

  it('takes every matrix of a tensor with permuted dimensions, from and to it, with any number of threads', function()
    local sizes, threads = { 9, 10, 17, 11 }, torch.getnumthreads()
    local steps = { 10 * 17 * 11, 17 * 11, 11, 1 }
    local orders = { { 1, 3, 4, 2 }, { 4, 2, 3, 1 }, { 2, 1, 4, 3 }, { 3, 4, 1, 2 }, { 4, 3, 2, 1 }, { 2, 3, 4, 1 }, { 1, 4, 2, 3 } }
    for _, typeName in ipairs(types) do
      local x = torch.range(0, 9 * 10 * 17 * 11 - 1):fmod(251):type(typeName):resize(unpack(sizes))
      for _, order in ipairs(orders) do
        local turned = x:permute(unpack(order))
        torch.setnumthreads(order[1] == 1 and 1 or 3)
        local copied, back = turned:contiguous():storage(), torch.zeros(unpack(sizes)):type(typeName)
        back:permute(unpack(order)):copy(turned:contiguous())
        torch.setnumthreads(threads)
        local position = 0
        local function visit(dim, offset)
          if dim > 4 then
            position = position + 1
            if copied[position] ~= offset % 251 then error(('%s: %g, not %g'):format(typeName, copied[position], offset % 251)) end
            return
          end
          for i = 0, sizes[order[dim]] - 1 do visit(dim + 1, offset + i * steps[order[dim]]) end
        end
        visit(1, 0)
        assert.is_true(back:equal(x))
      end
    end
  end)

  it('into memory that rows share keeps the last write', function()
    local rows, columns, threads = 4000, 33, torch.getnumthreads()
    local source = torch.range(1, rows * columns)
    local last = source:narrow(1, (rows - 1) * columns + 1, columns)
    for count = 1, 3 do
      torch.setnumthreads(count)
      for _, typeName in ipairs { 'torch.DoubleTensor', 'torch.FloatTensor' } do
        for _, from in ipairs { source:view(rows, columns), source:view(rows, columns):t():contiguous():t() } do
          local shared = torch.zeros(columns):type(typeName)
          shared:view(1, columns):expand(rows, columns):copy(from)
          assert.is_true(torch.equal(last, shared:double()))
        end
      end
    end
    torch.setnumthreads(threads)
  end)
end)
