import LarderEngine
import LarderTraces

/// Keys of one kind of map in a workload file, for the schema and the documents.
protocol KeyTable: Sendable {
  var name: String { get }
  var summary: String { get }
  var rows: [KeyRow] { get }
  var exclusive: [String] { get }
  var components: KeyComponents? { get }
  var rules: JSONNode { get }
}

extension KeyTable {
  var names: [String] { rows.map(\.name) }
}

struct KeyRow: Sendable {
  let name: String
  let shape: ValueShape
  let meaning: String
  /// Nil for a key that must be given.
  let defaultText: String?
  let example: String

  var isRequired: Bool { defaultText == nil }
  var types: [ValueType] { shape.types }
  var choices: [String] { shape.words }
}

/// Components whose parameters are also keys of a map.
struct KeyComponents: Sendable {
  let key: String
  let all: [(name: String, parameters: [Parameter])]
}

enum ValueType: String, Sendable, Hashable, CaseIterable {
  case string, integer, number, boolean, array, object
}

/// One key of a workload file: documentation, schema and decoder.
struct Key<Target>: Sendable {
  let row: KeyRow
  let take: Take

  typealias Take = @Sendable (YAMLValue, inout Target, WorkloadReading) throws -> Void

  private init(row: KeyRow, take: @escaping Take) { (self.row, self.take) = (row, take) }

  /// A key without a default must be given.
  init<Value>(
    _ name: String, _ form: Form<Value>, _ meaning: String, default defaultText: String? = nil,
    example: String,
    into: @escaping @Sendable (Value, inout Target, YAMLValue) throws -> Void
  ) {
    row = KeyRow(
      name: name, shape: form.shape, meaning: meaning, defaultText: defaultText, example: example)
    take = { value, target, reading in
      try into(try form.read(value, reading), &target, value)
    }
  }

  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value> & Sendable,
    _ meaning: String, default defaultText: String? = nil, example: String
  ) {
    self.init(name, form, meaning, default: defaultText, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value?> & Sendable,
    _ meaning: String, default defaultText: String? = nil, example: String
  ) {
    self.init(name, form, meaning, default: defaultText, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  func within<Whole>(_ path: WritableKeyPath<Whole, Target> & Sendable) -> Key<Whole> {
    Key<Whole>(row: row) { value, whole, reading in
      try take(value, &whole[keyPath: path], reading)
    }
  }
}

/// Keys of one kind of map, with their decoders.
struct Section<Target>: KeyTable {
  let name: String
  let summary: String
  let expected: String
  let exclusive: [String]
  let components: KeyComponents?
  let rules: JSONNode
  let keys: [Key<Target>]
  let finish: @Sendable (YAMLMap, inout Target, WorkloadReading) throws -> Void

  init(
    _ name: String, _ summary: String, expected: String, exclusive: [String] = [],
    components: KeyComponents? = nil, rules: JSONNode = [:], keys: [Key<Target>],
    finish: @escaping @Sendable (YAMLMap, inout Target, WorkloadReading) throws -> Void = {
      _, _, _ in
    }
  ) {
    (self.name, self.summary, self.expected) = (name, summary, expected)
    (self.exclusive, self.components, self.rules) = (exclusive, components, rules)
    (self.keys, self.finish) = (keys, finish)
  }

  var rows: [KeyRow] { keys.map(\.row) }

  func read(
    _ value: YAMLValue, into initial: Target, _ reading: WorkloadReading, expected: String? = nil
  ) throws(WorkloadError) -> Target {
    try read(YAMLMap(value, expected: expected ?? self.expected), into: initial, reading)
  }

  func read(
    _ map: YAMLMap, into initial: Target, _ reading: WorkloadReading
  ) throws(WorkloadError) -> Target {
    var target = initial
    try map.check(self)
    for key in keys {
      guard let value = map[key.row.name] else { continue }
      try value.locating { try key.take(value, &target, reading) }
    }
    try map.value.locating { try finish(map, &target, reading) }
    return target
  }
}

/// Syntax of a value in the JSON schema.
struct ValueShape: Sendable {
  var types: [ValueType]
  var words: [String] = []
  /// One of these schemas must match.
  var alternatives: [JSONNode]
  var definition: (name: String, schema: JSONNode)?

  init(_ types: [ValueType], words: [String] = [], _ alternatives: JSONNode...) {
    (self.types, self.words, self.alternatives) = (types, words, alternatives)
  }

  static func words(_ words: [String]) -> ValueShape {
    ValueShape([.string], words: words, ["enum": .strings(words)])
  }

  static func text(_ pattern: String) -> ValueShape {
    ValueShape([.string], ["type": "string", "pattern": .string("^\(pattern)$")])
  }

  static func map(_ table: any KeyTable) -> ValueShape {
    ValueShape([.object], .reference(table.name))
  }

  static func whole(_ range: ClosedRange<UInt64>) -> ValueShape {
    var fields: [(String, JSONNode)] = [
      ("type", "integer"), ("minimum", .number("\(range.lowerBound)")),
    ]
    if range.upperBound < UInt64(Int64.max) {
      fields.append(("maximum", .number("\(range.upperBound)")))
    }
    return ValueShape([.integer], .object(fields))
  }

  func or(_ other: ValueShape) -> ValueShape {
    var shape = self
    shape.types += other.types.filter { !types.contains($0) }
    shape.words += other.words
    shape.alternatives += other.alternatives
    shape.definition = definition ?? other.definition
    return shape
  }

  func named(_ name: String) -> ValueShape {
    var shape = self
    shape.definition = (name, schema)
    shape.alternatives = [.reference(name)]
    return shape
  }

  var listed: ValueShape {
    var shape = self
    shape.types = [.array] + types
    shape.alternatives.insert(["type": "array", "minItems": 1, "items": schema], at: 0)
    return shape
  }

  var schema: JSONNode {
    alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives)]
  }
}

/// JSON for writing; objects keep the order of their keys.
enum JSONNode: Sendable {
  case string(String)
  case number(String)
  case boolean(Bool)
  case array([JSONNode])
  case object([(String, JSONNode)])

  static func strings(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }

  static func reference(_ name: String) -> JSONNode { ["$ref": .string("#/$defs/\(name)")] }

  var fields: [(String, JSONNode)] { if case .object(let fields) = self { fields } else { [] } }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(integerLiteral value: Int) { self = .number("\(value)") }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(arrayLiteral items: JSONNode...) { self = .array(items) }
  init(dictionaryLiteral fields: (String, JSONNode)...) { self = .object(fields) }
}
