/// What a report says of a trace.
public struct TraceFacts: Sendable, Hashable, Codable {
  /// Name of the trace or generator.
  public var name: String
  /// Seed of the generator, nil for a file.
  public var seed: UInt64?
  /// Requests of every operation.
  public var requests: UInt64
  /// Distinct objects.
  public var objects: UInt64
  /// Sum of the sizes of the objects that a cache may store; nil when the trace has no sizes.
  public var footprintBytes: UInt64?
  /// The share of the objects that the trace has, from which the other figures are estimated; nil
  /// for all.
  public var samplingRate: Double?
  /// Distinct objects that a cache may store; nil for all.
  public var storableObjects: UInt64?

  /// The facts.
  public init(
    name: String, seed: UInt64? = nil, requests: UInt64, objects: UInt64, footprintBytes: UInt64?
  ) {
    self.name = name
    self.seed = seed
    self.requests = requests
    self.objects = objects
    self.footprintBytes = footprintBytes
  }
}
