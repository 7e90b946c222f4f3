--- Runs a program as several processes of one shell, with a temporary folder of their own.
local files, program, shell = require 'spec.support.files', require 'spec.support.program', require 'spec.support.shell'

--- @int n number of processes; each has its number and n as arguments
-- @string code
-- @treturn {string,...} what each has written
-- @treturn string the names of the files that they have left in the folder
return function(n, code)
  local script, folder = program.script(code), os.tmpname()
  os.remove(folder)
  local each = ('TMPDIR=%s OMP_NUM_THREADS=1 %s %s $i %d >%s/out.$i 2>&1 &'):format(folder, program.path, script, n, folder)
  shell(('mkdir %s; for i in $(seq %d); do %s done; wait'):format(folder, n, each))
  local outputs = {}
  for i = 1, n do outputs[i] = files.read(('%s/out.%d'):format(folder, i)) end
  local left = shell(('ls %s | grep -v out; rm -r %s'):format(folder, folder))
  return outputs, left
end
