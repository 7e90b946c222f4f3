-- CIFAR's records by their known bytes.
local paths = require 'paths'
local files = require 'spec.support.files'
local cifar = require('data.readers').cifar

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
end)
