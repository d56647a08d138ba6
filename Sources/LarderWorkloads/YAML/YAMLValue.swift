import LarderEngine
import Yams

/// A value in a YAML document with its place, read by what the reader expects it to be.
struct YAMLValue {
  /// The parser's value.
  let node: Node
  /// Where in the document, such as `source.requests`.
  let path: String
  /// The document, for errors.
  let document: YAMLDocument

  /// Line in the file.
  var line: Int? { node.mark?.line }

  /// What the value is, by the rules of YAML 1.2's core schema; nil for nothing.
  var type: KeyTable.ValueType? {
    switch node {
    case .sequence: .array
    case .mapping: .object
    case .scalar(let scalar): Self.type(of: scalar)
    case .alias: nil
    }
  }

  /// Whether there is nothing after the key.
  var isNull: Bool { type == nil }

  /// What was found, for errors.
  var found: String {
    switch node {
    case .sequence: "a list"
    case .mapping: "a map"
    case .alias: "an alias"
    case .scalar(let scalar): isNull ? "nothing" : Self.quoted(scalar.string)
    }
  }

  /// An error about this value.
  func error(_ problem: WorkloadError.Problem) -> WorkloadError {
    document.error(line, problem, path: path)
  }

  /// The error that something else was expected here.
  func unexpected(_ expected: String) -> WorkloadError {
    error(.unexpected(expected: expected, found: found))
  }

  /// Does something; what it throws, unless it has a place in the file, is told at this value.
  func locating<Result>(_ body: () throws -> Result) throws(WorkloadError) -> Result {
    do {
      return try body()
    } catch let error as WorkloadError {
      throw error
    } catch {
      throw self.error(.refused("\(error)"))
    }
  }

  /// The scalar's text, if it has one of the types.
  func text(
    _ types: Set<KeyTable.ValueType> = [.string], expected: String
  ) throws(WorkloadError) -> String {
    guard case .scalar(let scalar) = node, let type, types.contains(type) else {
      let isBare = type.map { [.integer, .number, .boolean].contains($0) } ?? false
      throw unexpected(isBare && types == [.string] ? "\(expected) in quotes" : expected)
    }
    return scalar.string
  }

  /// True or false.
  func boolean() throws(WorkloadError) -> Bool {
    try text([.boolean], expected: "true or false").lowercased() == "true"
  }

  /// A whole number in the range; as text, such as `5M`, only where a type says so.
  func whole(
    in range: ClosedRange<UInt64>, or types: Set<KeyTable.ValueType> = []
  ) throws(WorkloadError) -> UInt64 {
    let expected =
      range.upperBound >= UInt64(Int64.max)
      ? "a whole number, at least \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
    let text = try text(types.union([.integer, .number]), expected: expected)
    guard let value = Quantity.count(text), range.contains(value) else {
      throw unexpected(expected)
    }
    return value
  }

  /// A number in the range.
  func number(
    in range: ClosedRange<Double>, expected: String
  ) throws(WorkloadError) -> Double {
    let text = try text([.integer, .number], expected: expected)
    guard let value = Double(text.filter { $0 != "_" }), range.contains(value) else {
      throw unexpected(expected)
    }
    return value
  }

  /// One of an enum's words.
  func choice<Choice>(
    of type: Choice.Type
  ) throws(WorkloadError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    let word = try word(of: Choice.allCases.map(\.rawValue))
    guard let choice = Choice(rawValue: word) else { throw unexpected("a known word") }
    return choice
  }

  /// One of the words.
  func word(of words: [String]) throws(WorkloadError) -> String {
    let expected = words.count == 1 ? "'\(words[0])'" : "one of \(words.joined(separator: ", "))"
    let word = try text(expected: expected)
    guard words.contains(word) else {
      let hint = Self.shortened(word).nearest(among: words).map { "; did you mean '\($0)'?" } ?? ""
      throw error(.unexpected(expected: expected, found: found + hint))
    }
    return word
  }

  /// The items of a list, or the value itself where a single one stands for a list of one.
  func items(orSingle types: Set<KeyTable.ValueType>, of what: String) throws(WorkloadError)
    -> [YAMLValue]
  {
    if case .sequence = node { return try items(of: what) }
    guard let type, types.contains(type) else { throw unexpected("a list of \(what)") }
    if case .scalar(let scalar) = node, scalar.string.contains(",") {
      throw unexpected("a list of \(what) in brackets, such as [a, b]")
    }
    return [self]
  }

  /// The items of a list, at least one.
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

  /// The text in quotes, on one line and not too long.
  static func quoted(_ text: String) -> String { "'\(shortened(text))'" }

  /// The text on one line and not too long.
  static func shortened(_ text: String) -> String {
    let short = text.count > 60 ? text.prefix(57) + "..." : text[...]
    return String(short.map { $0.isNewline || $0.isASCII && $0 < " " ? " " : $0 })
  }

  private static func type(of scalar: Node.Scalar) -> KeyTable.ValueType? {
    guard scalar.style == .plain || scalar.style == .any else { return .string }
    let text = scalar.string
    if ["", "~", "null", "Null", "NULL"].contains(text) { return nil }
    if ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text) { return .boolean }
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    if Quantity.whole(digits) != nil || (!digits.isEmpty && digits.allSatisfy(isDigit)) {
      return .integer
    }
    // `Double` alone would also take hexadecimal, "nan" and "infinity".
    let plain = digits.filter { $0 != "_" }
    let isNumeric = plain.allSatisfy { isDigit($0) || ".eE+-".contains($0) }
    return isNumeric && Double(String(plain)) != nil ? .number : .string
  }

  private static func isDigit(_ character: Character) -> Bool {
    ("0"..."9").contains(character)
  }
}
