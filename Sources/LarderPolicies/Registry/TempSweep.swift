import LarderEngine

public final class CapacitySweep {
  public static var capacitiesMax: Int { 8 }
  public var position = 0
  public var counts: [Counts] { [] }
  public var stateBytes: Int { 0 }
  public func run(upTo end: Int) {}
  public func resetCounts() {}
}
extension PolicyRegistry {
  package static func sweepsCapacities(_ setup: SimulationSetup) -> Bool { false }
  public static func makeSweep(_ setups: [SimulationSetup], over columns: RequestColumns)
    -> CapacitySweep?
  { nil }
}
