--- Libraries of ops from C code in specs, compiled against the public headers as by users.
local files = require 'spec.support.files'

local folder, count

--- Compiles C code after the header, and returns the library's path.
-- @string text with declarations, and MT_EXTENSION_OPS
-- @tparam[opt='cc -std=c99'] string compiler with its options
-- @treturn string
return function(text, compiler)
  if not folder then
    folder, count = os.tmpname(), 0
    os.remove(folder)
    os.execute('mkdir ' .. folder)
  end
  count = count + 1
  local name = ('%s/ops%d'):format(folder, count)
  files.write(name .. '.c', '#include <math.h>\n#include <string.h>\n#include <moontorch/extension.h>\n' .. text)
  local pipe = io.popen(('%s -Wall -Werror -O1 -shared -fPIC -Iengine/include %s.c -o %s.so -lm 2>&1'):format(
    compiler or 'cc -std=c99', name, name))
  local complaints = pipe:read '*a'
  pipe:close()
  assert(complaints == '', complaints)
  return name .. '.so'
end
