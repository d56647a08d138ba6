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
