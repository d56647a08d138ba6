/// How the value of a key is written: what the schema says of it, and how it is read.
struct Form<Value>: Sendable {
  /// What the schema says.
  let shape: ValueShape
  private let body: @Sendable (YAMLValue, WorkloadReading) throws -> Value

  /// A form; what the closure throws is told with the value's place.
  init(
    _ shape: ValueShape, read: @escaping @Sendable (YAMLValue, WorkloadReading) throws -> Value
  ) {
    self.shape = shape
    body = read
  }

  /// Reads a value.
  func read(
    _ value: YAMLValue, _ reading: WorkloadReading
  ) throws(WorkloadError) -> Value {
    try value.locating { try body(value, reading) }
  }

  /// The same with another name for its kind of value in the schema.
  func named(_ name: String) -> Form { Form(shape.named(name), read: body) }
}

extension Form {
  /// A list, or a single value in place of a list of one.
  static func list<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    let types = item.shape.types
    let single = Set(types).union(types.contains(.integer) ? [.number] : [])
    return Form(item.shape.listed) { value, reading in
      try value.items(orSingle: single, of: what).map { try item.read($0, reading) }
    }
  }

  /// A list, in brackets or dashes even of one item.
  static func items<Item>(of item: Form<Item>, _ what: String) -> Form where Value == [Item] {
    var shape = item.shape.listed
    (shape.types, shape.alternatives) = ([.array], [shape.alternatives[0]])
    return Form(shape) { value, reading in
      try value.items(of: what).map { try item.read($0, reading) }
    }
  }

  /// A map, read into `initial`.
  static func map(
    _ section: Section<Value>, into initial: Value, expected: String? = nil
  ) -> Form where Value: Sendable {
    Form(.map(section.table)) { value, reading in
      var result = initial
      try section.read(value, into: &result, reading, expected: expected)
      return result
    }
  }

  /// A word that stands for `initial`, or a map.
  static func word(
    _ word: String, orMap section: Section<Value>, into initial: Value
  ) -> Form where Value: Sendable {
    Form(.map(section.table).or(.words([word]))) { value, reading in
      var result = initial
      if value.type == .object {
        try section.read(value, into: &result, reading)
      } else if try value.text(expected: section.expected) != word {
        throw value.unexpected(section.expected)
      }
      return result
    }
  }
}

/// What reading a value may ask: the components that exist, and what the file said before.
final class WorkloadReading {
  let checks: ComponentChecks
  /// The workload as far as it has been read.
  var workload: Workload
  /// How many sources enclose the value.
  var sourceDepth = 0

  init(checks: ComponentChecks, workload: Workload) {
    self.checks = checks
    self.workload = workload
  }
}
