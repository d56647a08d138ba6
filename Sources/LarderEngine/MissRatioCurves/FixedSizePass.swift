/// One pass over a trace that estimates LRU's hits from a sample that never has more than so many
/// objects.
///
/// SHARDS with a fixed size (Waldspurger, Park, Garthwaite and Ahmad, Efficient MRC construction
/// with SHARDS, FAST 2015, section 3.2): the sample begins as all objects; when it has one too many
/// the threshold falls to the largest hash in it, and that object is forgotten. A distance stands
/// for one as long as the rate at the time says, and so does a request for as many.
public final class FixedSizePass {
  private let runBody: (_ end: Int) -> Void
  private let positionBody: () -> Int
  private let resultBody: () -> (SampledHits, SpatialSample, Int)

  /// A pass before the first request. `capacities` ascend; `objectsMax` is at least 1.
  public init(
    over columns: RequestColumns, unit: CapacityUnit, capacities: [UInt64], objectsMax: Int,
    seed: UInt64
  ) {
    switch unit {
    case .objects:
      (runBody, positionBody, resultBody) = Self.erased(
        FixedSizeSampling<RecencyBits>(columns, capacities, objectsMax, seed))
    case .bytes:
      (runBody, positionBody, resultBody) = Self.erased(
        FixedSizeSampling<RecencyWeights>(columns, capacities, objectsMax, seed))
    }
  }

  /// Position of the next request.
  public var position: Int { positionBody() }

  /// What the sample so far says.
  public var estimate: SampledHits { resultBody().0 }

  /// The sample with the threshold that it has now.
  public var sample: SpatialSample { resultBody().1 }

  /// How many objects are in the sample.
  public var sampledObjects: Int { resultBody().2 }

  /// Goes on up to but not including `end`, which is at most the number of requests.
  public func run(upTo end: Int) { runBody(end) }

  private static func erased<Order: RecencyOrder & ~Copyable>(
    _ sampling: consuming FixedSizeSampling<Order>
  ) -> ((Int) -> Void, () -> Int, () -> (SampledHits, SpatialSample, Int)) {
    let held = Held(sampling)
    return (
      { end in held.with { $0.run(upTo: end) } }, { held.with { $0.position } },
      { held.with { ($0.estimate, $0.sample, $0.sampledObjects) } }
    )
  }
}
