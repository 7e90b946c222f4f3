-- Runs random programs (programs.lua): `build/asan/bin/th spec/fuzz/run_programs.lua FIRST LAST [STEPS]`, from the root of the repository.
-- The first half is interpreted, and has finalisers; the second is compiled. MT_FUZZ_LOG names a file for the call in progress.
local torch = require 'torch'
local lfs = require 'lfs'
local programs = require 'spec.fuzz.programs'

local first, last, steps = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3] or 200)
local folder, scratch, shown = lfs.currentdir(), os.tmpname(), print
os.remove(scratch)
assert(lfs.mkdir(scratch))      -- names of files are among the arguments
package.path = ('%s/?.lua;%s'):format(folder, package.path)
assert(lfs.chdir(scratch))
rawset(_G, 'print', function() end)

jit.off()
local made = 0
for seed = first, last do
  if seed > (first + last) / 2 then jit.on() end
  made = made + programs.run(seed, steps)
  collectgarbage()
  collectgarbage()
end
rawset(_G, 'print', shown)
for name in lfs.dir(scratch) do os.remove(scratch .. '/' .. name) end
lfs.chdir(folder)
lfs.rmdir(scratch)
assert(torch.memory().live < 2 ^ 20, torch.memory().live .. ' bytes are in use')
print(made .. ' calls')
