/// Where the columns of a key-value trace of Meta's are.
struct MetaKVColumns: Sendable {
  let key: Int
  let operation: Int
  let size: Int
  let time: Int?
  let keySize: Int?
  let repeats: Int?
  let ttl: Int?
  /// How many columns there are.
  let count: Int

  /// The columns that a file's first line names.
  init(_ sample: FormatSample) throws(TraceError) {
    let names = Self.names(sample)
    func place(_ name: String) throws(TraceError) -> Int {
      guard let place = names.firstIndex(of: name) else {
        throw TraceError(
          "the header has no column '\(name)'", in: sample.path, at: .line(1),
          advice: "expected at least key, op and size")
      }
      return place
    }
    key = try place("key")
    operation = try place("op")
    size = try place("size")
    time = names.firstIndex(of: "op_time")
    keySize = names.firstIndex(of: "key_size")
    repeats = names.firstIndex(of: "op_count")
    ttl = names.firstIndex(of: "ttl")
    count = names.count
  }

  /// The names in the first line.
  static func names(_ sample: FormatSample) -> [String] {
    guard let line = sample.lines(1).first else { return [] }
    return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { name in
      String(decoding: name.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }
  }
}
