// A server that wraps xeus's server: all messages pass through it.
#include "server.h"

#include <chrono>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <xeus/xserver_shell_main.hpp>

#include "signals.h"
#include "turn.h"

namespace kernel {
namespace {

class Server final : public xeus::xserver {
 public:
  explicit Server(std::unique_ptr<xeus::xserver> inner) : inner_(std::move(inner)) {
    inner_->register_shell_listener([this](xeus::xmessage message) {
      const std::lock_guard<std::mutex> mine(turn());
      guarded([&] {
        type_of(message);
        notify_shell_listener(std::move(message));
      });
    });
    inner_->register_control_listener([this](xeus::xmessage message) {
      guarded([&] {
        const std::string type = type_of(message);
        if (!is_for_control(type)) throw std::invalid_argument(type + " on the control channel");
        if (type == "interrupt_request") interrupt_group();
        if (type == "shutdown_request") end_running();
        notify_control_listener(std::move(message));
      });
    });
    inner_->register_stdin_listener([this](xeus::xmessage message) { notify_stdin_listener(std::move(message)); });
    inner_->register_internal_listener([this](nlohmann::json message) { return notify_internal_listener(std::move(message)); });
  }

 private:
  /// Interrupts the running code, so that the process can end: twice, because no pcall catches the second interrupt.
  static void end_running() {
    interrupt_main();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupt_main();
  }

  /// Whether a thread other than Lua's can handle a request.
  static bool is_for_control(const std::string& type) {
    return type == "interrupt_request" || type == "shutdown_request" || type == "kernel_info_request" || type == "debug_request";
  }

  /// The type of a message. Throws if it is invalid by Jupyter's protocol.
  static std::string type_of(const xeus::xmessage& message) {
    if (!message.header().is_object()) throw std::invalid_argument("its header is no object");
    if (!message.content().is_object()) throw std::invalid_argument("its content is no object");
    if (!message.header().contains("msg_id")) throw std::invalid_argument("its header has no msg_id");
    return message.header().value("msg_type", "");
  }

  /// Clients write messages: an invalid one must not end the process.
  static void guarded(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::exception& error) {
      std::cerr << "moontorch-kernel: a message was refused: " << error.what() << std::endl;
    }
  }

  xeus::xcontrol_messenger& get_control_messenger_impl() override { return inner_->get_control_messenger(); }
  void send_shell_impl(xeus::xmessage message) override { inner_->send_shell(std::move(message)); }
  void send_control_impl(xeus::xmessage message) override { inner_->send_control(std::move(message)); }
  /// xeus 2.4 sends the field `password` of the protocol as `pwd`.
  void send_stdin_impl(xeus::xmessage message) override {
    nlohmann::json content = message.content();
    if (content.contains("pwd")) content["password"] = content["pwd"];
    inner_->send_stdin({message.identities(), message.header(), message.parent_header(), message.metadata(), std::move(content),
                        std::move(message).buffers()});
  }
  void publish_impl(xeus::xpub_message message, xeus::channel channel) override { inner_->publish(std::move(message), channel); }
  void start_impl(xeus::xpub_message message) override { inner_->start(std::move(message)); }
  void abort_queue_impl(const listener& answer, long interval) override { inner_->abort_queue(answer, interval); }
  void stop_impl() override { inner_->stop(); }
  void update_config_impl(xeus::xconfiguration& configuration) const override { inner_->update_config(configuration); }

  std::unique_ptr<xeus::xserver> inner_;
};

}  // namespace

std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context, const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t errors) {
  return std::make_unique<Server>(xeus::make_xserver_shell_main(context, configuration, errors));
}

}  // namespace kernel
