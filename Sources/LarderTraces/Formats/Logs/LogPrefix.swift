/// Text that loggers put in front of a server's own line: syslog (RFC 3164 and 5424), journald,
/// containers (CRI, `docker logs -t`, docker-compose, `kubectl logs --prefix`).
enum LogPrefix {
  /// The fields before the time of a line, without what a logger put there.
  static func removed(from head: TextField) -> TextField {
    var rest = head
    var end = rest.next
    if let priority = priority(rest) {
      rest = TextField(priority, head.end)
      end = priority
    }
    if rest.starts(with: version) { return afterHeader(rest) }
    var words = 0
    var isStream = false
    var isDated = false
    while words < 12 {
      let word = rest.takeField()
      if word.isEmpty { break }
      let last = word.end[-1]
      if words == 0, isDate(word) || word.next.pointee == 0x5B && last == 0x5D { end = word.end }
      if words == 0 { isDated = word.count == 3 && isMonth(word) }
      // `Mar  1 10:00:00 web1`, with a program and a colon behind it or not.
      if words == 2, isDated { isDated = isClock(word) }
      if words == 3, isDated { end = word.end }
      if last == 0x3A, word.count > 1, !word.isAddress { end = word.end }
      if word.count == 1, word.next.pointee == 0x7C { end = word.end }
      if isStream, word.count == 1 { end = word.end }
      isStream = word.equals(output) || word.equals(errors)
      words += 1
    }
    return TextField(end, head.end).trimmed
  }

  private static let version = Array("1 20".utf8)
  private static let output = Array("stdout".utf8)
  private static let errors = Array("stderr".utf8)

  /// The place behind `<190>`.
  private static func priority(_ head: TextField) -> UnsafePointer<UInt8>? {
    var rest = head
    guard rest.takeByte() == 0x3C, rest.takeInteger() != nil, rest.takeByte() == 0x3E else {
      return nil
    }
    return rest.next
  }

  /// The rest behind a header of RFC 5424: version, time, host, program, process, kind and data.
  private static func afterHeader(_ head: TextField) -> TextField {
    var rest = head
    for _ in 0..<6 { _ = rest.takeField() }
    rest.skipBlanks()
    if !rest.isEmpty, rest.next.pointee == 0x2D {
      rest.skip()
    } else {
      while !rest.isEmpty, rest.next.pointee == 0x5B {
        guard let close = rest.find(0x5D) else { break }
        rest = TextField(close + 1, head.end)
      }
    }
    rest.skipBlanks()
    if rest.starts(with: ByteOrderMark.utf8) { rest = TextField(rest.next + 3, rest.end) }
    return rest.trimmed
  }

  /// True for a date with a time as ISO 8601 has it.
  private static func isDate(_ word: TextField) -> Bool {
    word.count >= 19 && word.next[4] == 0x2D && word.next[10] == 0x54 && word.next[13] == 0x3A
      && LogTime.microseconds(word) != nil
  }

  private static func isMonth(_ word: TextField) -> Bool {
    var text = DateText(word)
    return text.month() != nil
  }

  private static func isClock(_ word: TextField) -> Bool {
    var text = DateText(word)
    return text.clock() != nil
  }
}
