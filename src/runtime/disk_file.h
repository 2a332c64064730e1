// The disk tier's file: it has no name, so nothing is left behind however the process ends, and its I/O goes
// past the page cache, because memory is what the tier is there to save.
//
// - open: O_TMPFILE where the file system has it; else a name that lives for a moment only. One block is
// written
//   and read back, so a directory that cannot be written is found at once.
// - Direct I/O wants offsets, sizes and addresses in multiples of 4096. Offsets are (extents.h). Memory that
// is
//   not aligned, and a last block that is not full, go through an aligned buffer of the calling thread; the
//   last block on disk is padded. Where direct I/O is not to be had the page cache is used, and `note` says
//   so.
// - grow: looks at the free bytes and at the process's limit on file sizes, and allocates the blocks, so that
// a
//   write does not meet a full disk. File systems that cannot allocate ahead get a sparse file; `note` says
//   so.
// - read and write may be called from several threads, for bytes below `size`, a multiple of 4096 apart.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace worktop::runtime {

using base::Bytes;
using base::Result;
using base::Status;

struct DiskFileOptions {
  std::string directory;
  bool try_direct = true;  // tests switch them off
  bool try_unnamed = true;
};

class DiskFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<DiskFile>> open(const DiskFileOptions& options);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  [[nodiscard]] Status grow(Bytes size);
  [[nodiscard]] Status write(Bytes offset, const std::byte* bytes, Bytes size);
  [[nodiscard]] Status read(Bytes offset, std::byte* bytes, Bytes size);

  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] bool direct() const { return direct_; }
  [[nodiscard]] const std::string& note() const { return note_; }
  // What the file system has left for this user.
  [[nodiscard]] Result<Bytes> free_bytes() const;

 private:
  DiskFile(int descriptor, std::string directory) : file_(descriptor), directory_(std::move(directory)) {}
  [[nodiscard]] Status try_out();
  [[nodiscard]] Status write_whole(Bytes offset, const std::byte* bytes, Bytes size);
  [[nodiscard]] Status read_whole(Bytes offset, std::byte* bytes, Bytes size);
  [[nodiscard]] std::unexpected<base::Error> trouble(const std::string& what, int number) const;
  void add_note(const std::string& text);

  int file_ = -1;
  std::string directory_;
  Bytes size_{0};
  bool direct_ = false;
  bool preallocates_ = true;
  std::string note_;
};

}  // namespace worktop::runtime
