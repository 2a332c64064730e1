#include "base/error.h"

namespace worktop::base {

Error::Error() = default;
Error::Error(ErrorCode its_code, std::string its_what, std::string its_where, std::string its_hint)
    : code(its_code), what(std::move(its_what)), where(std::move(its_where)), hint(std::move(its_hint)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

std::unexpected<Error> fail(ErrorCode code, std::string_view what, std::string_view where,
                            std::string_view hint) {
  return std::unexpected(Error(code, std::string(what), std::string(where), std::string(hint)));
}

}  // namespace worktop::base
