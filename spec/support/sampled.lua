--- The part of a sweep that runs under the sanitizers: every second op, the other ones with the next commit, because these runs take
-- several times as long. MT_SPEC_SAMPLE=0 or 1 chooses; MT_SPEC_SAMPLE=all runs all, as other builds do.
local preset = os.getenv 'MT_PRESET' or 'release'
local sample = os.getenv 'MT_SPEC_SAMPLE'

local function commits()
  local git = io.popen 'git rev-list --count HEAD 2>&1'
  local count = tonumber(git:read '*a')
  git:close()
  return count or 0
end

local turn
if (preset == 'asan' or preset == 'tsan') and sample ~= 'all' then turn = (tonumber(sample) or commits()) % 2 end

--- Returns whether element i of a sweep runs.
-- @int i
return function(i) return not turn or i % 2 == turn end
