--- The registry's sweeps on the test device (spec/device), whose memory the host must not access: reading an element outside of a kernel
-- ends the process.
return require 'spec.support.on_device'('test_device', 'test')
