/// The machine a run took place on.
public struct MachineDescription: Sendable, Hashable, Codable {
  /// Processor model.
  public var processor: String
  /// Logical processors available.
  public var cores: Int
  /// Physical memory, bytes.
  public var memoryBytes: UInt64
  /// Operating system and release.
  public var system: String
  /// Version of larder.
  public var larderVersion: String
  /// Git commit that larder was built from; nil where it is not known.
  public var larderRevision: String?
  /// Version of the Swift compiler, as far as the build knows it.
  public var swiftVersion: String
  /// `release` or `debug`.
  public var build: String

  /// A description; see the properties for the meaning of each part.
  public init(
    processor: String, cores: Int, memoryBytes: UInt64, system: String, larderVersion: String,
    larderRevision: String? = nil, swiftVersion: String, build: String
  ) {
    self.processor = processor
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.system = system
    self.larderVersion = larderVersion
    self.larderRevision = larderRevision
    self.swiftVersion = swiftVersion
    self.build = build
  }

  /// Version and commit of larder.
  public var larder: String { larderVersion + (larderRevision.map { " (\($0))" } ?? "") }

  /// The machine in one line, as `timings.csv` names it.
  public var summary: String {
    "\(processor), \(cores) cores, \(memoryBytes >> 30) GiB, \(system), \(build) build"
  }
}
