import LarderEngine

@testable import LarderTraces

/// Helpers for tests of generators.
enum Generated {
  static func records(
    _ text: String, requests: Int, seed: UInt64 = 1, sizes: String? = nil, ttls: String? = nil,
    operations: [String: Double]? = nil, rate: Double? = nil
  ) throws -> [TraceRecord] {
    let spec = try spec(
      text, requests: requests, sizes: sizes, ttls: ttls, operations: operations, rate: rate)
    return try allRecords(source(spec, seed: seed))
  }

  static func spec(
    _ text: String, requests: Int, sizes: String? = nil, ttls: String? = nil,
    operations: [String: Double]? = nil, rate: Double? = nil
  ) throws -> SourceSpec {
    .generator(
      GeneratorSpec(
        component: try ComponentSpec(parsing: text), requests: requests,
        sizes: try sizes.map { try ComponentSpec(parsing: $0) },
        ttls: try ttls.map { try ComponentSpec(parsing: $0) }, operations: operations, rate: rate))
  }

  /// The source of a spec that has no traces in it.
  static func source(_ spec: SourceSpec, seed: UInt64 = 1) throws -> any RecordSource {
    try spec.makeSource(seed: seed) { reference in
      throw TraceError("no traces here", in: reference.path)
    }
  }

  static func digest(_ records: [TraceRecord]) -> UInt64 {
    records.reduce(0xcbf2_9ce4_8422_2325) { digest, record in
      var value = digest
      for word in [
        record.key, record.time, UInt64(record.size), UInt64(record.ttl),
        UInt64(record.cost.bitPattern), UInt64(record.operation),
      ] { value = (value ^ word) &* 0x0000_0100_0000_01b3 ^ value >> 47 }
      return value
    }
  }

  /// Message of the error that `body` throws; nil without an error.
  static func message(_ body: () throws -> Void) -> String? { thrown(body).map { "\($0)" } }
}
