--- The transform that returns its argument: `distributions.identityTransform`.
-- @module distributions.identity_transform
return require 'distributions.ComposeTransform' {}
