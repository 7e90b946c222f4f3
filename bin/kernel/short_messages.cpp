// xeus 2.4 doesn't check the number of parts of a message, so that a message with too few parts, from anybody with access to a socket,
// would end the process. This replaces xeus's function by one with a check: the dynamic linker prefers the program's definition to the
// library's.
#include <stdexcept>
#include <string_view>

#include <xeus/xserver_zmq_split.hpp>
#include <xeus/xzmq_serializer.hpp>

namespace xeus {

xmessage xserver_zmq_split::deserialize(zmq::multipart_t& wire_msg) const {
  constexpr size_t kSignatureAndParts = 5;
  size_t identities = 0;
  while (identities < wire_msg.size() && wire_msg.peekstr(identities) != "<IDS|MSG>") ++identities;
  if (identities + 1 + kSignatureAndParts > wire_msg.size()) throw std::runtime_error("a message of too few parts was refused");
  return xzmq_serializer::deserialize(wire_msg, *p_auth);
}

}  // namespace xeus
