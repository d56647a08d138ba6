import LarderEngine
import LarderExperiments
import LarderSupport

enum Inline: ExpressibleByStringLiteral, Hashable {
  case text(String)
  case strong(String)
  case code(String)
  /// A number as a program reads it, which CSV neither quotes nor guards.
  case number(String)

  init(stringLiteral value: String) { self = .text(value) }

  var plain: String {
    switch self {
    case .text(let text), .strong(let text), .code(let text), .number(let text): text
    }
  }
}

/// A line of running text: `"\(strong: "Use") \(code: policy) at every capacity"`.
struct Line: ExpressibleByStringInterpolation, Hashable {
  private(set) var parts: [Inline]

  init(_ parts: [Inline]) { self.parts = parts }

  init(text: String) { parts = [.text(text)] }

  init(stringLiteral value: String) { parts = value.isEmpty ? [] : [.text(value)] }

  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.line.parts }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var line: Line = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { appendInterpolation(literal) }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let text = "\(value)"
      if !text.isEmpty { line = line + Line(text: text) }
    }

    mutating func appendInterpolation(_ other: Line) { line = line + other }

    mutating func appendInterpolation(_ part: Inline) { line = line + Line([part]) }

    mutating func appendInterpolation(strong text: String) { line.parts.append(.strong(text)) }

    mutating func appendInterpolation(code text: String) { line.parts.append(.code(text)) }
  }

  var isEmpty: Bool { parts.isEmpty }

  var plain: String { parts.map(\.plain).joined() }

  static func + (left: Line, right: Line) -> Line {
    guard case .text(let end) = left.parts.last, case .text(let start) = right.parts.first else {
      return Line(left.parts + right.parts)
    }
    return Line(left.parts.dropLast() + [.text(end + start)] + right.parts.dropFirst())
  }

  /// Names in a sentence: `a`, `a and b`, `a, b and c`.
  static func names(_ names: [Inline], last: Line = " and ") -> Line {
    names.enumerated().reduce("") { line, name in
      let isLast = name.offset == names.count - 1
      return (name.offset == 0 ? "" : line + (isLast ? last : ", ")) + Line([name.element])
    }
  }

  /// Text with code between grave accents.
  static func marked(_ text: String) -> Line {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    guard !parts.count.isMultiple(of: 2) else { return Line(text: text) }
    return Line(
      parts.enumerated().filter { !$0.element.isEmpty }.map { number, part in
        number.isMultiple(of: 2) ? .text(part) : .code(part)
      })
  }
}

extension Sequence<Line> {
  /// The lines that are not empty, as one.
  func joined(_ separator: Line) -> Line {
    filter { !$0.isEmpty }.reduce("") { $0.isEmpty ? $1 : $0 + separator + $1 }
  }
}

extension String {
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Sequence where Element: Hashable {
  /// The elements, each once, in order of first appearance.
  var distinct: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension Sequence {
  /// The elements by a key, the smallest first; equal ones keep their order. O(n log n).
  func sorted<Key: Comparable>(byKey key: (Element) -> Key) -> [Element] {
    enumerated().map { (key: key($0.element), number: $0.offset, element: $0.element) }
      .sorted { ($0.key, $0.number) < ($1.key, $1.number) }.map(\.element)
  }

  /// The elements by a key, in order of first appearance.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    let groups = Dictionary(grouping: self, by: key)
    return map(key).distinct.map { ($0, groups[$0] ?? []) }
  }
}

extension NumberText {
  /// A capacity: bytes, or a number of objects without the word; "no limit" for one that no cache
  /// could reach.
  static func capacity(_ value: UInt64, bytes: Bool) -> String {
    guard bytes else { return grouped(value) }
    return value >= CapacitySpec.largestBytes ? "no limit" : self.bytes(value)
  }

  /// A capacity with its unit.
  static func capacity(_ value: UInt64, _ unit: CapacityUnit) -> String {
    capacity(value, bytes: unit == .bytes) + (unit == .objects ? " objects" : "")
  }
}
