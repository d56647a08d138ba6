import LarderWorkloads

/// What a workload takes for granted of a configuration: reports compute with it, counts do not
/// depend on it.
public struct ConfigurationAssumptions: Sendable, Hashable, Codable {
  /// The configuration's name.
  public var configuration: String
  /// Tokens per second that the model reads when it computes a prompt.
  public var prefillTokensPerSecond: Double?

  /// The drive of a disk cache.
  public var drive: DriveModel?

  /// Assumptions.
  public init(
    configuration: String, prefillTokensPerSecond: Double? = nil, drive: DriveModel? = nil
  ) {
    self.configuration = configuration
    self.prefillTokensPerSecond = prefillTokensPerSecond
    self.drive = drive
  }

  /// Those of a workload; nil where it has none.
  package static func all(of workload: Workload) -> [ConfigurationAssumptions]? {
    let all = workload.configurations.compactMap { spec -> ConfigurationAssumptions? in
      let rate = spec.prefix?.prefillTokensPerSecond
      let drive = spec.drive.map {
        DriveModel(
          enduranceBytes: $0.enduranceBytes, utilisation: Double($0.utilisation.billionths) / 1e9)
      }
      guard rate != nil || drive != nil else { return nil }
      return ConfigurationAssumptions(
        configuration: spec.name, prefillTokensPerSecond: rate, drive: drive)
    }
    return all.isEmpty ? nil : all
  }
}
