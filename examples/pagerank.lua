-- PageRank of a sparse graph: `th examples/pagerank.lua`, and --help for more. Pages appear one after the other and link to earlier ones,
-- most often to those with many links. The rank of a page is how often a reader is there who follows a random link of each page, and with
-- probability 1 - damping begins anew at a random page; pages without links lead everywhere. Each step is one product with a sparse
-- matrix. Ranks of the first pages' own graph are compared with the solution of the linear system, whose matrix is dense; the last line
-- printed is in how many digits they agree.
-- Source: Page, Brin, Motwani, Winograd (1999), "The PageRank Citation Ranking", section 2.
local torch, plot = require 'torch', require 'plot'

local command = torch.CmdLine()
command:text 'PageRank by products with a sparse matrix: th examples/pagerank.lua'
command:option('--pages', 20000, 'pages of the graph')
command:option('--links', 8, 'links of each page')
command:option('--damping', 0.85, 'probability of following a link')
command:option('--seed', 1, 'of the graph')
command:option('--curve', 'pagerank.svg', "where the picture goes; '' draws none")

-- Returns sources and targets of links. Half of the targets are those of earlier links, so that linked pages gain more links.
local function grow(pages, links)
  local from, to, count = torch.LongTensor(pages * links), torch.LongTensor(pages * links), 0
  for page = 2, pages do
    for _ = 1, math.min(links, page - 1) do
      local isCopy = count > 0 and torch.uniform() < 0.5
      local target = isCopy and to[torch.random(count)] or torch.random(page - 1)
      if target ~= page then
        count = count + 1
        from[count], to[count] = page, target
      end
    end
  end
  return from:narrow(1, 1, count), to:narrow(1, 1, count)
end

-- Returns the matrix of transitions, from columns to rows, and a mask of the pages without links.
local function transitions(from, to, pages)
  local links = torch.sparse.coo(torch.cat(to:view(1, -1), from:view(1, -1), 1), torch.ones(from:size(1)), { pages, pages }):csr()
  local outgoing = links:sum(1):view(-1)
  local share = torch.cinv(torch.cmax(outgoing, 1))
  return torch.mm(links, torch.sparse.diags({ share }, { 0 }, { pages, pages }):csr()), outgoing:eq(0):double()
end

-- Returns the ranks, whose sum is 1, and the number of steps.
local function rank(matrix, ends, damping)
  local pages, steps, change = matrix:size(1), 0
  local ranks = torch.Tensor(pages):fill(1 / pages)
  repeat
    local elsewhere = (1 - damping + damping * torch.dot(ranks, ends)) / pages
    local following = (matrix * ranks):mul(damping):add(elsewhere)
    change, ranks, steps = torch.dist(following, ranks, 1), following, steps + 1
  until change < 1e-13 or steps == 1000
  return ranks, steps
end

local options = command:parse(arg or {})
torch.manualSeed(options.seed)
local from, to = grow(options.pages, options.links)
local matrix, ends = transitions(from, to, options.pages)
local ranks, steps = rank(matrix, ends, options.damping)
io.write(('%d pages, %d links: %d steps\n'):format(options.pages, matrix:nnz(), steps))
local best, places = torch.topk(ranks, 5, 1, true, true)
for i = 1, 5 do io.write(('page %5d has rank %.5f\n'):format(tonumber(places[i]), best[i])) end

if options.curve ~= '' then
  local sorted = torch.sort(ranks, 1, true)
  local shown = torch.unique(torch.logspace(0, math.log10(options.pages), 200):floor():long())
  local figure = plot.figure { width = 500, height = 380 }
  local axes = figure:subplot(1, 1, 1):plot(torch.log10(shown:double()), torch.log10(sorted:index(1, shown)), '.-')
  axes:title 'ranks of pages':xlabel 'log10 of the place':ylabel 'log10 of the rank':grid()
  figure:save(options.curve)
end

local few = math.min(300, options.pages)
local inside = from:le(few):nonzero():view(-1)
local part, partEnds = transitions(from:index(1, inside), to:index(1, inside), few)
local leading = part:dense() + torch.ger(torch.ones(few), partEnds) / few
local solved = torch.gesv(torch.Tensor(few, 1):fill((1 - options.damping) / few), torch.eye(few) - leading * options.damping):view(-1)
local difference = torch.abs(rank(part, partEnds, options.damping) - solved):max() / solved:max()
io.write(('the ranks agree in %.1f digits\n'):format(-math.log10(difference)))
