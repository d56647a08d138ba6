/// One pass over a trace that counts the hits of an LRU cache at many capacities at once.
///
/// With `.objects` it counts at every capacity there is, and every count equals that of a
/// simulation of `lru` at that capacity, with sets and deletes too. With `.bytes` it counts at the
/// capacities named, and a count equals that of a simulation where `LRUCurve.isExact` says so. No
/// entry expires: see `expires(_:)`.
///
/// Mattson, Gecsei, Slutz and Traiger, Evaluation techniques for storage hierarchies, IBM Systems
/// Journal 1970. O(log objects) a request, in practice a few vector operations.
public final class LRUCurvePass {
  private let runBody: (_ end: Int) -> Void
  private let positionBody: () -> Int
  private let curveBody: () -> LRUCurve
  private let bytesBody: () -> Int

  /// A pass before the first request. `capacities` ascend, and count only with `.bytes`.
  public init(over columns: RequestColumns, unit: CapacityUnit, capacities: [UInt64] = []) {
    switch unit {
    case .objects:
      let pass = LRUPass<RecencyBits, DistanceHistogram>(
        columns, counter: DistanceHistogram(depths: columns.objects), capacities: nil)
      (runBody, positionBody, curveBody, bytesBody) = Self.erased(pass)
    case .bytes:
      let pass = LRUPass<RecencyWeights, DistanceGrid>(
        columns, counter: DistanceGrid(capacities), capacities: capacities)
      (runBody, positionBody, curveBody, bytesBody) = Self.erased(pass)
    }
  }

  /// Position of the next request.
  public var position: Int { positionBody() }

  /// What is counted so far. Linear in the capacities.
  public var curve: LRUCurve { curveBody() }

  /// Memory held beside the trace's columns, in bytes.
  public var stateBytes: Int { bytesBody() }

  /// Goes on up to but not including `end`, which is at most the number of requests.
  public func run(upTo end: Int) { runBody(end) }

  /// Whether an entry of the trace can expire. When it does depends on when it was stored, and so
  /// on the capacity: no pass can answer for all of them. O(requests).
  public static func expires(_ columns: RequestColumns) -> Bool {
    guard let ttls = columns.ttls else { return false }
    return (0..<columns.count).contains { ttls[$0] != 0 }
  }

  // Closures, because what a closure calls is specialised for the types it was made with.
  private static func erased<Order: RecencyOrder & ~Copyable, Counter: DistanceCounter & ~Copyable>(
    _ pass: consuming LRUPass<Order, Counter>
  ) -> ((Int) -> Void, () -> Int, () -> LRUCurve, () -> Int) {
    let held = Held(pass)
    return (
      { end in held.with { $0.run(upTo: end) } }, { held.with { $0.position } },
      { held.with { $0.curve } }, { held.with { $0.stateBytes } }
    )
  }
}
