import LarderEngine
import LarderTraces

/// Keys of one kind of map in a workload file. The decoder, the JSON schema and docs/workloads.md
/// use them.
package struct KeyTable: Sendable {
  /// Name of the map's definition in the schema.
  package let name: String
  /// Description of the map in a sentence.
  package let summary: String
  /// Keys in the order of lists and decoding.
  package let keys: [Key]
  /// Mutually exclusive keys.
  let exclusive: [String]
  /// Components whose parameters are also keys of the map; nil for a map without such keys.
  let components: Components?
  /// Further rules of the schema, for conditions between keys.
  let rules: JSONNode

  package struct Key: Sendable {
    /// Name as typed.
    package let name: String
    /// Schema of its value.
    let shape: ValueShape
    package let isRequired: Bool
    /// Meaning in Markdown.
    let meaning: String
    /// Default in Markdown.
    let defaultText: String
    /// Example value as typed; empty for none.
    let example: String

    /// Types of its value.
    package var types: [ValueType] { shape.types }
    /// Allowed words, if they are limited.
    package var choices: [String] { shape.words }
  }

  /// Components, one of which a key's value names.
  struct Components: Sendable {
    let key: String
    let all: [(name: String, parameters: [Parameter])]
  }

  /// Types of YAML and JSON, with the names of JSON Schema.
  package enum ValueType: String, Sendable, Hashable, CaseIterable {
    case string
    case integer
    case number
    case boolean
    case array
    case object
  }

  package var names: [String] { keys.map(\.name) }
}

/// One key of a workload file: documentation, schema and decoder.
struct Key<Target>: Sendable {
  /// Entry in the schema and the documentation.
  let entry: KeyTable.Key
  /// Decodes the value into the result.
  let take: Take

  typealias Take =
    @Sendable (YAMLValue, inout Target, WorkloadReading) throws(WorkloadError) -> Void

  /// Effect of a missing key, in Markdown.
  enum Default: ExpressibleByStringInterpolation {
    /// The key must be given.
    case required
    case text(String)

    init(stringLiteral text: String) { self = .text(text) }
  }

  /// A key whose value a closure stores in the result. Its errors are reported with the value's
  /// position.
  init<Value>(
    _ name: String, _ form: Form<Value>, _ meaning: String, default defaultValue: Default,
    example: String,
    into: @escaping @Sendable (Value, inout Target, YAMLValue) throws -> Void
  ) {
    let (text, isRequired) =
      switch defaultValue {
      case .required: ("required", true)
      case .text(let text): (text, false)
      }
    entry = KeyTable.Key(
      name: name, shape: form.shape, isRequired: isRequired, meaning: meaning, defaultText: text,
      example: example)
    take = { (value, target, reading) throws(WorkloadError) in
      let result = try form.read(value, reading)
      try value.locating { try into(result, &target, value) }
    }
  }

  /// A key whose value is a property of the result.
  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value> & Sendable,
    _ meaning: String, default defaultValue: Default, example: String
  ) {
    self.init(name, form, meaning, default: defaultValue, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  /// A key whose value is an optional property of the result.
  init<Value>(
    _ name: String, _ form: Form<Value>, _ path: WritableKeyPath<Target, Value?> & Sendable,
    _ meaning: String, default defaultValue: Default, example: String
  ) {
    self.init(name, form, meaning, default: defaultValue, example: example) { value, target, _ in
      target[keyPath: path] = value
    }
  }

  private init(entry: KeyTable.Key, take: @escaping Take) {
    self.entry = entry
    self.take = take
  }

  /// The key for a result that contains this key's result.
  func within<Whole>(_ path: WritableKeyPath<Whole, Target> & Sendable) -> Key<Whole> {
    Key<Whole>(entry: entry) { (value, whole, reading) throws(WorkloadError) in
      try take(value, &whole[keyPath: path], reading)
    }
  }
}

/// Keys of one kind of map, with their decoders.
struct Section<Target>: Sendable {
  /// Keys for the schema and the documentation.
  let table: KeyTable
  /// Expected content, for a value that is not a map.
  let expected: String
  private let keys: [Key<Target>]
  private let finish: Finish

  /// Checks and completes the result after all keys have been decoded. Its errors are reported with
  /// the position of the map.
  typealias Finish = @Sendable (YAMLMap, inout Target, WorkloadReading) throws -> Void

  /// Creates a section; see `KeyTable` for the meaning of the other parts.
  init(
    _ name: String, _ summary: String, expected: String, exclusive: [String] = [],
    components: KeyTable.Components? = nil, rules: JSONNode = [:], keys: [Key<Target>],
    finish: @escaping Finish = { _, _, _ in }
  ) {
    table = KeyTable(
      name: name, summary: summary, keys: keys.map(\.entry), exclusive: exclusive,
      components: components, rules: rules)
    self.expected = expected
    self.keys = keys
    self.finish = finish
  }

  /// The section with one more key.
  func adding(_ key: Key<Target>) -> Section {
    Section(
      table.name, table.summary, expected: expected, exclusive: table.exclusive,
      components: table.components, rules: table.rules, keys: keys + [key], finish: finish)
  }

  func read(
    _ value: YAMLValue, into target: inout Target, _ reading: WorkloadReading,
    expected: String? = nil
  ) throws(WorkloadError) {
    try read(YAMLMap(value, expected: expected ?? self.expected), into: &target, reading)
  }

  func read(
    _ map: YAMLMap, into target: inout Target, _ reading: WorkloadReading
  ) throws(WorkloadError) {
    try map.check(table)
    for key in keys {
      if let value = map[key.entry.name] { try key.take(value, &target, reading) }
    }
    try map.value.locating { try finish(map, &target, reading) }
  }
}

/// Syntax of a value in the JSON schema.
struct ValueShape: Sendable {
  /// Allowed types.
  var types: [KeyTable.ValueType]
  /// Allowed words, if they are limited.
  var words: [String] = []
  /// Alternative schemas, one of which must match.
  var alternatives: [JSONNode]
  /// A named schema in the schema's definitions, to which the alternatives refer.
  var definition: (name: String, schema: JSONNode)?

  init(
    _ types: [KeyTable.ValueType], words: [String] = [], _ alternatives: JSONNode...
  ) {
    self.types = types
    self.words = words
    self.alternatives = alternatives
  }

  static func words(_ words: [String]) -> ValueShape {
    ValueShape([.string], words: words, ["enum": .strings(words)])
  }

  /// Text that matches the pattern.
  static func text(_ pattern: String) -> ValueShape {
    ValueShape([.string], ["type": "string", "pattern": .string("^\(pattern)$")])
  }

  /// A map with the keys of the table.
  static func map(_ table: KeyTable) -> ValueShape {
    ValueShape([.object], .reference(table.name))
  }

  /// A whole number in the range.
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

  /// The shape as a definition with a name.
  func named(_ name: String) -> ValueShape {
    var shape = self
    shape.definition = (name, schema)
    shape.alternatives = [.reference(name)]
    return shape
  }

  /// A reference to a named definition.
  static func reference(to shape: ValueShape) -> ValueShape {
    var shape = shape
    shape.definition = nil
    return shape
  }

  /// A list of such values, at least one, or a single one.
  var listed: ValueShape {
    var shape = self
    shape.types = [.array] + types
    shape.alternatives.insert(["type": "array", "minItems": 1, "items": schema], at: 0)
    return shape
  }

  /// The complete schema.
  var schema: JSONNode {
    alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives)]
  }
}
