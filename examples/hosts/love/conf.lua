-- Settings of the program in main.lua, which LÖVE reads first.
function love.conf(t)      -- luacheck: ignore 113 112
  t.identity = 'moontorch'
  t.window.title = 'a network learns to paint'
  t.window.width, t.window.height = 768, 384
  t.modules.audio, t.modules.sound, t.modules.physics, t.modules.joystick, t.modules.video = false, false, false, false, false
end
