--- Copies of every second, third, fourth and fifth element: every width, any number of elements, to any address, larger than the caches.
local torch = require 'torch'

local types = { 'torch.ByteTensor', 'torch.ShortTensor', 'torch.FloatTensor', 'torch.DoubleTensor' }

-- A table of `step` columns; each element tells its place, as far as the type has room.
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

    it('takes those of a ' .. typeName .. ' past the caches', function()
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
