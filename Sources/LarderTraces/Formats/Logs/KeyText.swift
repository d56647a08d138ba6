/// A key that is put together from parts of a line. One buffer, used again and again.
final class KeyText {
  private var bytes: [UInt8] = []

  /// No text yet.
  init() { bytes.reserveCapacity(1024) }

  /// Begins again.
  func clear() { bytes.removeAll(keepingCapacity: true) }

  /// The key of the text.
  var key: UInt64 {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return KeyHash.hash(bytes) }
      return KeyHash.key(TextField(start, start + bytes.count))
    }
  }

  /// Adds a text.
  func append(_ field: TextField, lowercased: Bool) {
    let start = bytes.count
    bytes.append(contentsOf: UnsafeBufferPointer(start: field.next, count: field.count))
    guard lowercased else { return }
    for index in start..<bytes.count where bytes[index] &- 0x41 < 26 { bytes[index] |= 0x20 }
  }

  /// Adds a text.
  func append(_ text: String) { bytes += text.utf8 }

  /// Adds what is wanted of a query, behind a question mark.
  func append(_ query: TextField, by rule: WebOptions.Query, lowercased: Bool) {
    if query.isNothing { return }
    switch rule {
    case .drop: return
    case .keep:
      bytes.append(0x3F)
      append(query, lowercased: lowercased)
    case .only(let names):
      for name in names {
        guard let parameter = KeyText.parameter(name, in: query) else { continue }
        bytes.append(0x26)
        append(parameter, lowercased: lowercased)
      }
    }
  }

  /// The first parameter of a name, with its value.
  private static func parameter(_ name: [UInt8], in query: TextField) -> TextField? {
    var start = query.next
    while start < query.end {
      let end = TextField(start, query.end).find(0x26) ?? query.end
      let parameter = TextField(start, end)
      let nameEnd = parameter.find(0x3D) ?? end
      if TextField(start, nameEnd).equals(name) { return parameter }
      start = end < query.end ? end + 1 : end
    }
    return nil
  }
}
