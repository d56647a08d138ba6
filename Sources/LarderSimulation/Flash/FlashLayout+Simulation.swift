import LarderEngine
import LarderWorkloads

extension FlashLayout {
  /// A simulation of a disk cache with this layout.
  ///
  /// - Throws: `PolicyError.badSetup` where the setup is not that of one tier on disk in bytes, or
  ///   the capacity is too small for the layout.
  func makeSimulation(
    _ setup: SimulationSetup, over columns: RequestColumns
  ) throws(PolicyError) -> any FlashSimulating {
    guard case .disk(let tier) = setup.arrangement, setup.unit == .bytes else {
      throw .badSetup("layout", word, expected: "a disk cache whose capacity is in bytes")
    }
    if let fault = fault(capacity: tier.capacity) {
      throw .badSetup("capacity", "\(tier.capacity)", expected: fault)
    }
    let (regions, buckets) = (
      Int(regionCount(of: tier.capacity)), Int(bucketCount(of: tier.capacity))
    )
    func made(_ store: some FlashStore) -> any FlashSimulating {
      FlashSimulation(store, timeToLiveSeconds: tier.timeToLiveSeconds, over: columns)
    }
    switch self {
    case .log(let region, let hits):
      return made(
        LogStore(region: region, count: regions, reinsertHits: hits, objects: columns.objects))
    case .sets:
      return made(SetsStore(count: buckets, objects: columns.objects))
    case .kangaroo(let layout):
      return made(
        KangarooStore(layout, regions: regions, buckets: buckets, objects: columns.objects))
    }
  }
}
