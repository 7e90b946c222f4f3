// xeus 2.4 takes the parts of a message without looking how many there are, and anybody who reaches a socket may send too few: they would
// end the process. This is xeus's own function with that look before it; the dynamic linker prefers the program's to the library's.
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
