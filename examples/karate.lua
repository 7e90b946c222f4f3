-- A network on a graph: `th examples/karate.lua`, and --help for more. The graph: 34 members of a karate club, and who met whom outside of
-- it. When the teacher (member 1) and the president (member 34) fell out, the club split. A graph convolutional network learns from these
-- two alone which way each other member went: it knows nothing of them but whom they met. The last line printed is how many of the 34 are
-- right, on average over several draws of weights. The picture shows members who met near each other, by eigenvectors of the graph; the
-- colour is the mean probability that a member went with the teacher. Red numbers are wrong.
-- Sources: Kipf & Welling (2017), "Semi-Supervised Classification with Graph Convolutional Networks", ICLR, equation 2; the data: Zachary
-- (1977), "An Information Flow Model for Conflict and Fission in Small Groups", Journal of Anthropological Research 33.
local torch, nn, optim, plot = require 'torch', require 'nn', require 'optim', require 'plot'

local command = torch.CmdLine()
command:text 'Which way the members of a karate club went, by a network on a graph: th examples/karate.lua'
command:option('--draws', 10, 'networks, each with other weights')
command:option('--steps', 200, 'steps of each')
command:option('--hidden', 8, 'features of a member in the first layer')
command:option('--lr', 0.02, 'learning rate')
command:option('--seed', 1, 'of weights')
command:option('--curve', 'karate.svg', "where the picture goes; '' draws none")

-- Whom each member met, of those with larger numbers.
local met = {
  [1] = { 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32 }, [2] = { 3, 4, 8, 14, 18, 20, 22, 31 },
  [3] = { 4, 8, 9, 10, 14, 28, 29, 33 }, [4] = { 8, 13, 14 }, [5] = { 7, 11 }, [6] = { 7, 11, 17 }, [7] = { 17 }, [9] = { 31, 33, 34 },
  [10] = { 34 }, [14] = { 34 }, [15] = { 33, 34 }, [16] = { 33, 34 }, [19] = { 33, 34 }, [20] = { 34 }, [21] = { 33, 34 },
  [23] = { 33, 34 }, [24] = { 26, 28, 30, 33, 34 }, [25] = { 26, 28, 32 }, [26] = { 32 }, [27] = { 30, 34 }, [28] = { 34 },
  [29] = { 32, 34 }, [30] = { 33, 34 }, [31] = { 33, 34 }, [32] = { 33, 34 }, [33] = { 34 },
}
local withTeacher = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22 }      -- after the split
local members, teacher, president = 34, 1, 34

-- D^-1/2 (A + I) D^-1/2, where D has the sums of the rows of A + I on its diagonal.
local function normalised()
  local a = torch.eye(members)
  for i, others in pairs(met) do
    for _, j in ipairs(others) do a[i][j], a[j][i] = 1, 1 end
  end
  local scale = torch.rsqrt(a:sum(2))
  return torch.cmul(torch.cmul(a, scale:expandAs(a)), scale:t():expandAs(a))
end

-- A layer: a linear map of each member's features, then sums over the members that it met.
local GraphConvolution = torch.class('karate.GraphConvolution', 'nn.Module', {})

function GraphConvolution:__init(graph, inputs, outputs)
  self.graph = graph
  self.linear = nn.Linear(inputs, outputs)
end

function GraphConvolution:forward(x) return torch.mm(self.graph, self.linear(x)) end

-- Learns from two members. Returns the probabilities (34, 2) that members went with the teacher or stayed with the president.
local function learn(graph, options)
  local net = nn.Sequential(GraphConvolution.new(graph, members, options.hidden), nn.Tanh(),
    GraphConvolution.new(graph, options.hidden, 2)):requiresGrad()
  local x, known = torch.eye(members), torch.LongTensor { teacher, president }      -- a member's only feature is who it is
  local optimiser = optim.AdamW(net:parameters(), { learningRate = options.lr, weightDecay = 0.01 })
  for _ = 1, options.steps do
    optimiser:zeroGrad()
    nn.functional.crossEntropy(torch.index(net(x), 1, known), torch.LongTensor { 1, 2 }):backward()
    optimiser:step()
  end
  return torch.noGrad(function() return torch.softmax(net(x), 2) end)
end

local function draw(name, graph, probabilities, truth)
  local _, vectors = torch.symeig(graph, 'V')      -- in the order of rising eigenvalues
  local x, y = vectors:select(2, members - 1), vectors:select(2, members - 2)
  local figure = plot.figure { width = 640, height = 440 }
  local axes = figure:subplot(1, 1, 1)
  for i, others in pairs(met) do
    for _, j in ipairs(others) do
      axes:plot(torch.Tensor { x[i], x[j] }, torch.Tensor { y[i], y[j] }, { color = 'lightgray', linewidth = 0.6 })
    end
  end
  axes:scatter(x, y, { c = probabilities:select(2, 1), s = 70, cmap = 'coolwarm' })
  for i = 1, members do
    local isRight = (probabilities[i][1] > 0.5) == (truth[i] == 1)
    if not isRight or i == teacher or i == president then
      axes:text(x[i], y[i], '  ' .. i, { size = 9, color = isRight and 'black' or 'red' })
    end
  end
  axes:title('Who went with member 1 (red), who stayed with 34 (blue)')
  figure:save(name)
end

local options = command:parse(arg or {})
torch.manualSeed(options.seed)
local truth = torch.LongTensor(members):fill(2):indexFill(1, torch.LongTensor(withTeacher), 1)
local graph, mean, sum, least = normalised(), torch.zeros(members, 2), 0, members
for _ = 1, options.draws do
  local probabilities = learn(graph, options)
  local right = torch.eq(probabilities:argmax(2):view(-1), truth):sum()
  sum, least = sum + right, math.min(least, right)
  mean:add(1 / options.draws, probabilities)
end
if options.curve ~= '' then draw(options.curve, graph, mean, truth) end
io.write(('%.1f of 34 members are right, %d at least\n'):format(sum / options.draws, least))
