import Foundation
import LarderEngine
import Yams

/// A YAML file in memory, with its name for errors and a bound on the values visited.
final class YAMLDocument {
  let file: String
  private var remainingValues = YAMLDocument.valuesMax

  static let bytesMax = 1 << 20
  private static let valuesMax = 100_000

  private init(file: String) { self.file = file }

  static func parse(_ bytes: Data, file: String) throws(WorkloadError) -> YAMLValue {
    let document = YAMLDocument(file: file)
    guard bytes.count <= bytesMax else {
      throw document.error(nil, .tooLarge(limitBytes: bytesMax))
    }
    guard var text = String(validating: bytes, as: UTF8.self) else { throw document.notUTF8(bytes) }
    // Some editors write a byte order mark; the parser would treat it as text.
    if text.unicodeScalars.first == "\u{feff}" { text.unicodeScalars.removeFirst() }
    guard AliasBound.isHarmless(text) else { throw document.error(nil, .repetition) }
    let node: Node?
    do {
      // Without a resolver, keys with equal text are equal, whatever their types would be.
      node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch let error as YamlError {
      throw document.error(error, in: text)
    } catch {
      throw document.error(nil, .syntax("\(error)"))
    }
    guard let node else { throw document.error(nil, .empty) }
    let value = YAMLValue(node: node, path: "", document: document)
    if value.isNull { throw document.error(nil, .empty) }
    return value
  }

  func visit(at line: Int?) throws(WorkloadError) {
    remainingValues -= 1
    if remainingValues < 0 { throw error(line, .repetition) }
  }

  func error(
    _ line: Int?, _ problem: WorkloadError.Problem, path: String = ""
  ) -> WorkloadError {
    WorkloadError(file: file, line: line, path: path, problem: problem)
  }

  private func notUTF8(_ bytes: Data) -> WorkloadError {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    var line = 1
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      offset += UTF8.width(scalar)
      if scalar == "\n" { line += 1 }
    }
    return error(line, .notUTF8(offset: offset))
  }

  private func error(_ error: YamlError, in text: String) -> WorkloadError {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      if problem.hasPrefix("Maximum nesting") {
        return self.error(mark.line, .syntax("nested too deeply"))
      }
      if problem.hasSuffix("found another document") {
        return self.error(mark.line, .syntax("a second document starts here; keep one"))
      }
      let place = context.map { " \($0.text) on line \($0.mark.line)" } ?? ""
      return self.error(mark.line, .syntax("\(problem)\(place)"))
    case .reader(let problem, let offset, _, _):
      let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
      return self.error(line, .syntax(problem))
    case .duplicatedKeysInMapping(let keys, let context):
      let key = keys.first ?? ""
      let again = Self.line(repeating: key, after: context.mark, in: text)
      return self.error(
        context.mark.line, .duplicateKey(YAMLValue.shortened(key), again: again))
    default:
      return self.error(nil, .syntax("\(error)"))
    }
  }

  private static func line(repeating key: String, after mark: Mark, in text: String) -> Int? {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated().dropFirst(mark.line) {
      let body = line.drop { $0 == " " }
      if body.isEmpty || body.first == "#" { continue }
      let column = line.count - body.count + 1
      if column < mark.column { return nil }
      if column == mark.column, body.hasPrefix("\(key):") { return index + 1 }
    }
    return nil
  }
}

/// Bound on the expansion of aliases, computed from the text alone, because the parser compares
/// complete keys before anything can be counted.
enum AliasBound {
  static func isHarmless(_ text: String) -> Bool {
    let anchors = marks("&", in: text)
    let aliases = Double(marks("*", in: text))
    guard anchors > 0, aliases > 0 else { return true }
    let levels = max(1, min(Double(anchors), (aliases / 2.718).rounded()))
    var bound = Double(text.utf8.count)
    for _ in 0..<Int(levels) where bound < 1e8 { bound *= max(1, aliases / levels) }
    return bound < 1e8
  }

  private static func marks(_ mark: Unicode.Scalar, in text: String) -> Int {
    var count = 0
    var before: Unicode.Scalar = "\n"
    var isMark = false
    for scalar in text.unicodeScalars {
      if isMark, !scalar.properties.isWhitespace, scalar != mark { count += 1 }
      isMark = scalar == mark && (before.properties.isWhitespace || "[{,:-?".contains(before))
      before = scalar
    }
    return count
  }
}

extension String {
  fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}

/// A value in a YAML document with its position, converted to the type that the reader expects.
struct YAMLValue {
  let node: Node
  let path: String
  let document: YAMLDocument

  var line: Int? { node.mark?.line }

  var type: ValueType? {
    switch node {
    case .sequence: .array
    case .mapping: .object
    case .scalar(let scalar): Self.type(of: scalar)
    case .alias: nil
    }
  }

  var isNull: Bool { type == nil }

  var found: String {
    switch node {
    case .sequence: "a list"
    case .mapping: "a map"
    case .alias: "an alias"
    case .scalar(let scalar): isNull ? "nothing" : Self.quoted(scalar.string)
    }
  }

  func error(_ problem: WorkloadError.Problem) -> WorkloadError {
    document.error(line, problem, path: path)
  }

  func refused(_ message: String) -> WorkloadError { error(.refused(message)) }

  func unexpected(_ expected: String) -> WorkloadError {
    error(.unexpected(expected: expected, found: found))
  }

  func locating<Result>(_ body: () throws -> Result) throws(WorkloadError) -> Result {
    do {
      return try body()
    } catch let error as WorkloadError {
      throw error
    } catch {
      throw refused("\(error)")
    }
  }

  func text(
    _ types: Set<ValueType> = [.string], expected: String
  ) throws(WorkloadError) -> String {
    guard case .scalar(let scalar) = node, let type, types.contains(type) else {
      let isBare = type.map { [.integer, .number, .boolean].contains($0) } ?? false
      throw unexpected(isBare && types == [.string] ? "\(expected) in quotes" : expected)
    }
    return scalar.string
  }

  func boolean() throws(WorkloadError) -> Bool {
    try text([.boolean], expected: "true or false").lowercased() == "true"
  }

  func whole(
    in range: ClosedRange<UInt64>, or types: Set<ValueType> = []
  ) throws(WorkloadError) -> UInt64 {
    let expected =
      range.upperBound >= UInt64(Int64.max)
      ? "a whole number, at least \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    let text = try text(types.union([.integer, .number]), expected: expected)
    guard let value = Quantity.count.amount(text), range.contains(value) else {
      throw unexpected(expected)
    }
    return value
  }

  func number(
    in range: ClosedRange<Double>, expected: String
  ) throws(WorkloadError) -> Double {
    let text = try text([.integer, .number], expected: expected)
    guard let value = Double(text.filter { $0 != "_" }), range.contains(value) else {
      throw unexpected(expected)
    }
    return value
  }

  func choice<Choice>(
    of type: Choice.Type
  ) throws(WorkloadError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    let word = try word(of: Choice.allCases.map(\.rawValue))
    guard let choice = Choice(rawValue: word) else { throw unexpected("a known word") }
    return choice
  }

  func word(of words: [String]) throws(WorkloadError) -> String {
    let expected = words.count == 1 ? "'\(words[0])'" : "one of \(words.joined(separator: ", "))"
    let word = try text(expected: expected)
    guard words.contains(word) else {
      let hint = UnknownName.hint(Self.shortened(word), among: words, nil)
      throw error(.unexpected(expected: expected, found: found + hint))
    }
    return word
  }

  func items(orSingle types: Set<ValueType>, of what: String) throws(WorkloadError)
    -> [YAMLValue]
  {
    if case .sequence = node { return try items(of: what) }
    guard let type, types.contains(type) else { throw unexpected("a list of \(what)") }
    if case .scalar(let scalar) = node, scalar.string.contains(",") {
      throw unexpected("a list of \(what) in brackets, such as [a, b]")
    }
    return [self]
  }

  func items(of what: String) throws(WorkloadError) -> [YAMLValue] {
    guard case .sequence(let sequence) = node else { throw unexpected("a list of \(what)") }
    guard !sequence.isEmpty else {
      throw error(.unexpected(expected: "a list of \(what)", found: "an empty list"))
    }
    var items: [YAMLValue] = []
    for (index, item) in sequence.enumerated() {
      try document.visit(at: item.mark?.line)
      items.append(YAMLValue(node: item, path: "\(path)[\(index + 1)]", document: document))
    }
    return items
  }

  static func quoted(_ text: String) -> String { "'\(shortened(text))'" }

  static func shortened(_ text: String) -> String {
    let short = text.count > 60 ? text.prefix(57) + "..." : text[...]
    return String(short.map { $0.isNewline || $0.isASCII && $0 < " " ? " " : $0 })
  }

  private static func type(of scalar: Node.Scalar) -> ValueType? {
    guard scalar.style == .plain || scalar.style == .any else { return .string }
    let text = scalar.string
    if ["", "~", "null", "Null", "NULL"].contains(text) { return nil }
    if ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text) { return .boolean }
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    let plain = digits.filter { $0 != "_" }
    if !plain.isEmpty, plain.allSatisfy(isDigit) { return .integer }
    // `Double` alone would also accept hexadecimal, "nan" and "infinity".
    let isNumeric = plain.allSatisfy { isDigit($0) || ".eE+-".contains($0) }
    return isNumeric && Double(String(plain)) != nil ? .number : .string
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}

/// A map in a YAML document, checked against its allowed keys.
struct YAMLMap {
  let value: YAMLValue
  let entries: [Entry]

  struct Entry {
    let key: String
    let line: Int?
    let value: YAMLValue
  }

  init(_ value: YAMLValue, expected: String) throws(WorkloadError) {
    guard case .mapping(let mapping) = value.node else { throw value.unexpected(expected) }
    var entries: [Entry] = []
    for (keyNode, node) in mapping {
      try value.document.visit(at: keyNode.mark?.line)
      guard case .scalar(let key) = keyNode else {
        let found = YAMLValue(node: keyNode, path: value.path, document: value.document)
        throw found.unexpected("a key")
      }
      let shown = YAMLValue.shortened(key.string)
      let path = value.path.isEmpty ? shown : "\(value.path).\(shown)"
      let child = YAMLValue(node: node, path: path, document: value.document)
      entries.append(Entry(key: key.string, line: keyNode.mark?.line, value: child))
    }
    self.value = value
    self.entries = entries
  }

  func check(_ table: any KeyTable) throws(WorkloadError) {
    if table.components == nil {
      for entry in entries where !table.names.contains(entry.key) {
        let absent = table.names.filter { self[$0] == nil }
        let near = UnknownName.hint(entry.key, among: absent, nil)
        let hint = near.isEmpty ? "; known are \(table.names.joined(separator: ", "))" : near
        throw error(at: entry.line, .unknownKey(YAMLValue.shortened(entry.key), hint: hint))
      }
    }
    for key in table.rows where key.isRequired { _ = try required(key.name, in: table) }
    try refusePairs(of: table.exclusive)
  }

  func refusePairs(of keys: [String]) throws(WorkloadError) {
    let given = keys.filter { self[$0] != nil }
    guard given.count > 1 else { return }
    throw refused(given[1], "'\(given[0])' and '\(given[1])' exclude each other; keep one")
  }

  subscript(key: String) -> YAMLValue? { entries.first { $0.key == key }?.value }

  func line(of key: String) -> Int? { entries.first { $0.key == key }?.line }

  func required(_ key: String, in table: any KeyTable) throws(WorkloadError) -> YAMLValue {
    if let value = self[key] { return value }
    let others = entries.map(\.key).filter { !table.names.contains($0) }
    throw missing(key, misspelt: key.nearest(among: others).map(YAMLValue.shortened))
  }

  func missing(
    _ key: String, because reason: String? = nil, misspelt: String? = nil
  ) -> WorkloadError {
    error(at: value.line, .missingKey(key, reason: reason, misspelt: misspelt))
  }

  func error(at line: Int?, _ problem: WorkloadError.Problem) -> WorkloadError {
    value.document.error(line, problem, path: value.path)
  }

  func refused(_ key: String, _ message: String) -> WorkloadError {
    error(at: line(of: key), .refused(message))
  }
}
