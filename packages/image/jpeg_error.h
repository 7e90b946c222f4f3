// libjpeg's errors: the handler stores the message and jumps back to the caller (longjmp).
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

#include "packages/image/format.h"

namespace mt::image {

struct JpegErrors {
  jpeg_error_mgr manager;  // first member: libjpeg's pointer to it is also a pointer to this struct
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];

  jpeg_error_mgr* begin() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr codec) {
      of(codec)->manager.format_message(codec, of(codec)->message);
      std::longjmp(of(codec)->back, 1);
    };
    // Damaged data cause warnings, and decoding continues; a truncated file is an error.
    manager.emit_message = [](j_common_ptr codec, int level) {
      if (level < 0 && codec->err->msg_code == JWRN_JPEG_EOF) of(codec)->leave(kEndsEarly);
    };
    return &manager;
  }

  static JpegErrors* of(j_common_ptr codec) { return reinterpret_cast<JpegErrors*>(codec->err); }

  [[noreturn]] void leave(const char* what) {
    std::snprintf(message, sizeof message, "%s", what);
    std::longjmp(back, 1);
  }
};

}  // namespace mt::image
