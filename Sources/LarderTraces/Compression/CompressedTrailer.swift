/// Bytes behind the end of compressed data: another member, zeros that a tape or a disk was filled
/// with, or rubbish, which the programs of gzip and bzip2 pass over with a warning.
struct CompressedTrailer {
  /// Sentences on what was passed over.
  private(set) var remarks: [String] = []

  /// True if another member follows, with zeros in front or not. Everything else is passed over.
  mutating func findsMore(
    in input: CompressedInput, magic: [UInt8], of kind: Compression
  ) throws(TraceError) -> Bool {
    var zeros = 0
    try input.refill()
    while input.count > 0, input.next.pointee == 0 {
      zeros += 1
      input.advance(1)
      try input.refill()
    }
    while input.count > 0, input.count < magic.count, try input.extend() {}
    if input.count > 0 {
      let head = UnsafeBufferPointer(start: input.next, count: min(input.count, magic.count))
      // A member whose first bytes are cut is a truncated one.
      if head.elementsEqual(magic.prefix(head.count)) { return true }
    }
    var rubbish = 0
    while input.count > 0 {
      rubbish += input.count
      input.advance(input.count)
      try input.refill()
    }
    if rubbish > 0 {
      remarks.append(
        "\(rubbish) bytes behind the end of the \(kind.rawValue) data in \(input.path) were passed "
          + "over: they are not \(kind.rawValue).")
    }
    return false
  }
}
