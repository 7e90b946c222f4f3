-- CIFAR's records by their known bytes, and batches that Python wrote.
local paths = require 'paths'
local files = require 'spec.support.files'
local cifar = require('data.readers').cifar
local pickles = require 'spec.data.readers.cifar_pickles'

local function record(labels, pixel)
  return labels .. string.char(pixel):rep(1024) .. string.char(pixel + 1):rep(1024) .. ('\9'):rep(1024)
end

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

describe('data.cifar.load', function()
  it('tells the formats apart by their sizes', function()
    files.write(name, record('\3', 10) .. record('\9', 20))
    local ten = cifar.load(name)
    assert.equal(2, ten.size)
    assert.same({ 2, 3, 32, 32 }, ten.data:size():totable())
    assert.same({ 3, 9 }, ten.label:totable())
    assert.same({ 20, 21, 9 }, { ten.data[2][1][1][1], ten.data[2][2][32][32], ten.data[2][3][5][5] })
    assert.equal('truck', cifar.classes[ten.label[2] + 1])
    files.write(name, record('\19\99', 10))
    local hundred = cifar.load(name)
    assert.same({ { 19 }, { 99 }, 10 }, { hundred.coarse:totable(), hundred.label:totable(), hundred.data[1][1][1][1] })
  end)

  it('reads lists of files, and folders', function()
    os.remove(name)
    paths.mkdir(name)
    for i = 1, 5 do files.write(('%s/data_batch_%d.bin'):format(name, i), record(string.char(i), 10 * i)) end
    files.write(name .. '/test_batch.bin', record('\0', 1))
    assert.same({ 1, 2, 3, 4, 5 }, cifar.load(name).label:totable())
    assert.same({ 0 }, cifar.load(name, { part = 'test' }).label:totable())
    assert.same({ 2, 0 }, cifar.load({ name .. '/data_batch_2.bin', name .. '/test_batch.bin' }).label:totable())
    paths.rmall(name, 'yes')
    paths.mkdir(name)
    assert.error_matches(function() cifar.load(name) end, 'has no data_batch_1.bin and no train.bin, expected the files of CIFAR')
    paths.rmall(name, 'yes')
  end)

  it('reports invalid input', function()
    files.write(name, 'short')
    assert.error_matches(function() cifar.load(name) end, 'expected a whole number of records of 3073 bytes .*, read a file of 5')
    files.write(name, record('\3', 10) .. record('\10', 20))
    assert.error_matches(function() cifar.load(name) end, 'at byte 3074: expected a label from 0 to 9 in record 2, read 10')
    assert.error_matches(function() cifar.load(name, { classes = 100 }) end, 'of 3074 bytes %(CIFAR%-100%), read a file of 6146 bytes')
    assert.error_matches(function() cifar.load(name, { classes = 7 }) end, 'data.cifar.load: classes: 7, expected 10 or 100')
    assert.error_matches(function() cifar.load {} end, 'an empty list, expected files')
  end)

  local function read(kind, options)
    files.write(name, pickles[kind])
    return cifar.load(name, options)
  end

  for _, kind in ipairs { 'ten', 'protocol2', 'protocol5' } do
    it(("reads CIFAR-10's batches for Python: %s"):format(kind), function()
      local found = read(kind)
      assert.same({ 2, { 3, 9 }, { 2, 3, 32, 32 } }, { found.size, found.label:totable(), found.data:size():totable() })
      assert.same({ 'torch.ByteTensor', 'torch.ByteTensor' }, { found.data:type(), found.label:type() })
      for i, row in ipairs { { 1, 2, 255 }, { 30, 40, 50 } } do
        for channel, value in ipairs(row) do
          assert.same({ value, value }, { found.data[i][channel]:min(), found.data[i][channel]:max() })
        end
      end
      assert.is_nil(found.coarse)
    end)
  end

  for _, kind in ipairs { 'hundred', 'protocol4' } do
    it(("reads CIFAR-100's batches for Python: %s"):format(kind), function()
      local found = read(kind, { classes = 100 })
      assert.same({ 2, { 99, 0 }, { 19, 5 } }, { found.size, found.label:totable(), found.coarse:totable() })
      assert.same({ 255, 50 }, { found.data[1][3][7][8], found.data[2][3][32][32] })
    end)
  end

  it('reads folders of batches for Python', function()
    os.remove(name)
    paths.mkdir(name)
    for i = 1, 5 do files.write(('%s/data_batch_%d'):format(name, i), pickles.ten) end
    files.write(name .. '/test_batch', pickles.protocol5)
    assert.same({ 10, { 3, 9 } }, { cifar.load(name).size, cifar.load(name, { part = 'test' }).label:totable() })
    paths.rmall(name, 'yes')
    paths.mkdir(name)
    files.write(name .. '/train', pickles.hundred)
    assert.same({ 99, 0 }, cifar.load(name).label:totable())
    paths.rmall(name, 'yes')
  end)

  it('says what is wrong with a batch for Python, and runs no code of it', function()
    local function fails(kind, message, options)
      assert.error_matches(function() read(kind, options) end, 'data.cifar.load: .*: at byte %d+: expected ' .. message)
    end
    fails('code', 'classes of PyTorch and Python that torch.pt knows, read builtins.print')
    fails('list', 'a dictionary, read a list')
    fails('floats', "'data', bytes of %[n, 3072%], read torch.FloatTensor of %[2, 3072%]")
    fails('narrow', "'data', bytes of %[n, 3072%], read torch.ByteTensor of %[2, 3071%]")
    fails('short', "'labels', a list of 2 labels, read a list of 1")
    fails('without', "'labels', a list of 2 labels, read nil")
    fails('wrong', "labels from 0 to 9 in 'labels', read 10 at 2")
    fails('ten', 'labels of CIFAR%-100, read those of CIFAR%-10', { classes = 100 })
    for _, size in ipairs { 1, 2, 100, 1000, #pickles.ten - 1 } do
      files.write(name, pickles.ten:sub(1, size))
      assert.error_matches(function() cifar.load(name) end, 'data.cifar.load: .*: at byte %d+: expected .*, read ')
    end
  end)
end)
