import LarderTraces

/// The keys of one kind of map in a workload file. The decoder accepts them, the JSON schema and
/// docs/workloads.md are written from them.
package struct KeyTable: Sendable {
  /// The name of the map's definition in the schema.
  package let name: String
  /// What the map is, in a sentence.
  package let summary: String
  /// The keys in the order in which they are listed and read.
  package let keys: [Key]
  /// Keys of which no two may be given together.
  let exclusive: [String]
  /// Components whose parameters are keys of the map too; nil for a map without such keys.
  let components: Components?
  /// Further rules of the schema, for conditions between keys.
  let rules: JSONNode

  /// One key.
  package struct Key: Sendable {
    /// The name as typed.
    package let name: String
    /// How its value is written.
    let shape: ValueShape
    /// Whether it must be given.
    package let isRequired: Bool
    /// Its meaning, in Markdown.
    let meaning: String
    /// What applies without it, in Markdown.
    let defaultText: String
    /// A value as one would type it; empty for none.
    let example: String

    /// The types that its value may have.
    package var types: [ValueType] { shape.types }
    /// The words that are allowed as text, where only some are.
    package var choices: [String] { shape.words }
  }

  /// Components, one of which the value of a key names.
  struct Components: Sendable {
    let key: String
    let all: [(name: String, parameters: [GeneratorParameter])]
  }

  /// The types of YAML and JSON, by the names that JSON Schema gives them.
  package enum ValueType: String, Sendable, Hashable, CaseIterable {
    /// Text.
    case string
    /// A whole number.
    case integer
    /// Any number.
    case number
    /// `true` or `false`.
    case boolean
    /// A list.
    case array
    /// A map.
    case object
  }

  /// The names of the keys.
  package var names: [String] { keys.map(\.name) }
}

/// One key of a workload file: everything that is known of it.
struct Key<Target>: Sendable {
  /// What the schema and the documentation say.
  let entry: KeyTable.Key
  /// Reads the value into the result.
  let take: Take

  typealias Take =
    @Sendable (YAMLValue, inout Target, WorkloadReading) throws(WorkloadError) -> Void

  /// What applies to a file without the key, in Markdown.
  enum Default: ExpressibleByStringInterpolation {
    /// The key must be given.
    case required
    case text(String)

    init(stringLiteral text: String) { self = .text(text) }
  }

  /// A key whose value a closure puts into the result. What it throws is told with the value's
  /// place.
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

  /// A key whose value is a property of the result that is nil without it.
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

  /// The key of a map whose result is a part of a larger one.
  func within<Whole>(_ path: WritableKeyPath<Whole, Target> & Sendable) -> Key<Whole> {
    Key<Whole>(entry: entry) { (value, whole, reading) throws(WorkloadError) in
      try take(value, &whole[keyPath: path], reading)
    }
  }
}

/// The keys of one kind of map, each with what it does to the result.
struct Section<Target>: Sendable {
  /// The keys as the schema and the documentation list them.
  let table: KeyTable
  /// What is expected in place of a value that is no map.
  let expected: String
  private let keys: [Key<Target>]
  private let finish: Finish

  /// Checks and completes the result when every key has been read. What it throws is told with the
  /// place of the map.
  typealias Finish = @Sendable (YAMLMap, inout Target, WorkloadReading) throws -> Void

  /// A section; see `KeyTable` for the meaning of the other parts.
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

  /// The same with one more key.
  func adding(_ key: Key<Target>) -> Section {
    Section(
      table.name, table.summary, expected: expected, exclusive: table.exclusive,
      components: table.components, rules: table.rules, keys: keys + [key], finish: finish)
  }

  /// Reads a map.
  func read(
    _ value: YAMLValue, into target: inout Target, _ reading: WorkloadReading,
    expected: String? = nil
  ) throws(WorkloadError) {
    try read(YAMLMap(value, expected: expected ?? self.expected), into: &target, reading)
  }

  /// Reads the entries of a map.
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

/// How a value is written, as the JSON schema says it.
struct ValueShape: Sendable {
  /// The types it may have.
  var types: [KeyTable.ValueType]
  /// The words that are allowed, where only some are.
  var words: [String] = []
  /// The schemas of which one must hold.
  var alternatives: [JSONNode]
  /// A schema that stands once among the schema's definitions, for the alternatives to refer to.
  var definition: (name: String, schema: JSONNode)?

  init(
    _ types: [KeyTable.ValueType], words: [String] = [], _ alternatives: JSONNode...
  ) {
    self.types = types
    self.words = words
    self.alternatives = alternatives
  }

  /// One of the words.
  static func words(_ words: [String]) -> ValueShape {
    ValueShape([.string], words: words, ["enum": .strings(words)])
  }

  /// Text of the form.
  static func text(_ pattern: String) -> ValueShape {
    ValueShape([.string], ["type": "string", "pattern": .string("^\(pattern)$")])
  }

  /// A map of the table.
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

  /// Either.
  func or(_ other: ValueShape) -> ValueShape {
    var shape = self
    shape.types += other.types.filter { !types.contains($0) }
    shape.words += other.words
    shape.alternatives += other.alternatives
    shape.definition = definition ?? other.definition
    return shape
  }

  /// The same, defined once under a name.
  func named(_ name: String) -> ValueShape {
    var shape = self
    shape.definition = (name, schema)
    shape.alternatives = [.reference(name)]
    return shape
  }

  /// What is defined elsewhere under its name.
  static func reference(to shape: ValueShape) -> ValueShape {
    var shape = shape
    shape.definition = nil
    return shape
  }

  /// A list of such values, at least one, or one alone.
  var listed: ValueShape {
    var shape = self
    shape.types = [.array] + types
    shape.alternatives.insert(["type": "array", "minItems": 1, "items": schema], at: 0)
    return shape
  }

  /// All of it.
  var schema: JSONNode {
    alternatives.count == 1 ? alternatives[0] : ["anyOf": .array(alternatives)]
  }
}
