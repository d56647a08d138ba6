import Foundation
import LarderEngine
import LarderSupport
import LarderTraces

extension CurveMaker {
  /// Number of parts into which a sample is divided to measure their variation.
  static var parts: UInt32 { 8 }

  /// Hit ratios by policy and capacity.
  typealias Ratios = [[Double]]

  /// LRU's curve from a sample: of a fixed rate, or with a fixed number of objects.
  func shards(
    _ policy: PolicySpec, _ capacities: [UInt64], _ notes: inout [String]
  ) throws -> MissRatioCurve {
    let compared = settings.measuresError ? comparedCapacities : []
    let all = Set(capacities + compared).sorted()
    var sample = SpatialSample(rate: sampleRate, seed: settings.seed)
    var ratios: [Double]?
    if let objectsMax = settings.samples {
      let pass = try fixedSizePass(all, objectsMax)
      sample = pass.sample
      ratios = pass.estimate.hitRatios
    }
    let positions = try positions(of: sample)
    let sampled = try trace.requests(at: positions)
    let estimates = try ratios ?? lruRatios(sampled, all, rate: sample.rate)
    let byCapacity = Dictionary(zip(all, estimates), uniquingKeysWith: { first, _ in first })
    let parts = try partRatios(sample, positions, sampled) { part, rate in
      [try lruRatios(part, capacities, rate: rate)]
    }
    warnOfSmall(capacities, sample.rate, &notes)
    var curve = curve(
      policy, .shards, capacities, capacities.map { byCapacity[$0] ?? 0 }, parts.map { $0[0] },
      sample, sampled)
    if settings.measuresError {
      curve.measuredError = try measuredError(
        policy, compared.map { ($0, byCapacity[$0] ?? 0) })
    }
    return curve
  }

  /// SHARDS with a fixed number of objects, over all requests.
  private func fixedSizePass(_ capacities: [UInt64], _ objectsMax: Int) throws -> FixedSizePass {
    let pass = try FixedSizePass(
      over: trace.requests, unit: unit, capacities: capacities, objectsMax: objectsMax,
      seed: settings.seed)
    began("Sampling \(trace.name)", trace.requests.count)
    while pass.position < trace.requests.count {
      if cancellation.isRequested { throw Cancelled() }
      let start = pass.position
      pass.run(upTo: min(start + Self.chunk, trace.requests.count))
      replayed(pass.position - start)
    }
    return pass
  }

  /// Curves of policies, from simulations of a sample.
  func miniature(
    _ places: [Int], _ capacities: [UInt64], _ notes: inout [String]
  ) throws -> [MissRatioCurve] {
    guard !places.isEmpty else { return [] }
    let policies = places.map { settings.policies[$0] }
    let sample = SpatialSample(rate: sampleRate, seed: settings.seed)
    let positions = try positions(of: sample)
    let sampled = try trace.requests(at: positions)
    let estimates = try miniatureRatios(policies, sampled, capacities, rate: sample.rate)
    let parts = try partRatios(sample, positions, sampled) { part, rate in
      try miniatureRatios(policies, part, capacities, rate: rate)
    }
    warnOfSmall(capacities, sample.rate, &notes)
    return try policies.enumerated().map { number, policy in
      var curve = curve(
        policy, .miniature, capacities, estimates[number], parts.map { $0[number] }, sample,
        sampled)
      if settings.measuresError {
        curve.measuredError = try measuredError(
          policy, curve.points.map { ($0.capacity, $0.hitRatio) })
      }
      return curve
    }
  }

  /// Indices of a sample's requests, ascending.
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

  /// Ratios of each part of a sample.
  private func partRatios(
    _ sample: SpatialSample, _ positions: [Int], _ sampled: PreparedTrace,
    _ ratios: (_ part: PreparedTrace, _ rate: Double) throws -> Ratios
  ) throws -> [Ratios] {
    guard sample.rate < 1 else { return [] }
    return try (0..<Self.parts).map { number in
      let part = sample.part(number, of: Self.parts)
      let own = positions.indices.filter { part.isInPart(trace.requests.ids[positions[$0]]) }
      return try ratios(try sampled.requests(at: own), part.rate)
    }
  }

  /// LRU's hit ratios by the stack distances of a sample.
  private func lruRatios(
    _ sampled: PreparedTrace, _ capacities: [UInt64], rate: Double
  ) throws -> [Double] {
    let scaled = capacities.map { UInt64(Double($0) * rate) }
    let pass = try LRUCurvePass(over: sampled.requests, unit: unit, capacities: scaled)
    pass.run(upTo: sampled.requests.count)
    let curve = pass.curve
    return SampledHits(
      requests: gets, represented: Double(curve.requests) / rate,
      hits: scaled.map { Double(curve.hits(at: $0) ?? 0) / rate }
    ).hitRatios
  }

  /// Hit ratios of policies in simulations of a sample, with scaled capacities.
  private func miniatureRatios(
    _ policies: [PolicySpec], _ sampled: PreparedTrace, _ capacities: [UInt64], rate: Double
  ) throws -> Ratios {
    let scaled = capacities.map { max(1, UInt64((Double($0) * rate).rounded())) }
    let distinct = Set(scaled).sorted()
    let places = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
    let counts = try replay(policies, distinct, over: sampled, title: "Simulating a sample")
    return policies.indices.map { number in
      let own = Array(counts[number * distinct.count..<(number + 1) * distinct.count])
      return SampledHits(
        requests: gets, represented: Double(own.first?.requests ?? 0) / rate,
        hits: scaled.map { Double(places[$0].map { own[$0].hits } ?? 0) / rate }
      ).hitRatios
    }
  }

  private func warnOfSmall(_ capacities: [UInt64], _ rate: Double, _ notes: inout [String]) {
    let meanSize =
      unit == .bytes ? Double(trace.footprintBytes) / Double(max(1, trace.storableObjects)) : 1
    let least = CurveSettings.scaledObjectsMin * meanSize / rate
    // Capacities were chosen before the exact rate was known.
    let small = capacities.count { Double($0) < least * 0.8 }
    guard small > 0, rate < 1 else { return }
    let note =
      "\(trace.name): \(small) of \(capacities.count) capacities have room for fewer than "
      + "\(Int(CurveSettings.scaledObjectsMin)) sampled objects, so the estimate is unreliable; "
      + "raise --sample"
    if !notes.contains(note) { notes.append(note) }
  }

  private func curve(
    _ policy: PolicySpec, _ method: CurveMethod, _ capacities: [UInt64], _ estimate: [Double],
    _ parts: [[Double]], _ sample: SpatialSample, _ sampled: PreparedTrace
  ) -> MissRatioCurve {
    let points = capacities.indices.map { place in
      MissRatioCurve.Point(
        capacity: capacities[place], hits: nil, hitRatio: estimate[place],
        standardError: Self.standardError(parts.map { $0[place] }))
    }
    let best = estimate.max() ?? 0
    let needed = best * settings.share.ratio
    return MissRatioCurve(
      trace: trace.name, policy: policy.description, method: method, unit: unit, requests: gets,
      points: points, rate: sample.rate, sampledObjects: sampled.requests.objects,
      smallestCache: best > 0 ? points.first { $0.hitRatio >= needed }?.capacity : nil)
  }

  /// Standard error of the mean over the parts of a sample; applies to the whole sample too, which
  /// is rarely worse than that mean. 0 for a complete sample.
  private static func standardError(_ values: [Double]) -> Double {
    guard values.count > 1 else { return 0 }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / (count - 1) / count).squareRoot()
  }
}
