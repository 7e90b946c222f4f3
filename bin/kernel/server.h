// xeus's server with two additions: interrupts reach the main thread, and one thread at a time publishes messages.
#pragma once

#include <memory>

#include <xeus/xeus_context.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver.hpp>

namespace kernel {

/// For xeus::xkernel: the calling thread handles requests of the shell channel, another thread those of the control channel.
std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context, const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t errors);

}  // namespace kernel
