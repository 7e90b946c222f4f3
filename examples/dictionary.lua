-- Sparse coding: `th examples/dictionary.lua`, and --help for more. Patches of handwritten digits, synthetic or MNIST's, become sums of few
-- atoms out of a hundred. FISTA finds the sums: the z that minimises |x - z D|^2 / 2 + lambda |z|_1. Then the atoms, rows of D, improve one
-- after the other by least squares over all patches seen. They become strokes. The last line printed is what share of unseen patches'
-- variance the sums have, and what share as many principal components have. The picture shows the atoms, and patches with their sums.
-- Sources: Olshausen & Field (1996), "Emergence of simple-cell receptive field properties by learning a sparse code for natural images",
-- Nature 381; Mairal et al. (2010), "Online Learning for Matrix Factorization and Sparse Coding", JMLR 11, algorithms 1 and 2.
local here = arg and arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path

local torch, optim, plot = require 'torch', require 'optim', require 'plot'
require 'unsup'                                          -- x:shrinkage
local digits = require 'digits.data'

local command = torch.CmdLine()
command:text 'Learns the strokes that digits are made of: th examples/dictionary.lua'
command:option('--data', '', "folder with MNIST's files; '' draws digits")
command:option('--atoms', 100, 'columns of the dictionary')
command:option('--lambda', 1, 'cost of what an atom adds')
command:option('--steps', 60, 'batches to learn from')
command:option('--batch', 200, 'patches a batch')
command:option('--seed', 1, 'of patches')
command:option('--curve', 'dictionary.svg', "where the picture goes; '' draws none")
command:option('--threads', 1, 'number of threads')

local side = 10      -- of a patch

-- Patches (count, side^2) at random places that aren't empty, each minus its mean, in units of the deviation of all.
local function drawPatches(images, count)
  local patches, i = torch.Tensor(count, side * side), 1
  while i <= count do
    local picture = images[torch.random(images:size(1))]
    local top, left = torch.random(29 - side), torch.random(29 - side)
    local patch = picture:narrow(1, top, side):narrow(2, left, side):double():view(-1)
    if patch:std() > 30 then
      patches[i] = patch:add(-patch:mean())
      i = i + 1
    end
  end
  return patches:div(80)
end

-- The codes (n, atoms) of patches, by FISTA.
local function encode(x, dictionary, lambda)
  local gram = torch.mm(dictionary, dictionary:t())
  local L = torch.symeig(gram):max()                     -- the gradient's Lipschitz constant: no search for the length of steps
  local function smooth(z, wantsGradient)
    local difference = torch.mm(z, dictionary):csub(x)
    return torch.cmul(difference, difference):sum() / 2, wantsGradient and torch.mm(difference, dictionary:t()) or nil
  end
  local function cost(z) return lambda * torch.abs(z):sum() end
  local function shrink(z, l) z:shrinkage(lambda / l) end
  return (optim.FistaLS(smooth, cost, shrink, torch.zeros(x:size(1), dictionary:size(1)),
    { L = L, maxline = 0, maxiter = 60, errthres = 1e-3, doFistaUpdate = true }))
end

-- Mairal's algorithm 2: each atom (a row) in turn to the best one for the sums of all codes so far, of norm 1 at most.
local function improve(dictionary, codes, products)
  for j = 1, dictionary:size(1) do
    local weight = codes[j][j]
    if weight > 1e-6 then
      local atom = dictionary[j]
      atom:add(1 / weight, products[j] - torch.mv(dictionary:t(), codes[j]))
      atom:div(math.max(1, atom:norm()))
    end
  end
end

local function share(x, difference) return 100 * (1 - torch.cmul(difference, difference):sum() / torch.cmul(x, x):sum()) end

-- The share of the variance that the first k principal components have, for a fractional k.
local function shareOfComponents(x, k)
  local values = torch.sort(torch.symeig(torch.mm(x:t(), x)), 1, true)
  local whole = math.floor(k)
  return 100 * (values:narrow(1, 1, whole):sum() + (k - whole) * values[whole + 1]) / values:sum()
end

-- Tiles (n, side^2) as one picture, `columns` in a row, each scaled to its largest magnitude.
local function tiled(rows, columns)
  local n = rows:size(1)
  local picture = torch.ones(math.ceil(n / columns) * (side + 1) + 1, columns * (side + 1) + 1)
  for i = 0, n - 1 do
    local tile = (rows[i + 1] / torch.abs(rows[i + 1]):max()):view(side, side)
    local top, left = math.floor(i / columns) * (side + 1) + 2, i % columns * (side + 1) + 2
    picture:narrow(1, top, side):narrow(2, left, side):copy(tile)
  end
  return picture
end

local options = command:parse(arg or {})
torch.setnumthreads(options.threads)
torch.manualSeed(options.seed)
local train, test
if options.data == '' then
  train, test = digits.draw(2000, options.seed), digits.draw(500, options.seed + 1)
else
  train, test = digits.read(options.data)
end
local dictionary = drawPatches(train.images, options.atoms)
dictionary:cdiv(dictionary:norm(2, 2):expandAs(dictionary))
local codes, products = torch.zeros(options.atoms, options.atoms), torch.zeros(options.atoms, side * side)
local unseen = drawPatches(test.images, 1000)
local found, number
for step = 1, options.steps do
  local x = drawPatches(train.images, options.batch)
  local z = encode(x, dictionary, options.lambda)
  local past = 1 - 1 / step ^ 0.5                        -- forgets codes of early dictionaries
  codes:mul(past):addmm(z:t(), z)
  products:mul(past):addmm(z:t(), x)
  improve(dictionary, codes, products)
  if step % 20 == 0 or step == options.steps then
    local sums = encode(unseen, dictionary, options.lambda)
    found, number = share(unseen, unseen - torch.mm(sums, dictionary)), torch.ne(sums, 0):double():sum(2):mean()
    io.write(('%4d batches: %.1f %% of the variance by %.1f atoms\n'):format(step, found, number))
    io.flush()
  end
end
if options.curve ~= '' then
  local shown = unseen:narrow(1, 1, 20)
  local sums = torch.mm(encode(shown, dictionary, options.lambda), dictionary)
  local figure = plot.figure { width = 840, height = 440 }
  figure:subplot(1, 2, 1):imshow(tiled(dictionary, 10), { cmap = 'gray' }):title(('%d atoms'):format(options.atoms))
  local both = torch.cat(shown, sums, 2):view(40, -1)
  figure:subplot(1, 2, 2):imshow(tiled(both, 8), { cmap = 'gray' }):title 'patches, each with its sum of atoms'
  figure:save(options.curve)
end
io.write(('sums of %.1f atoms have %.1f %% of the variance, as many principal components %.1f %%\n'):format(number, found,
  shareOfComponents(unseen, number)))
