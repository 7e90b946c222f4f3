--- The registry's sweeps on the test device (spec/device), whose memory the host may not touch: whatever reads an element of it outside of
-- a kernel ends the process.
return require 'spec.support.on_device'('test_device', 'test')
