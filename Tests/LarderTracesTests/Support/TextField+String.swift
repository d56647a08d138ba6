import LarderTraces

extension TextField {
  /// Calls `body` with the bytes of a text.
  static func with<Result>(_ text: String, _ body: (TextField) throws -> Result) rethrows -> Result
  {
    // With a trailing zero, because empty text needs an address too.
    try text.withCString { start in
      try start.withMemoryRebound(to: UInt8.self, capacity: text.utf8.count + 1) { start in
        try body(TextField(start, start + text.utf8.count))
      }
    }
  }
}
