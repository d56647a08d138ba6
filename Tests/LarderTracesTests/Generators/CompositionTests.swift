import TestSupport
import Testing

@testable import LarderTraces

/// Phases one after another, and mixes.
@Suite(.endsInTime) struct CompositionTests {
  private let traces: [String: RecordList] = [
    "a": RecordList(
      list: (0..<10).map { TraceRecord(key: $0, time: 5_000_000 + $0 * 1_000_000) },
      columns: .time, batch: 3),
    "hashed": RecordList(list: [TraceRecord(key: .max), TraceRecord(key: 3)], columns: .time),
    "empty": RecordList(list: []),
    "broken": RecordList(
      list: [TraceRecord(key: 1)], failure: TraceError("cut short", in: "broken")),
  ]

  private func source(_ spec: SourceSpec, seed: UInt64 = 1) throws -> any RecordSource {
    let traces = traces
    return try spec.makeSource(seed: seed) { reference in
      guard let trace = traces[reference.path] else {
        throw TraceError("no such file", in: reference.path)
      }
      return trace
    }
  }

  private func loop(_ objects: Int, requests: Int, rate: Double? = nil) throws -> SourceSpec {
    try Generated.spec("loop:objects=\(objects)", requests: requests, rate: rate)
  }

  @Test func phasesHaveSeparateKeys() throws {
    let phases = SourceSpec.phases(
      [try loop(2, requests: 3), try loop(3, requests: 4)], sharedKeys: false)
    let made = try source(phases)
    #expect(made.keyLimit == 5)
    #expect(try allRecords(made).map(\.key) == [0, 1, 0, 2, 3, 4, 2])
  }

  @Test func phasesCanShareKeys() throws {
    let phases = SourceSpec.phases(
      [try loop(2, requests: 3), try loop(3, requests: 4)], sharedKeys: true)
    let made = try source(phases)
    #expect(made.keyLimit == 3)
    #expect(try allRecords(made).map(\.key) == [0, 1, 0, 0, 1, 2, 0])
  }

  @Test func sharedObjectsHaveOneSize() throws {
    let part = try Generated.spec("loop:objects=50", requests: 100, sizes: "uniform")
    for sharedKeys in [true, false] {
      let records = try allRecords(source(.phases([part, part], sharedKeys: sharedKeys)))
      let isSame = records[..<50].map(\.size) == records[150...].map(\.size)
      #expect(isSame == sharedKeys)
    }
  }

  @Test func phasesHaveSeparateSeeds() throws {
    let part = try Generated.spec("uniform:objects=1000", requests: 100)
    let keys = try allRecords(source(.phases([part, part], sharedKeys: true))).map(\.key)
    #expect(keys[..<100] != keys[100...])
  }

  @Test func timeContinuesAcrossPhases() throws {
    let phases = SourceSpec.phases(
      [
        try loop(2, requests: 3, rate: 1), .trace(TraceReference(path: "a")),
        try loop(2, requests: 2, rate: 2),
      ], sharedKeys: false)
    let made = try source(phases)
    #expect(made.columns == [.time])
    #expect(made.keyLimit == nil)
    let seconds = try allRecords(made).map { Double($0.time) / 1e6 }
    #expect(seconds == [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11.5])
  }

  @Test func hashedKeysOfPhasesStaySeparate() throws {
    let trace = SourceSpec.trace(TraceReference(path: "hashed"))
    let apart = try allRecords(source(.phases([trace, trace], sharedKeys: false)))
    #expect(Set(apart.map(\.key)).count == 4)
    let shared = try allRecords(source(.phases([trace, trace], sharedKeys: true)))
    #expect(shared.map(\.key) == [.max, 3, .max, 3])
  }

  @Test func mixFollowsItsWeights() throws {
    let mix = SourceSpec.mix(
      [
        MixPart(weight: 3, source: try loop(10, requests: 1_000_000)),
        MixPart(weight: 1, source: try loop(20, requests: 1_000_000)),
      ], requests: 40_000, sharedKeys: false)
    let made = try source(mix)
    #expect(made.keyLimit == 30)
    let keys = try allRecords(made).map(\.key)
    #expect(keys.count == 40_000)
    let first = keys.filter { $0 < 10 }
    #expect(abs(Double(first.count) / 40_000 - 0.75) < 0.01)
    // Each part keeps its own order.
    #expect(first == first.indices.map { UInt64($0 % 10) })
    #expect(keys == (try allRecords(source(mix)).map(\.key)))
    #expect(keys != (try allRecords(source(mix, seed: 2)).map(\.key)))
  }

  @Test func sourceOfAMixRestarts() throws {
    let mix = SourceSpec.mix(
      [MixPart(weight: 1, source: .trace(TraceReference(path: "a")))], requests: 25,
      sharedKeys: true)
    let records = try allRecords(source(mix))
    #expect(records.map(\.key) == (0..<25).map { $0 % 10 })
    // Nine seconds per run; each run begins at the end of the previous one.
    #expect(records[9].time == 9_000_000 && records[10].time == 9_000_000)
    #expect(records[24].time == 22_000_000)
  }

  @Test func mixedClocksRunSideBySide() throws {
    let mix = SourceSpec.mix(
      [
        MixPart(weight: 1, source: try loop(10, requests: 100_000, rate: 10)),
        MixPart(weight: 1, source: try loop(10, requests: 100_000, rate: 1000)),
      ], requests: 2000, sharedKeys: false)
    let records = try allRecords(source(mix))
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
    // About 1000 requests of the slower source, which determines the time: 100 seconds.
    #expect((90...110).contains(records[1999].time / 1_000_000))
  }

  @Test func mixesAndPhasesNest() throws {
    let inner = SourceSpec.mix(
      [
        MixPart(weight: 1, source: try loop(5, requests: 10)),
        MixPart(weight: 1, source: try loop(7, requests: 10)),
      ], requests: 100, sharedKeys: false)
    let made = try source(.phases([inner, try loop(3, requests: 6), inner], sharedKeys: false))
    #expect(made.keyLimit == 27)
    let keys = try allRecords(made).map(\.key)
    #expect(keys.count == 206)
    #expect(Array(keys[100..<106]) == [12, 13, 14, 12, 13, 14])
    #expect(keys[106...].allSatisfy { (15..<27).contains($0) })
  }

  @Test func stoppingEarlyStopsTheSources() throws {
    let mix = SourceSpec.mix(
      [MixPart(weight: 1, source: .trace(TraceReference(path: "a")))], requests: 1_000_000,
      sharedKeys: true)
    var batches = 0
    try source(mix).records { _ in
      batches += 1
      return batches < 3
    }
    #expect(batches == 3)
  }

  @Test func errorsOfPartsAreReported() throws {
    let broken = SourceSpec.trace(TraceReference(path: "broken"))
    #expect(
      Generated.message {
        _ = try allRecords(source(.phases([broken], sharedKeys: true)))
      } == "broken: cut short")
    let missing = SourceSpec.trace(TraceReference(path: "nowhere"))
    #expect(
      Generated.message { _ = try source(.phases([missing], sharedKeys: true)) }
        == "nowhere: no such file")
    let empty = MixPart(weight: 1, source: .trace(TraceReference(path: "empty")))
    #expect(
      Generated.message {
        _ = try allRecords(source(.mix([empty], requests: 5, sharedKeys: true)))
      } == "mix: a source of the mix has no requests")
    #expect(Generated.message { _ = try source(.phases([], sharedKeys: true)) } != nil)
    #expect(Generated.message { _ = try source(.mix([], requests: 1, sharedKeys: true)) } != nil)
    for weight in [0, -1, Double.nan, .infinity] {
      let part = MixPart(weight: weight, source: try loop(1, requests: 1))
      #expect(
        Generated.message { _ = try source(.mix([part], requests: 1, sharedKeys: true)) }
          == "mix: weight: expected a number above 0, found \(weight)")
    }
  }
}
