-- What each state of states_test runs. The first one makes what is shared and returns the addresses; the others use it, compute, and
-- return what they computed, which has to be the same for all.
local threads, shared = ...
local torch = require 'torch'
local tds = require 'tds'
local rounds = 40

if shared == '' then
  local counter, words, x = tds.AtomicCounter(), tds.Hash(), torch.FloatTensor(threads * rounds):zero()
  for _ = 1, threads do
    tds.retain(counter)
    tds.retain(words)
    x:retain()
  end
  function check()      -- luacheck: ignore 111
    assert(counter:get() == threads * rounds, 'counter: ' .. counter:get())
    assert(#words == threads * rounds + 1, 'words: ' .. #words)
    assert(x:sum() == threads * rounds, 'tensor: ' .. x:sum())
    assert(words[1].inner:concat() == 'word')
  end
  words.last = 'x'
  return ('%.0f %.0f %.0f'):format(torch.pointer(counter), torch.pointer(words), torch.pointer(x))
end

local counterAt, wordsAt, tensorAt = shared:match '(%d+) (%d+) (%d+)'
local counter = torch.pushudata(tonumber(counterAt), 'tds.AtomicCounter')
local words = torch.pushudata(tonumber(wordsAt), 'tds.Hash')
local x = torch.pushudata(tonumber(tensorAt), 'torch.FloatTensor')

torch.manualSeed(7)
local results = {}
for i = 1, rounds do
  local place = counter:inc()
  x[place] = 1                                                   -- nobody else's element
  words[place] = tds.Hash { inner = tds.Vec('word'), noise = torch.randn(3):zero() }
  words.last = 'from round ' .. i
  local a, b = torch.randn(30, 40), torch.randn(40, 20)
  local product = torch.mm(a, b)
  local sorted = torch.sort(product:view(-1))
  local sums = torch.sum(torch.exp(product * 0.01), 1)
  local copy = torch.deserialize(torch.serialize { sorted, text = tostring(i) })
  local w = torch.randn(5, 5):requiresGrad()
  torch.sum(torch.cmul(w, w)):backward()
  local large = torch.randn(200000)                              -- enough for two threads
  if i % 10 == 0 then sums:add(torch.exp(large):sum() + torch.mm(torch.randn(128, 128), torch.randn(128, 128)):norm()) end
  results[i] = ('%.17g %.17g %s %.17g'):format(copy[1][1], sums:sum(), copy.text, w.grad:sum())
  if not pcall(torch.mm, a, a) and i % 10 == 0 then collectgarbage() end
end
return table.concat(results, ' ', rounds - 3)
