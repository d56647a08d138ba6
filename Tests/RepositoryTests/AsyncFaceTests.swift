import Testing

/// The asynchronous caches have every call of the caches that they stand for.
struct AsyncFaceTests {
  @Test(
    arguments: [
      ("DiskCache", "AsyncDiskCache"), ("DiskSuite", "AsyncDiskSuite"),
      ("HybridCache", "AsyncHybridCache"),
    ])
  func callsAreTheSame(_ type: String, _ face: String) throws {
    let sources = try Repository.swiftFiles(below: ["Sources/Larder"])
    let calls = Set(sources.flatMap { Self.calls(of: type, in: $0) })
    var others = Set(sources.flatMap { Self.calls(of: face, in: $0) })
    #expect(calls.count > 5 && calls.contains("remove(_:)") != calls.contains("remove(_:suite:)"))
    #expect(others.remove("run(_:_:)") != nil)
    #expect(calls.subtracting(others).sorted() == [], "only in \(type)")
    #expect(others.subtracting(calls).sorted() == [], "only in \(face)")
  }

  @Test func callsAreFoundByTheirLabels() {
    let text = """
      public struct A<Key>: Sendable {
        public func one() {}
        @discardableResult public func two<T>(
          _ a: (Int, String) -> Void, for b: [Int: T] = [:], named: String = ","
        ) async -> Int {}
        func three() {}
      }
      public struct B {
        public func four() {}
      }
      extension A where Key: Hashable {
        public func five(_: Int) {}
      }
      """
    let source = SwiftSource(path: "A.swift", text: text)
    #expect(Self.calls(of: "A", in: source) == ["one()", "two(_:for:named:)", "five(_:)"])
  }

  /// The public functions of a type in a file: name and labels.
  private static func calls(of type: String, in source: SwiftSource) -> [String] {
    var calls: [String] = []
    var isInType = false
    for (index, line) in source.code.enumerated() {
      if let name = declaredType(line) { isInType = name == type }
      guard isInType, line.contains("public func ") else { continue }
      calls.append(signature(source.code[index...].joined(separator: "\n")))
    }
    return calls
  }

  /// The type that a declaration at the beginning of a line concerns.
  private static func declaredType(_ line: String) -> String? {
    guard let first = line.first, first.isLetter || first == "@" else { return nil }
    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "@" }
    guard
      let place = words.firstIndex(where: {
        ["class", "struct", "enum", "extension", "protocol", "actor"].contains($0)
      }), place + 1 < words.count
    else { return nil }
    return String(words[place + 1])
  }

  /// Name and labels of the first function in a text.
  private static func signature(_ text: String) -> String {
    let text = text[(text.firstRange(of: "func ")?.upperBound ?? text.startIndex)...]
    let name = text.prefix { $0 != "(" && $0 != "<" }
    // The generic parameters have no parentheses.
    let rest = text.drop { $0 != "(" }.dropFirst()
    var (labels, word, depth, isLabel) = ("", "", 0, true)
    for character in rest.replacing("->", with: "  ") {
      if "([{<".contains(character) { depth += 1 }
      if ")]}>".contains(character) {
        if depth == 0 { break }
        depth -= 1
      }
      if depth > 0 { continue }
      if isLabel, character == " " || character == ":" {
        if !word.isEmpty {
          labels += word + ":"
          (word, isLabel) = ("", false)
        }
      } else if isLabel, !character.isWhitespace {
        word.append(character)
      } else if character == "," {
        isLabel = true
      }
    }
    return "\(name)(\(labels))"
  }
}
