import LarderTraces

/// Curves of a trace that is itself a sample. Everything is counted in the sample, with capacities
/// scaled down; here it becomes what it says of all the traffic.
extension CurveMaker {
  func ofAllTraffic(_ curve: MissRatioCurve) -> MissRatioCurve {
    let sampling = trace.sampling
    guard sampling.isPart else { return curve }
    var whole = curve
    if curve.method == .exact { whole.method = isLRU(curve) ? .shards : .miniature }
    whole.rate = (curve.rate ?? 1) * sampling.rate
    whole.sampledObjects = curve.sampledObjects ?? trace.requests.objects
    whole.requests = sampling.gets > 0 ? sampling.gets : sampling.represented(curve.requests)
    whole.smallestCache = curve.smallestCache.map(sampling.represented)
    let correction = sampling.correction(sampledGets: gets)
    whole.points = curve.points.map { point in
      MissRatioCurve.Point(
        capacity: sampling.represented(point.capacity), hits: nil,
        hitRatio: sampling.corrected(point.hitRatio, sampledGets: gets),
        standardError: point.standardError.map { $0 / correction })
    }
    return whole
  }

  private func isLRU(_ curve: MissRatioCurve) -> Bool { curve.policy == "lru" }
}
