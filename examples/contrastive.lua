-- Learns without labels what distinguishes digits, by contrast: `th examples/contrastive.lua`, and --help for more. Of each digit the
-- network sees two views, turned, sheared and shifted at random, and learns to find the other one among those of all digits. Then a linear
-- classifier of its features learns from ten labelled digits of each kind. The last line printed is its accuracy on unseen digits, at least
-- 10 points above that of a linear classifier of pixels.
-- Source: Chen et al. (2020), "A Simple Framework for Contrastive Learning of Visual Representations" (SimCLR), ICML.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, nn, optim, data, plot = require 'torch', require 'nn', require 'optim', require 'data', require 'plot'
local digits = require 'digits.data'

local command = torch.CmdLine()
command:text 'Learns without labels what distinguishes digits: th examples/contrastive.lua'
command:option('--data', '', "folder with MNIST's files; '' draws digits")
command:option('--pictures', 8000, 'pictures to learn from, without labels')
command:option('--labelled', 10, 'labelled pictures of each digit')
command:option('--epochs', 6, 'passes over the pictures')
command:option('--batch', 128, 'digits a step, each with two views')
command:option('--width', 16, 'channels of the first convolution')
command:option('--temperature', 0.2, 'of similarities: less separates close ones more')
command:option('--lr', 2e-3, 'learning rate, falling to 0')
command:option('--seed', 1, 'of digits, weights and views')
command:option('--curve', 'contrastive.svg', "where the picture goes; '' draws none")

-- Pictures turned up to 20 degrees, sheared, of 75 to 125 % of their size in each direction, shifted up to 3 pixels, with a thicker or
-- thinner pen, each at random.
local function viewsOf(x)
  local count = x:size(1)
  local function between(low, high) return torch.Tensor(count):uniform(low, high) end
  local angle, shear, width, height = between(-0.35, 0.35), between(-0.4, 0.4), between(0.75, 1.25), between(0.75, 1.25)
  local cos, sin, maps = torch.cos(angle), torch.sin(angle), torch.Tensor(count, 2, 3)
  maps[{ {}, 1, 1 }], maps[{ {}, 1, 2 }] = torch.cmul(cos, width), torch.cmul(torch.cmul(shear, cos) - sin, height)
  maps[{ {}, 2, 1 }], maps[{ {}, 2, 2 }] = torch.cmul(sin, width), torch.cmul(torch.cmul(shear, sin) + cos, height)
  maps[{ {}, 1, 3 }], maps[{ {}, 2, 3 }] = between(-0.21, 0.21), between(-0.21, 0.21)
  local y = nn.functional.gridSample(x, nn.functional.affineGrid(maps, x:size()))
  return torch.pow(y:clamp(1e-4, 1), torch.exp(between(-0.6, 0.6)):view(-1, 1, 1, 1):expandAs(y))
end

-- How well the two views of each digit find each other: the cross-entropy of equation 1, over both directions.
local function contrast(first, second, temperature)
  local count = first:size(1)
  local z = nn.functional.normalize(torch.cat({ first, second }, 1), 2, 2)
  local similarities = torch.div(torch.mm(z, z:t()), temperature)
  local others = torch.add(similarities, -1e9, torch.eye(2 * count))              -- a view isn't compared with itself
  local partners = torch.cat(torch.range(count + 1, 2 * count), torch.range(1, count), 1):long()
  return nn.functional.crossEntropy(others, partners)
end

-- The accuracy on test rows, in percent, of softmax regression with a small penalty on weights, fitted to training rows by L-BFGS.
local function probe(rows, labels, testRows, testLabels)
  local mean, deviation = rows:mean(1), rows:std() + 1e-6
  local function scaled(x) return torch.add(x, -1, mean:expandAs(x)):div(deviation) end
  local net = nn.Linear(rows:size(2), 10):requiresGrad()
  local optimiser, x = optim.LBFGS(net:parameters(), { maxIter = 100, lineSearch = 'strongWolfe' }), scaled(rows)
  optimiser:step(function()
    optimiser:zeroGrad()
    local loss = nn.functional.crossEntropy(net(x), labels) + torch.mul(torch.sum(torch.pow(net.weight, 2)), 1e-3)
    loss:backward()
    return loss
  end)
  local best = torch.noGrad(function() return net(scaled(testRows)):argmax(2):view(-1) end)
  return 100 * torch.eq(best, testLabels):double():mean()
end

-- The first `count` pictures of each digit.
local function labelled(set, count)
  local places, seen = {}, {}
  for i = 1, set.labels:size(1) do
    local label = set.labels[i]
    seen[label] = (seen[label] or 0) + 1
    if seen[label] <= count then places[#places + 1] = i end
  end
  return torch.LongTensor(places)
end

local options = command:parse(arg or {})
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(options.seed)
local train, test = digits.sets(options.data, options.seed)
train = digits.first(train, options.pictures)
local function greyOf(set) return torch.div(set.images:float(), 255):view(-1, 1, 28, 28) end
local pictures, testPictures, places = greyOf(train), greyOf(test), labelled(train, options.labelled)
local labels, width = train.labels:index(1, places), options.width
local function conv(inputs, outputs)
  return nn.Sequential(nn.Conv2d(inputs, outputs, 3, { stride = 2, padding = 1, bias = false }), nn.BatchNorm2d(outputs), nn.ReLU())
end
local encoder = nn.Sequential(conv(1, width), conv(width, 2 * width), conv(2 * width, 4 * width), nn.Flatten()):requiresGrad()
local head = nn.Sequential(nn.Linear(64 * width, 128), nn.ReLU(), nn.Linear(128, 64)):requiresGrad()      -- features are taken before it
local net = nn.Sequential(encoder, head)

local function accuracy()
  encoder:eval()
  local function features(x) return torch.noGrad(function() return encoder(x) end) end
  local result = probe(features(pictures:index(1, places)), labels, features(testPictures), test.labels)
  encoder:training()
  return result
end

local pixels = probe(pictures:index(1, places):view(-1, 784), labels, testPictures:view(-1, 784), test.labels)
local epochs, losses, accuracies, of, timer = { 0 }, {}, { accuracy() }, { pixels }, torch.Timer()
io.write(('accuracy with %d labels: pixels %.1f %%, features of random weights %.1f %%\n'):format(labels:size(1), pixels, accuracies[1]))
local loader = data.DataLoader(data.TensorDataset(pictures), {
  batchSize = options.batch, shuffle = true, dropLast = true, seed = options.seed,
})
local optimiser = optim.Adam(net:parameters(), { learningRate = options.lr })
local schedule = optim.schedule.cosine(optimiser, { period = options.epochs })
for epoch = 1, options.epochs do
  local sum, count = 0, 0
  for batch in loader() do
    optimiser:zeroGrad()
    local loss = contrast(net(viewsOf(batch)), net(viewsOf(batch)), options.temperature)
    loss:backward()
    optimiser:step()
    sum, count = sum + loss:item(), count + 1
  end
  schedule:step()
  epochs[epoch + 1], losses[epoch], accuracies[epoch + 1], of[epoch + 1] = epoch, sum / count, accuracy(), pixels
  io.write(('epoch %2d  loss %.3f  accuracy %.1f %%, %.1f s\n'):format(epoch, sum / count, accuracies[epoch + 1], timer:time().real))
  io.flush()
end
if options.curve ~= '' then
  local figure = plot.figure { width = 800, height = 340 }
  figure:subplot(1, 2, 1):plot(torch.range(1, options.epochs), losses):title('loss [nats a view]'):xlabel('epoch'):grid()
  local axes = figure:subplot(1, 2, 2):title(('accuracy with %d labels [%%]'):format(labels:size(1))):xlabel('epoch'):grid()
  axes:plot(epochs, accuracies, { label = 'features' }):plot(epochs, of, { label = 'pixels' }):ylim(40, 100):legend { loc = 'lower right' }
  figure:save(options.curve)
end
io.write(('features %.1f %%, pixels %.1f %%\n'):format(accuracies[#accuracies], pixels))
