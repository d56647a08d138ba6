/// The first line of an HTTP request: `GET /a?b HTTP/1.1`.
struct RequestLine {
  /// `GET`.
  let method: TextField
  /// `/a?b`.
  let target: TextField

  /// The parts of the line; nil when it has no method and target, as when a client connected and
  /// sent nothing, or something else than HTTP.
  @inline(__always)
  init?(_ line: TextField) {
    guard let blank = line.find(0x20) else { return nil }
    method = TextField(line.next, blank)
    guard !method.isEmpty, method.next.pointee &- 0x41 < 26 else { return nil }
    var end = line.end
    let start = blank + 1
    // The protocol is behind the last blank. A target that holds blanks keeps them.
    var last = end
    while last > start, last[-1] != 0x20 { last -= 1 }
    if last > start, line.end - last >= 4, last[0] == 0x48, last[1] == 0x54 { end = last - 1 }
    guard end > start else { return nil }
    target = TextField(start, end)
  }
}
