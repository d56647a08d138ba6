/// One parameter of a generator or a distribution: `name=value` after a colon, or a key in a
/// workload file.
public struct GeneratorParameter: Sendable, Hashable {
  /// The name, such as `objects`.
  public let name: String
  /// What its value must be.
  public let kind: ParameterKind
  /// The value when nothing is given, as one would type it; nil when it must be given.
  public let defaultValue: String?
  /// What it means and its unit.
  public let summary: String
  /// Where the default comes from, when it is more than a round number.
  public let origin: String

  /// A parameter with its default, typed as a user would.
  public init(
    _ name: String, _ kind: ParameterKind, default defaultValue: String?, _ summary: String,
    origin: String = ""
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.summary = summary
    self.origin = origin
  }
}
