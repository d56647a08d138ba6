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
