-- Programs that load cwrap continue; those that would generate C with it get an error that names the alternative.
it('is there to be loaded, and says that it writes nothing', function()
  local wrap = require 'cwrap'
  assert.equal('table', type(wrap.types))
  assert.error_matches(function() wrap.CInterface.new() end, 'cwrap: C interfaces are not written here')
  assert.error_matches(function() wrap.CInterface:new() end, 'cwrap: C interfaces are not written here')
end)
