-- examples/digits.lua on 2,000 drawn digits (chance: 10 %): both styles learn the same, runs repeat to the last bit, a saved model
-- resumes, data files are checked.
local program = require 'spec.support.program'

local saved = os.tmpname()

local function run(...)
  local output, status, errors = program.run { 'examples/digits.lua', '--quick', '--threads', '1', '--save', saved, ... }
  return output, status, errors
end

local function lossOf(output) return output:match 'epoch 1  loss ([%d.]+)' end

local function write(name, bytes)
  local file = assert(io.open(name, 'wb'))
  file:write(bytes)
  file:close()
end

describe('examples/digits.lua', function()
  teardown(function()
    os.remove(saved)
    os.remove(saved .. '.svg')
  end)

  it('learns the same on the tape and by Torch7’s protocol, and ends with the accuracy', function()
    local tape, status, errors = run('--model', 'mlp', '--style', 'tape')
    assert.equal('', errors)
    assert.equal(0, status)
    local legacy = run('--model', 'mlp', '--style', 'legacy')
    assert.is_string(lossOf(tape))
    assert.equal(lossOf(tape), lossOf(legacy))
    local accuracy = tonumber(tape:match '\naccuracy ([%d.]+) %%\n$')
    assert.is_true(accuracy > 60)
    local again = run('--model', 'mlp', '--style', 'tape')
    assert.equal(accuracy, tonumber(again:match '\naccuracy ([%d.]+) %%\n$'))
    assert.equal(lossOf(tape), lossOf(again))
  end)

  it('trains the convolutional network', function()
    local output, status, errors = run()
    assert.equal('', errors)
    assert.equal(0, status)
    assert.is_true(tonumber(output:match '\naccuracy ([%d.]+) %%\n$') > 60)
  end)

  it('learns in 16 bits what it learns in 32', function()
    local plain = tonumber(lossOf(run('--model', 'mlp')))
    for _, precision in ipairs { 'bfloat16', 'float16' } do
      local tape, status, errors = run('--model', 'mlp', '--precision', precision)
      assert.equal('', errors)
      assert.equal(0, status)
      assert.is_true(tonumber(lossOf(tape)) ~= plain)
      assert.near(plain, tonumber(lossOf(tape)), 0.02 * plain)
      assert.equal(lossOf(tape), lossOf(run('--model', 'mlp', '--precision', precision, '--style', 'legacy')))
    end
    local _, status, errors = run('--precision', 'float64')
    assert.equal(2, status)
    assert.matches('%-%-precision: float64, expected float32, bfloat16 or float16', errors)
  end)

  it('continues from a saved model', function()
    run('--model', 'mlp')
    local output, status, errors = program.run {
      'examples/digits.lua', '--resume', saved, '--save', saved, '--epochs', '1', '--threads', '1', '--data', '/nonexistent',
    }
    assert.equal('', output)
    assert.equal(1, status)
    assert.matches('no t10k%-images%-idx3%-ubyte', errors)
    output = program.run { 'examples/digits.lua', '--resume', saved, '--quick', '--threads', '1' }
    assert.is_nil(lossOf(output))                            -- its one epoch was done
    assert.matches('accuracy %[%%%]', io.open(saved .. '.svg'):read '*a')
    assert.is_true(tonumber(output:match '\naccuracy ([%d.]+) %%\n$') > 60)
  end)

  it('reports invalid arguments', function()
    local _, status, errors = program.run { 'examples/digits.lua', '--model', 'rnn' }
    assert.equal(2, status)
    assert.matches('%-%-model: rnn, expected lenet or mlp', errors)
  end)
end)

describe('digits.data', function()
  local data, folder
  setup(function()
    package.path = 'examples/?.lua;' .. package.path
    data = require 'digits.data'
    folder = require('spec.support.files').folder()
  end)
  teardown(function() require('paths').rmall(folder, 'yes') end)

  local function files(images, labels)
    write(folder .. '/t10k-images-idx3-ubyte', images)
    write(folder .. '/t10k-labels-idx1-ubyte', labels)
  end

  it('reads pictures and labels, and refuses other headers, lengths and labels', function()
    local five = '\0\0\8\3\0\0\0\5\0\0\0\28\0\0\0\28' .. ('\7'):rep(5 * 784)
    files(five, '\0\0\8\1\0\0\0\5\7\2\1\0\9')
    local train, test = data.read(folder)
    assert.same({ 8, 3, 2, 1 }, train.labels:totable())
    assert.same({ 10 }, test.labels:totable())
    assert.equal(7, test.images[1][28][28])
    files(five, '\0\0\8\1\0\0\0\5\7\2\1\0')
    assert.error_matches(function() data.read(folder) end, 'expected 5 elements of 1 bytes')
    files(five .. 'x', '\0\0\8\1\0\0\0\5\7\2\1\0\9')
    assert.error_matches(function() data.read(folder) end, 'expected the end of the file after the last element')
    files(five, '\0\0\8\1\0\0\0\4\7\2\1\0')
    assert.error_matches(function() data.read(folder) end, 'pictures of 5 x 28 x 28 and labels of 4, expected N x 28 x 28 and N')
    files(five, '\0\0\8\1\0\0\0\5\7\2\1\0\10')
    assert.error_matches(function() data.read(folder) end, 'label 10, expected 0 to 9')
  end)
end)

describe('digits.strokes', function()
  it('draws the same picture for the same seed, and ink for every digit', function()
    local ffi = require 'ffi'
    package.path = 'examples/?.lua;' .. package.path
    local strokes = require 'digits.strokes'
    local size = strokes.side ^ 2
    local first, second = ffi.new('uint8_t[?]', size), ffi.new('uint8_t[?]', size)
    for digit = 0, 9 do
      strokes.draw(digit, first, strokes.source(digit))
      strokes.draw(digit, second, strokes.source(digit))
      assert.equal(ffi.string(first, size), ffi.string(second, size))
      local dark = 0
      for i = 0, size - 1 do
        if first[i] > 127 then dark = dark + 1 end
      end
      assert.is_true(dark > 20 and dark < 300)
    end
  end)
end)
