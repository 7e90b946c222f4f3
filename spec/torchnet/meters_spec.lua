-- torchnet's meters against figures computed by hand.
local torch, tnt = require 'torch', require 'torchnet'
local assertClose = require('spec.support.close').within(1e-12)

describe('a meter that is made with an empty table', function()
  it('has all defaults', function()
    local output, target = torch.Tensor { 0.9, 0.6, 0.4, 0.1 }, torch.Tensor { 1, 0, 1, 0 }
    for _, name in ipairs { 'PrecisionMeter', 'RecallMeter' } do
      local meter = tnt[name] {}
      meter:add(output, target)
      assertClose(50, meter:value(0.5))
    end
    local rank = tnt.ClassErrorMeter {}
    rank:add(torch.Tensor { { 1, 2 } }, torch.Tensor { 2 })
    assert.equal(0, rank:value(1))
    assert.same({ { 1 }, { 10 } }, { tnt.NDCGMeter({}).K, tnt.PrecisionAtKMeter({}).topk })
  end)
end)

describe("torchnet's meters", function()
  it('average numbers', function()
    local meter = tnt.AverageValueMeter()
    assert.is_true(meter:value() ~= meter:value())
    meter:add(2)
    local mean, deviation = meter:value()
    assert.equal(2, mean)
    assert.is_true(deviation ~= deviation)
    meter:add(4, 2)
    meter:add { value = 6 }
    mean, deviation = meter:value()
    assertClose(4, mean)
    assertClose(math.sqrt(8 / 3), deviation)
    meter:reset()
    meter:add(1)
    assertClose(1, (meter:value()))
  end)

  it('average the last numbers', function()
    local meter = tnt.MovingAverageValueMeter { windowsize = 3 }
    for i = 1, 5 do meter:add(i) end
    local mean, deviation = meter:value()
    assertClose(4, mean)
    assertClose(1, deviation)
  end)

  it('count errors among the best k', function()
    local meter = tnt.ClassErrorMeter { topk = { 1, 2 } }
    meter:add(torch.Tensor { { 0.5, 0.3, 0.2 }, { 0.1, 0.2, 0.7 }, { 0.1, 0.5, 0.4 }, { 0.4, 0.5, 0.1 } }, torch.LongTensor { 1, 2, 1, 2 })
    assertClose(50, meter:value(1))
    assertClose(25, meter:value { k = 2 })
    assert.same({ [1] = 50, [2] = 25 }, meter:value())
    meter:add(torch.Tensor { 0, 1, 0 }, 2)
    assertClose(40, meter:value(1))
    assert.error_matches(function() meter:value(3) end, 'invalid k')
    local accuracy = tnt.ClassErrorMeter({ 1 }, true)
    accuracy:add(torch.eye(2), torch.LongTensor { 1, 1 })
    assertClose(50, accuracy:value(1))
    assert.error_matches(function() meter:add(torch.eye(3), torch.LongTensor { 1 }) end, 'target: 1 classes')
  end)

  it('count which classes are taken for which', function()
    local meter = tnt.ConfusionMeter { k = 2 }
    meter:add(torch.Tensor { { 0.9, 0.1 }, { 0.2, 0.8 }, { 0.6, 0.4 } }, torch.LongTensor { 1, 2, 2 })
    meter:add(torch.LongTensor { 1 }, torch.LongTensor { 1 })
    assert.same({ { 2, 0 }, { 1, 1 } }, meter:value():totable())
    local shares = tnt.ConfusionMeter(2, true)
    shares:add(torch.LongTensor { 1, 1, 2 }, torch.LongTensor { 2, 2, 2 })
    assertClose(2 / 3, shares:value()[2][1])
    assert.equal(0, shares:value()[1][1])
    assert.error_matches(function() meter:add(torch.LongTensor { 3 }, torch.LongTensor { 1 }) end, 'output: class 3')
  end)

  it('share wrong ones of several classes', function()
    local meter = tnt.MultiLabelConfusionMeter { k = 3, normalized = false }
    meter:add(torch.Tensor { { 0.9, 0.8, 0.1 } }, torch.Tensor { { 1, 0, 1 } })
    assert.same({ { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } }, meter:value():totable())
    meter:add(torch.Tensor { { 0.1, 0.2, 0.9 } }, torch.Tensor { { 1, 1, 0 } })      -- 3 instead of 1 or 2; 2 rightly
    assert.same({ { 1, 0, 1 }, { 0, 1, 0 }, { 0, 1, 0 } }, meter:value():totable())
  end)

  it('measure the area under the curve', function()
    local meter = tnt.AUCMeter()
    meter:add(torch.Tensor { 0.9, 0.6 }, torch.Tensor { 1, 0 })
    meter:add(torch.Tensor { 0.8, 0.7 }, torch.Tensor { 0, 1 })
    local area, tpr, fpr = meter:value()
    assertClose(0.75, area)      -- of 4 pairs of a positive and a negative sample, 3 are in order
    assert.same({ 0, 0.5, 0.5, 1, 1 }, tpr:totable())
    assert.same({ 0, 0, 0.5, 0.5, 1 }, fpr:totable())
  end)

  it('measure average precision', function()
    local meter, mean = tnt.APMeter(), tnt.mAPMeter()
    local scores = torch.Tensor { { 0.9, 0.1 }, { 0.8, 0.2 }, { 0.7, 0.3 }, { 0.6, 0.4 } }
    local targets = torch.Tensor { { 1, 1 }, { 0, 0 }, { 1, 0 }, { 0, 0 } }
    meter:add(scores, targets)
    mean:add { output = scores, target = targets }
    assertClose((1 + 2 / 3) / 2, meter:value()[1])
    assertClose(1 / 4, meter:value()[2])
    assertClose((5 / 6 + 1 / 4) / 2, mean:value())
    meter:reset()
    meter:add(scores:select(2, 1), targets:select(2, 1), torch.Tensor { 1, 3, 2, 5 })
    assertClose((1 + 3 / 6) / 2, meter:value()[1])
    assert.error_matches(function() meter:add(scores, targets * 2) end, 'target: expected 0 and 1')
  end)

  it('measure precision and recall at thresholds', function()
    local output, target = torch.Tensor { { 0.9, 0.6 }, { 0.4, 0.7 }, { 0.8, 0.2 } }, torch.Tensor { { 1, 0 }, { 1, 1 }, { 0, 1 } }
    local precision, recall = tnt.PrecisionMeter { threshold = { 0.5, 0.75 } }, tnt.RecallMeter { threshold = { 0.5 }, perclass = true }
    precision:add(output, target)
    recall:add(output, target)
    assertClose(50, precision:value(0.5))
    assertClose(50, precision:value { t = 0.75 })
    assert.same({ 50, 50 }, recall:value(0.5):totable())
    recall:add(torch.Tensor { { 0.9, 0.9 } }, torch.Tensor { { 1, 1 } })
    assertClose(200 / 3, recall:value(0.5)[1])
    assert.error_matches(function() recall:value(0.3) end, 'incorrect threshold')
  end)

  it('measure precision among the best k', function()
    local meter = tnt.PrecisionAtKMeter { topk = { 1, 2 } }
    meter:add(torch.Tensor { { 0.9, 0.8, 0.1 }, { 0.1, 0.2, 0.9 } }, torch.Tensor { { 1, 0, 1 }, { 0, 1, 1 } })
    assertClose(100, meter:value(1))
    assertClose(75, meter:value { k = 2 })
    local online = tnt.PrecisionAtKMeter { topk = { 2 }, online = true }
    online:add(torch.Tensor { { 0.5, 0.4 } }, torch.Tensor { { 1, 0 } })
    assertClose(50, online:value(2))
    online:add(torch.Tensor { { 0.9, 0.1 } }, torch.Tensor { { 1, 0 } })
    assertClose(100, online:value(2))
  end)

  it('measure gains of rankings', function()
    local meter = tnt.NDCGMeter { K = { 1, 3 } }
    meter:add(torch.Tensor { 0.9, 0.8, 0.7 }, torch.Tensor { 1, 3, 2 })
    assertClose(1 / 3, meter:value(1))
    assertClose((1 + 3 + 2 / (math.log(3) / math.log(2))) / (3 + 2 + 1 / (math.log(3) / math.log(2))), meter:value { k = 3 })
  end)

  it('measure squared errors and time', function()
    local mse, root = tnt.MSEMeter(), tnt.MSEMeter { root = true }
    for _, meter in ipairs { mse, root } do
      meter:add(torch.Tensor { 1, 2 }, torch.Tensor { 1, 4 })
      meter:add(torch.Tensor { 0, 0 }, torch.Tensor { 2, 1 })
    end
    assertClose(9 / 4, mse:value())
    assertClose(3 / 2, root:value())
    local time = tnt.TimeMeter { unit = true }
    time:stop()
    local total = time:value() * 0
    time:incUnit()
    time:incUnit(3)
    local once = time:value()
    assert.is_true(total ~= total and once >= 0 and once == time:value())
    time:resume()
    assert.is_true(time:value() >= once)
  end)
end)
