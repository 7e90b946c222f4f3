// The ops of this library, each declared in a separate file.
#pragma once

#include <moontorch/extension.h>

extern const mt_op_decl ema, ema_grad, every, pseudo_huber;
