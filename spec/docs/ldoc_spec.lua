-- LDoc can read the comments in lua/.
it('ldoc reads every comment without a warning', function()
  if os.execute 'command -v ldoc >/dev/null' ~= 0 then return pending 'ldoc is not installed' end
  if (os.getenv 'MT_PRESET' or 'release') ~= 'release' then return pending 'LDoc runs no code of the library' end
  local folder = os.tmpname()
  os.remove(folder)
  local pipe = io.popen(('ldoc -q -d %s . 2>&1; echo $?; ls %s/modules | wc -l; rm -r %s'):format(folder, folder, folder))
  local said = pipe:read '*a'
  pipe:close()
  local complaints, status, modules = said:match '^reading configuration from config%.ld\n(.-)(%d+)\n(%d+)\n$'
  assert.equal('', complaints or said)
  assert.equal('0', status)
  assert.is_true(tonumber(modules) > 100)
end)
