-- MNIST from files on this machine; here files of a few digits in its format.
local torch = require 'torch'
local paths = require 'paths'
local idx = require('data.readers').idx
local mnist = require 'mnist'

local folder
before_each(function()
  folder = paths.tmpname()
  os.remove(folder)
  paths.mkdir(folder)
end)
after_each(function() paths.rmall(folder, 'yes') end)

local function write(part, images, labels, ending)
  idx.save(('%s/%s-images-idx3-ubyte%s'):format(folder, part, ending or ''), images)
  idx.save(('%s/%s-labels-idx1-ubyte%s'):format(folder, part, ending or ''), labels)
end

describe('mnist', function()
  it('gives bytes, labels from 0, the size, and single digits', function()
    local images = torch.range(1, 3 * 28 * 28):byte():view(3, 28, 28)
    write('train', images, torch.ByteTensor { 5, 0, 9 })
    write('t10k', images:narrow(1, 1, 1), torch.ByteTensor { 7 }, '.gz')
    local train, test = mnist.traindataset(folder), mnist.testdataset(folder)
    assert.same({ 3, 1 }, { train.size, test.size })
    assert.is_true(torch.equal(images, train.data))
    assert.same({ 5, 0, 9 }, train.label:totable())
    assert.equal('torch.ByteTensor', train.data:type())
    assert.equal(9, train[3].y)
    train[3].x:fill(1)
    assert.equal(28 * 28, train.data[3]:sum())
    assert.equal(7, test[1].y)
    for _, i in ipairs { 0, 4, 1.5 } do
      assert.error_matches(function() return train[i] end, 'mnist: index: .*, expected a whole number from 1 to 3')
    end
    assert.is_nil(train.nothing)
  end)

  it('names the missing file and its folder', function()
    assert.error_matches(function() mnist.traindataset(folder) end,
      'mnist.traindataset: train%-images%-idx3%-ubyte%[.gz%] is not in .*; put the four files of MNIST there, or give the folder')
  end)

  it('finds the folder that the environment names; the earlier name counts where the new one is not set', function()
    write('train', torch.ByteTensor(3, 28, 28):zero(), torch.ByteTensor(3):zero())
    local getenv, variables = os.getenv, {}
    rawset(os, 'getenv', function(name) return variables[name] end)
    finally(function() rawset(os, 'getenv', getenv) end)
    variables.MNIST_DATA = folder
    assert.equal(3, mnist.traindataset().size)
    variables.MOONTORCH_MNIST_DATA, variables.MNIST_DATA = folder, folder .. '/nowhere'
    assert.equal(3, mnist.traindataset().size)
    variables.MOONTORCH_MNIST_DATA = folder .. '/nowhere'
    assert.error_matches(mnist.traindataset, 'is not in ' .. folder .. '/nowhere or ', 1, true)
  end)

  it('refuses labels for other images', function()
    write('train', torch.ByteTensor(3, 28, 28), torch.ByteTensor(2))
    assert.error_matches(function() mnist.traindataset(folder) end, 'expected as many bytes of labels as images of bytes')
  end)

  it("reads the digits' own files where they are", function()
    if not os.getenv 'MOONTORCH_MNIST_DATA' then return pending 'MOONTORCH_MNIST_DATA names no folder' end
    local test = mnist.testdataset()
    assert.equal(10000, test.size)
    assert.same({ 7, 2, 1, 0, 4 }, test.label:narrow(1, 1, 5):totable())
    assert.same({ 980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009 }, torch.bincount(test.label:long() + 1):totable())
  end)
end)
