-- Programs that load cwrap go on; those that would write C with it are told what is here instead.
it('is there to be loaded, and says that it writes nothing', function()
  local wrap = require 'cwrap'
  assert.equal('table', type(wrap.types))
  assert.error_matches(function() wrap.CInterface.new() end, 'cwrap: C interfaces are not written here')
  assert.error_matches(function() wrap.CInterface:new() end, 'cwrap: C interfaces are not written here')
end)
