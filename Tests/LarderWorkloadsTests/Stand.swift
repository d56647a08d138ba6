@testable import LarderExperiments

/// What tests of the decoder check names with.
enum Stand {
  /// The registries of this build, and every cache: only Larder's runs policies.
  static let checks = ComponentChecks.registered { name, _ in
    name == ConfigurationSpec.defaultCache
  }
}
