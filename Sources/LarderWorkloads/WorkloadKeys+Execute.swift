import Larder

extension WorkloadKeys {
  /// How real caches are driven.
  package static let execute = KeyTable(
    "execute",
    .init("threads", .array, .integer),
    .init("load", .object, .string, choices: [closedLoad]),
    .init("origin", .string, choices: ExecutionSpec.OriginTime.allCases.map(\.rawValue)),
    .init("verify", .string, choices: ExecutionSpec.Verification.allCases.map(\.rawValue)),
    .init("value-size", .string, .integer),
    .init("page-cache", .string, choices: ExecutionSpec.PageCache.allCases.map(\.rawValue)),
    .init("durability", .string, choices: DiskDurability.allCases.map(\.rawValue)),
    .init("inline", .string, .integer),
    .init("hashing", .string, choices: HashingWord.allCases.map(\.rawValue)),
    .init("shards", .integer),
    .init("pressure", .array, .object),
    .init("configurations", .array, .string),
    .init("policies", .array, .string),
    .init("capacities", .array, .string, .integer))

  /// When requests are made, where that is not `closed`: exactly one of the two.
  package static let load = KeyTable(
    "load",
    .init("trace", .string),
    .init("rate", .number))

  /// Memory pressure at a place in the trace.
  package static let pressure = KeyTable(
    "pressure",
    .init("at", .string, required: true),
    .init("level", .string, required: true, choices: PressureWord.allCases.map(\.rawValue)))

  /// The word for a load without times.
  static let closedLoad = "closed"
}

/// How memory hashes keys, as workload files say it.
enum HashingWord: String, CaseIterable {
  case standard, fast

  /// What is meant.
  package var hashing: KeyHashing {
    switch self {
    case .standard: .standard
    case .fast: .fast
    }
  }
}

/// How short of memory the system is, as workload files say it.
enum PressureWord: String, CaseIterable {
  case warning, critical

  /// What is meant.
  package var level: MemoryPressureLevel {
    switch self {
    case .warning: .warning
    case .critical: .critical
    }
  }
}
