-- What CMake makes of a checkout without being told how.
local files = require 'spec.support.files'

describe('cmake without a preset', function()
  it('makes a release, as the preset does', function()
    if os.execute 'command -v cmake >/dev/null 2>&1' ~= 0 then return pending 'cmake is not here' end
    local folder = os.tmpname()
    os.remove(folder)
    assert.equal(0, os.execute(("cmake -S . -B '%s' >'%s.log' 2>&1"):format(folder, folder)))
    local cache = files.read(folder .. '/CMakeCache.txt')
    os.execute(("rm -rf '%s' '%s.log'"):format(folder, folder))
    assert.matches('\nCMAKE_BUILD_TYPE:STRING=Release\n', cache)
    assert.matches('\nCMAKE_CXX_FLAGS_RELEASE:STRING=%-O2\n', cache)
    assert.matches('\nCMAKE_C_FLAGS_RELEASE:STRING=%-O2\n', cache)
  end)
end)
