extension WorkloadKeys {
  /// What checks allow, and what they time.
  package static let check = KeyTable(
    "check",
    .init("tolerance", .object),
    .init("timed", .object))

  /// How much counts may change, by the names of their columns in `counts.csv`.
  package static let tolerance = KeyTable(
    "tolerance",
    keys: CheckTolerance.allCases.map { KeyTable.Key($0.rawValue, .number, .string) })

  /// The cells that are timed.
  package static let timed = KeyTable(
    "timed",
    .init("configurations", .array, .string),
    .init("policies", .array, .string),
    .init("capacities", .array, .string, .integer))
}
