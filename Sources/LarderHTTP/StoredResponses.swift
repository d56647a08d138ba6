#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredResponses: Sendable, Hashable {
  /// Most variants of a URL; the oldest goes first.
  static let countMax = 16

  private(set) var all: [StoredResponse] = []

  init(_ all: [StoredResponse] = []) { self.all = all }

  func select(for request: RequestHead) -> StoredResponse? {
    let matching = all.filter { $0.matches(request) }
    let whole = matching.first { $0.head.status != 206 }
    guard let header = request.fields["Range"], let range = ByteRange(header) else { return whole }
    return matching.first { $0.isPart(askedForBy: header) || $0.slice(range) != nil } ?? whole
  }

  /// Stores a response instead of the one that its request would have selected. A part does not
  /// take the place of the complete response that it is of.
  mutating func insert(_ response: StoredResponse, for request: RequestHead) {
    all.removeAll { old in
      guard old.matches(request) else { return false }
      guard response.head.status == 206 else { return true }
      guard old.head.status == 206 else { return !response.isSameRepresentation(as: old) }
      return old.part == response.part || !response.isSameRepresentation(as: old)
    }
    all.insert(response, at: 0)
    if all.count > Self.countMax { all.removeLast() }
  }

  /// Puts `new`, or nothing, in the place of a response if that is still stored.
  mutating func replace(_ old: StoredResponse, by new: StoredResponse?) {
    guard let index = all.firstIndex(of: old) else { return }
    all.remove(at: index)
    if let new { all.insert(new, at: 0) }
  }
}

extension StoredResponse {
  /// True if both are known to be, or to be parts of, the same bytes.
  fileprivate func isSameRepresentation(as other: StoredResponse) -> Bool {
    let modified = head.fields["Last-Modified"]
    return hasValidator && entityTag == other.entityTag
      && modified == other.head.fields["Last-Modified"]
  }
}

/// Format on disk: a version, the number of responses, and for each its numbers, texts and bytes,
/// all with their lengths.
extension StoredResponses {
  private static let version: UInt8 = 2

  func encoded() -> Data {
    var writer = Writer()
    writer.bytes.append(Self.version)
    writer.write(all.count)
    for response in all {
      writer.write(response.head.status)
      writer.write(response.requestTime)
      writer.write(response.responseTime)
      writer.write(response.head.fields.lines.count)
      for line in response.head.fields.lines {
        writer.write(line.name)
        writer.write(line.value)
      }
      writer.write(Int64(bitPattern: response.selectorKey.first))
      writer.write(Int64(bitPattern: response.selectorKey.second))
      writer.write(response.selectors.count)
      for selector in response.selectors {
        writer.write(selector.name)
        writer.bytes.append(selector.hash == nil ? 0 : 1)
        writer.write(Int64(bitPattern: selector.hash ?? 0))
      }
      writer.write(response.body.count)
      writer.bytes.append(response.body)
    }
    return writer.bytes
  }

  init(decoding data: Data) throws(HTTPCacheError) {
    var reader = Reader(data)
    guard try reader.byte() == Self.version else { throw .damaged }
    for _ in 0..<(try reader.count()) {
      let status = try reader.number()
      let requestTime = try reader.number()
      let responseTime = try reader.number()
      var fields = HTTPFields()
      for _ in 0..<(try reader.count()) { fields.append(try reader.text(), try reader.text()) }
      let key = SelectorKey(
        UInt64(bitPattern: try reader.number()), UInt64(bitPattern: try reader.number()))
      var selectors: [StoredResponse.Selector] = []
      for _ in 0..<(try reader.count()) {
        let name = try reader.text()
        let isThere = try reader.byte() == 1
        let hash = UInt64(bitPattern: try reader.number())
        selectors.append(.init(name: name, hash: isThere ? hash : nil))
      }
      guard (200...999).contains(status), requestTime >= 0, responseTime >= requestTime else {
        throw .damaged
      }
      all.append(
        StoredResponse(
          head: ResponseHead(status: Int(status), fields: fields), requestTime: requestTime,
          responseTime: responseTime, selectorKey: key, selectors: selectors,
          body: try reader.bytes()))
    }
    guard reader.isAtEnd else { throw .damaged }
  }

  private struct Writer {
    var bytes = Data()

    mutating func write(_ number: some BinaryInteger) {
      withUnsafeBytes(of: Int64(clamping: number).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ text: String) {
      write(text.utf8.count)
      bytes.append(contentsOf: text.utf8)
    }
  }

  private struct Reader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: Int) throws(HTTPCacheError) -> Data {
      guard count >= 0, count <= rest.count else { throw .damaged }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    mutating func byte() throws(HTTPCacheError) -> UInt8 { try take(1).first ?? 0 }

    mutating func number() throws(HTTPCacheError) -> Int64 {
      try take(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// A number of elements, each of at least one byte.
    mutating func count() throws(HTTPCacheError) -> Int {
      let number = try number()
      guard number >= 0, number <= rest.count else { throw .damaged }
      return Int(number)
    }

    mutating func text() throws(HTTPCacheError) -> String {
      guard let text = String(validating: try take(try count()), as: UTF8.self) else {
        throw .damaged
      }
      return text
    }

    /// Bytes in memory of their own, with indices from 0.
    mutating func bytes() throws(HTTPCacheError) -> Data { Data(try take(try count())) }
  }
}
