-- The script of each state of states_test. The first state creates the shared objects and returns their addresses; all others write to
-- them.
local threads, shared = ...
local torch = require 'torch'
local tds = require 'tds'
local rounds = 40

-- Bytes that the first state holds throughout, and a bound on the garbage of all others together. Each state collects at about 7 MB, as if
-- it were alone. If it collected at half of the process's memory, it would keep all of the 160 MB that it drops.
local held, most = 600e6, 100e6

if shared == '' then
  kept = torch.FloatTensor(held / 4)      -- luacheck: ignore 111
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

for _ = 1, 400 do
  torch.FloatTensor(1e5)
  local garbage = torch.memory().live - held
  assert(garbage < most, ('%.0f MB of garbage beside what another state holds'):format(garbage / 1e6))
end

for i = 1, rounds do
  local place = counter:inc()
  x:narrow(1, place, 1):fill(1)                                  -- an element that no other state writes
  words[place] = tds.Hash { inner = tds.Vec('word'), noise = torch.randn(3):zero() }
  words.last = 'from round ' .. i
  assert(words[place].inner[1] == 'word' and words[place].noise:sum() == 0)
  if i % 10 == 0 then
    for key, value in pairs(words) do assert(key == 'last' or #value == 2) end
    collectgarbage()
  end
end
return 'done'
