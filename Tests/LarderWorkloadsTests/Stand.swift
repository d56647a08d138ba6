@testable import LarderWorkloads

/// What tests of the decoder check names with.
enum Stand {
  /// The registries of this build.
  static let checks = ComponentChecks.registered
}
