-- Torch7's storages, row by row.
local facts = require 'spec.support.facts'

describe('a storage:', function()
  facts(it, [[
    #torch.LongStorage(), #torch.LongStorage(3)                     --> 0, 3
    torch.LongStorage{1, 2, 3}                                      --> LongStorage 1 2 3
    torch.ByteStorage{300, -1}                                      --> ByteStorage 44 255
    torch.FloatStorage{0.5}                                         --> FloatStorage 0.5
    torch.HalfStorage{1.5, 2}                                       --> HalfStorage 1.5 2
    torch.LongStorage{1, 'x'}                                       --> error: element at index 2 is not a number
    torch.LongStorage('x')                                          --> error: x
    torch.LongStorage(-1)                                           --> error: storage
    torch.DoubleStorage(torch.DoubleStorage{1, 2, 3})               --> DoubleStorage 1 2 3
    torch.DoubleStorage(torch.DoubleStorage{1, 2, 3}, 2)            --> DoubleStorage 2 3
    torch.DoubleStorage(torch.DoubleStorage{1, 2, 3}, 2, 1)         --> DoubleStorage 2
    local s = torch.DoubleStorage{1, 2, 3}; torch.DoubleStorage(s, 2)[1] = 9; return s --> DoubleStorage 1 9 3
    torch.DoubleStorage(torch.DoubleStorage{1, 2, 3}, 5)            --> error: offset out of bounds
    torch.DoubleStorage(torch.DoubleStorage{1, 2, 3}, 2, 3)         --> error: size out of bounds
    local s = torch.DoubleStorage{1, 2, 3}; return torch.DoubleStorage(s, 2):resize(9) --> error: Trying to resize storage that is not resizable
    torch.LongStorage{4, 5}[2], torch.LongStorage{4, 5}[1]          --> 5, 4
    torch.LongStorage{4}[2]                                         --> error: out of bounds
    torch.LongStorage{4}[0]                                         --> error: out of bounds
    torch.LongStorage{4}[-1]                                        --> error: out of bounds
    local s = torch.LongStorage{4}; s[2] = 1                        --> error: out of bounds
    local s = torch.IntStorage{4}; s[1] = 2.7; return s             --> IntStorage 2
    local s = torch.LongStorage{4}; s[1] = '7'; return s            --> LongStorage 7
    torch.LongStorage{4, 5}:size()                                  --> 2
    torch.LongStorage{1, 2}:fill(7)                                 --> LongStorage 7 7
    torch.LongStorage(2):copy(torch.DoubleStorage{1.5, 2.5})        --> LongStorage 1 2
    torch.LongStorage(2):copy(torch.LongStorage(3))                 --> error: size mismatch
    torch.LongStorage{1, 2, 3}:resize(2)                            --> LongStorage 1 2
    torch.LongStorage{1, 2}:resize(3):size()                        --> 3
    local s = torch.LongStorage{1}; return rawequal(s, s:resize(5)) --> true
    torch.LongStorage{1, 2}:totable()                               --> {1, 2}
    torch.LongStorage():elementSize(), torch.CharStorage():elementSize(), torch.HalfStorage():elementSize() --> 8, 1, 2
    torch.CharStorage():string('abc')                               --> CharStorage 97 98 99
    torch.CharStorage{104, 105}:string()                            --> hi
    torch.ByteStorage():string('a\0b'):string() == 'a\0b'           --> true
    torch.LongStorage():string()                                    --> error: string
    torch.LongStorage.new(2):size()                                 --> 2
    local s = torch.LongStorage{1}; return s.new{5}                 --> LongStorage 5
    torch.LongStorage{2, 3} == torch.LongStorage{2, 3}              --> false
    torch.type(torch.Storage(1))                                    --> torch.DoubleStorage
    torch.LongStorage{1}.foo                                        --> nil
    local s = torch.LongStorage{5}; s:retain(); s:free(); return s  --> LongStorage 5
    tonumber(torch.LongStorage{7}:data()[0])                        --> 7
    torch.LongStorage{9007199254740993LL}[1] == 9007199254740993LL  --> true
    torch.DoubleStorage(0)                                          --> DoubleStorage
    torch.DoubleStorage()                                           --> DoubleStorage
    torch.Tensor(torch.DoubleStorage()):dim() <= 1                  --> true
  ]])
end)

describe('a storage over memory of others:', function()
  local torch = require 'torch'
  local ffi = require 'ffi'
  local name
  before_each(function()
    name = os.tmpname()
    local file = io.open(name, 'wb')
    file:write '\1\0\0\0\2\0\0\0\3\0\0\0\4'
    file:close()
  end)
  after_each(function() os.remove(name) end)

  it('maps a file, privately by default', function()
    local private = torch.IntStorage(name)
    assert.same({ 1, 2, 3 }, private:totable())
    private[1] = 9
    assert.equal(1, torch.IntStorage(name)[1])
    local shared = torch.IntStorage(name, true)
    shared[1] = 7
    assert.equal(7, torch.IntStorage(name)[1])
    assert.equal(2, #torch.IntStorage(name, false, 2))
    assert.equal(100, #torch.ByteStorage(name, true, 100))
    assert.error_matches(function() private:resize(100) end, 'not resizable')
    assert.error_matches(function() torch.IntStorage(name .. 'x') end, 'unable to open file <.*> in read%-only mode')
    assert.error_matches(function() torch.IntStorage(name, 3) end, 'shared: number')
  end)

  it('shares memory by name', function()
    local memory = '/moontorch-spec-' .. name:match '[^/]*$'
    local one = torch.FloatStorage(memory, true, 4, true)
    one:fill(5)
    assert.same({ 5, 5, 5, 5 }, torch.FloatStorage(memory, true, 4, true):totable())
    os.remove('/dev/shm' .. memory)
  end)

  it('accepts the text of a number as a position', function()
    local s = torch.LongStorage { 4, 5 }
    s['1'] = '7'
    assert.same({ 7, 5 }, { s['1'], s['2'] })
    assert.is_nil(s.x)
    assert.error_matches(function() return s['3'] end, '3 is out of bounds 1..2')
    assert.error_matches(function() s.x = 1 end, 'string, expected a number')
  end)

  it('lies where a pointer points', function()
    local numbers = ffi.new('double[3]', 1, 2, 3)
    local s = torch.DoubleStorage(3, numbers)
    s[2] = 9
    assert.equal(9, numbers[1])
    assert.same({ 1, 9, 3 }, torch.Tensor(s):totable())
    local again = torch.DoubleStorage(3, tonumber(ffi.cast('intptr_t', numbers)))     -- Torch7 took addresses as numbers, too
    assert.same({ 1, 9, 3 }, again:totable())
    for _, bad in ipairs { 'x', 4, 1.5, 0 / 0 } do
      assert.error_matches(function() torch.DoubleStorage(3, bad) end, 'storage: pointer: ')
    end
  end)
end)
