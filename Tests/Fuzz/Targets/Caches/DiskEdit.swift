/// A change of a file.
struct DiskEdit {
  private let kind: UInt8
  private let place: Int
  private let length: Int
  private let value: UInt8

  /// Draws a change from four to six bytes.
  static func draw(_ choices: inout FuzzInput) -> DiskEdit {
    DiskEdit(
      kind: choices.byte(), place: Int(choices.byte()) << 8 | Int(choices.byte()),
      length: choices.below(64) + 1, value: choices.byte())
  }

  /// Changes bytes; the offset is arbitrary, mostly near the beginning of the file or a page.
  func apply(to bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(value) }
    let at = place % bytes.count
    let end = min(bytes.count, at + length)
    switch kind % 8 {
    case 0...2: bytes[at] = value
    case 3: bytes[at] ^= 1 << (value & 7)
    case 4: for index in at..<end { bytes[index] = value }
    case 5: bytes.removeSubrange(at...)
    case 6: bytes += [UInt8](repeating: value, count: length * 64)
    default: bytes.removeSubrange(at..<end)
    }
  }
}
