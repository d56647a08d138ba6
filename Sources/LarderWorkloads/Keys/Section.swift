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
