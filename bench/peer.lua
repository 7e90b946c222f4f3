-- A Python program that measures in turns with a benchmark: it answers lines on its standard input with a line each. The first argument of
-- the benchmark is the interpreter. `save FOLDER` makes it write matrices in compressed rows to NAME.npz: rows and columns, which count
-- from 1, and values.
local torch = require 'torch'

local peer = {}

-- Starts bench/SCRIPT, which writes its matrices. Returns an object with the functions ask(...), which sends words and returns the answer,
-- load(name), which returns a square matrix, and stop().
function peer.start(script)
  local folder = os.tmpname()
  os.remove(folder)
  os.execute('mkdir ' .. folder)
  local requests, answers = folder .. '/requests', folder .. '/answers'
  os.execute(('mkfifo %s %s; %s bench/%s <%s >%s &'):format(requests, answers, arg[1] or 'python3', script, requests, answers))
  local to, from = io.open(requests, 'w'), io.open(answers)
  local own = {}
  function own.ask(...)
    to:write(table.concat({ ... }, ' '), '\n')
    to:flush()
    return from:read '*l'
  end
  function own.load(name)
    local parts = torch.npz.load(('%s/%s.npz'):format(folder, name))
    local count = parts.rows:size(1) - 1
    return torch.sparse.csr(parts.rows, parts.columns, parts.values, { count, count })
  end
  function own.stop()
    to:close()
    os.execute('rm -r ' .. folder)
  end
  assert(own.ask('save', folder) == 'ok')
  return own
end

function peer.median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

return peer
