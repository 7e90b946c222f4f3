--- k-means clustering by Lloyd's iterations.
-- Source: Coates & Ng (2012), "Learning Feature Representations with K-means", for the start and the form of the distance.
-- @module unsup.kmeans
local torch = require 'torch'
local check = require 'torch.check'

local usualBatch = 1000

-- Adds each row of a batch to the sum of its nearest centroid, and counts it. The nearest centroid has the largest c.x - c.c / 2.
local function assign(batch, centroids, halfSquares, sums, counts)
  local scores = torch.mm(batch, centroids:t())
  scores:add(-1, halfSquares:view(1, -1):expandAs(scores))
  local _, nearest = torch.max(scores, 2)
  nearest = nearest:view(-1)
  sums:indexAdd(1, nearest, batch)
  counts:indexAdd(1, nearest, counts.new(batch:size(1)):fill(1))
end

local function startAt(x, k)
  local centroids = x.new(k, x:size(2)):normal()
  centroids:cdiv(centroids:norm(2, 2):expandAs(centroids))
  return centroids
end

local function iterate(x, centroids, batchsize)
  local sums, counts = centroids:clone():zero(), x.new(centroids:size(1)):zero()
  local halfSquares = torch.cmul(centroids, centroids):sum(2):mul(0.5)
  for first = 1, x:size(1), batchsize do
    assign(x:narrow(1, first, math.min(batchsize, x:size(1) - first + 1)), centroids, halfSquares, sums, counts)
  end
  for i = 1, centroids:size(1) do      -- the centroid of an empty cluster does not move
    if counts[i] > 0 then centroids[i]:copy(sums[i]):div(counts[i]) end
  end
  return counts
end

--- Finds k centroids of rows: drawn with norm 1, then moved to the means of the rows nearest to them.
-- @tparam torch.Tensor x (n, d) or (n, d1, d2, ...), floats
-- @int k centroids
-- @int[opt=1] niter iterations; there is no test for convergence
-- @int[opt] batchsize rows that are compared at once: 1000, or n
-- @tparam[opt] function callback (i, centroids, counts), called before the first iteration with i = 0, and after each; a true result stops
-- @tparam[opt] boolean verbose shows a progress bar
-- @treturn torch.Tensor centroids (k, d1, d2, ...)
-- @treturn torch.Tensor counts (k): rows of each centroid, summed over the iterations
return function(x, k, niter, batchsize, callback, verbose)
  check.that(x ~= nil and k ~= nil, 'missing argument: centroids,count = unsup.kmeans(data, k, niter, batchsize, callback, verbose)')
  check.tensor('unsup.kmeans', 'x', x)
  check.that(x:isFloatingPoint() and x:dim() >= 2 and x:nElement() > 0,
    ('unsup.kmeans: x: %s with %d dimensions, expected rows of floats'):format(torch.typename(x), x:dim()))
  k = check.whole('unsup.kmeans', 'k', k, { min = 1 })
  niter = check.whole('unsup.kmeans', 'niter', niter == nil and 1 or niter, { min = 0 })
  local rows = x:contiguous():view(x:size(1), -1)
  batchsize = check.whole('unsup.kmeans', 'batchsize', batchsize == nil and math.min(usualBatch, rows:size(1)) or batchsize, { min = 1 })
  local sizes = x:size()
  sizes[1] = k

  local centroids = startAt(rows, k)
  local total = rows.new(k):zero()
  local shaped = centroids:view(sizes)
  if callback and callback(0, shaped, total) then return shaped, total end
  for i = 1, niter do
    if verbose then require('xlua').progress(i, niter) end
    total:add(iterate(rows, centroids, batchsize))
    if callback and callback(i, shaped, total) then break end
  end
  return shaped, total
end
