@testable import LarderExperiments

/// Checks of names for tests of the decoder.
enum Stand {
  /// Registries of this build, and arbitrary caches: only Larder's runs policies.
  static let checks = ComponentChecks.registered { name, _ in
    name == ConfigurationSpec.defaultCache
  }
}
