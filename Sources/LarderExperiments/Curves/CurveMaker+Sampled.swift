import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

extension CurveMaker {
  static var parts: UInt32 { 8 }

  typealias Ratios = [[Double]]

  /// Curves from a sample of the objects: of LRU by SHARDS, with a fixed rate or number of objects;
  /// of any policy from miniature simulations.
  func sampled(
    _ policies: [PolicySpec], _ method: CurveMethod, _ capacities: [UInt64],
    _ notes: inout [String]
  ) throws -> [MissRatioCurve] {
    guard !policies.isEmpty else { return [] }
    var sample = SpatialSample(rate: sampleRate, seed: settings.seed)
    var estimates: Ratios?
    if method == .shards, let objectsMax = settings.samples {
      let pass = try FixedSizePass(
        over: trace.requests, unit: unit, capacities: capacities, objectsMax: objectsMax,
        seed: settings.seed)
      try inChunks("Sampling \(trace.name)") { pass.run(upTo: $0) }
      sample = pass.result.sample
      estimates = [pass.result.hits.hitRatios]
    }
    let positions = try positions(of: sample)
    let sampled = try trace.requests(at: positions)
    func ratios(_ capacities: [UInt64], _ trace: PreparedTrace, _ rate: Double) throws -> Ratios {
      try method == .shards
        ? [lruRatios(trace, capacities, rate: rate)]
        : miniatureRatios(policies, trace, capacities, rate: rate)
    }
    let found = try estimates ?? ratios(capacities, sampled, sample.rate)
    let parts = try parts(of: sample, positions, sampled).map { part in
      try ratios(capacities, part.trace, part.rate)
    }
    warnOfSmall(capacities, sample.rate, &notes)
    return policies.enumerated().map { number, policy in
      let points = capacities.indices.map { place in
        MissRatioCurve.Point(
          capacity: capacities[place], hits: nil, hitRatio: found[number][place],
          standardError: Self.standardError(parts.map { $0[number][place] }))
      }
      let best = points.map(\.hitRatio).max() ?? 0
      return MissRatioCurve(
        trace: trace.name, policy: policy.description, method: method, unit: unit, requests: gets,
        points: points, rate: sample.rate, sampledObjects: sampled.requests.objects,
        smallestCache: best > 0
          ? points.first { $0.hitRatio >= best * settings.share.ratio }?.capacity : nil)
    }
  }

  func positions(of sample: SpatialSample) throws -> [Int] {
    began("Sampling \(trace.name)", trace.requests.count)
    let columns = trace.requests
    let count = (columns.count + Self.chunk - 1) / Self.chunk
    let progress = Locked(())
    let found = parallelMap(
      count: count, threads: settings.threads, unless: cancellation.isRequested
    ) { number in
      let start = number * Self.chunk
      let end = min(start + Self.chunk, columns.count)
      var positions: [Int] = []
      sample.select(in: start..<end, of: columns, into: &positions)
      progress.withLock { _ in replayed(end - start) }
      return positions
    }
    if cancellation.isRequested { throw Cancelled() }
    return found.flatMap { $0 ?? [] }
  }

  private func parts(
    of sample: SpatialSample, _ positions: [Int], _ sampled: PreparedTrace
  ) throws -> [(trace: PreparedTrace, rate: Double)] {
    guard sample.rate < 1 else { return [] }
    return try (0..<Self.parts).map { number in
      let part = sample.part(number, of: Self.parts)
      let own = positions.indices.filter { part.isInPart(trace.requests.ids[positions[$0]]) }
      return (try sampled.requests(at: own), part.rate)
    }
  }

  private func lruRatios(
    _ sampled: PreparedTrace, _ capacities: [UInt64], rate: Double
  ) throws -> [Double] {
    let scaled = capacities.map { UInt64(Double($0) * rate) }
    let pass = try LRUCurvePass(over: sampled.requests, unit: unit, capacities: scaled)
    pass.run(upTo: sampled.requests.count)
    let curve = pass.result
    return SampledHits(
      requests: gets, represented: Double(curve.requests) / rate,
      hits: scaled.map { Double(curve.hits(at: $0) ?? 0) / rate }
    ).hitRatios
  }

  private func miniatureRatios(
    _ policies: [PolicySpec], _ sampled: PreparedTrace, _ capacities: [UInt64], rate: Double
  ) throws -> Ratios {
    let scaled = capacities.map { max(1, UInt64((Double($0) * rate).rounded())) }
    let distinct = Set(scaled).sorted()
    let places = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
    let counts = try replay(
      try policies.map { policy throws(PolicyError) in try policy.scaled(by: rate) }, distinct,
      over: sampled, title: "Simulating a sample")
    return policies.indices.map { number in
      let own = Array(counts[number * distinct.count..<(number + 1) * distinct.count])
      return SampledHits(
        requests: gets, represented: Double(own.first?.requests ?? 0) / rate,
        hits: scaled.map { Double(places[$0].map { own[$0].hits } ?? 0) / rate }
      ).hitRatios
    }
  }

  private func warnOfSmall(_ capacities: [UInt64], _ rate: Double, _ notes: inout [String]) {
    let least = CurveSettings.scaledObjectsMin * trace.meanSize(in: unit) / rate
    // Capacities were chosen before the exact rate was known.
    let small = capacities.count { Double($0) < least * 0.8 }
    guard small > 0, rate < 1 else { return }
    let note =
      "\(trace.name): \(small) of \(capacities.count) capacities have room for fewer than "
      + "\(Int(CurveSettings.scaledObjectsMin)) sampled objects, so the estimate is unreliable; "
      + "raise --sample"
    if !notes.contains(note) { notes.append(note) }
  }

  private static func standardError(_ values: [Double]) -> Double {
    guard values.count > 1 else { return 0 }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / (count - 1) / count).squareRoot()
  }
}
