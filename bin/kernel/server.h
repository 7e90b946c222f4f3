// xeus's server with two things that it lacks: interrupts reach the main thread, and messages are published by one thread at a time.
#pragma once

#include <memory>

#include <xeus/xeus_context.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver.hpp>

namespace kernel {

/// For xeus::xkernel: the shell's requests are worked on in the calling thread, those of the control channel in another.
std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context, const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t errors);

}  // namespace kernel
