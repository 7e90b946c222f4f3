-- MT_MINIMAL: the names of what is left out come from the declarations.
local files = require 'spec.support.files'

describe('cmake/families.cmake', function()
  it('lists the ops that left out families declare, aliases and those of macros, too', function()
    if os.execute 'command -v cmake >/dev/null 2>&1' ~= 0 then return pending 'cmake is not here' end
    local output = os.tmpname()
    local absent = 'engine/ops/linalg-inl.h;engine/ops/bits-inl.h'
    local status = os.execute(("cmake '-DOUTPUT=%s' -DSOURCES= '-DABSENT=%s' -P cmake/families.cmake"):format(output, absent))
    local written = files.read(output)
    os.remove(output)
    assert.equal(0, status)
    local names = {}
    for name in written:match 'names = {(.-)}':gmatch '"(.-)"' do names[name] = true end
    for _, name in ipairs { 'svd', 'inverse', 'inv', 'cholesky', 'potrf', 'bitand', 'cbitand', 'lshift', 'clshift' } do
      assert.is_true(names[name], name)
    end
    assert.is_nil(names.exp)
    assert.is_nil(names['and'])
  end)
end)
