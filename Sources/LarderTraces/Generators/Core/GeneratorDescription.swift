/// What a generator says of itself: one constant beside its code, from which the registry, the
/// command line and the documentation are made.
public struct GeneratorDescription: Sendable {
  /// The name users type, such as `zipf`.
  public let name: String
  /// What it generates, in a sentence or two.
  public let summary: String
  /// The parameters that may follow the name.
  public let parameters: [GeneratorParameter]
  /// The columns it fills by itself; sizes, times to live, operations and a rate that a workload
  /// asks for come on top.
  public let columns: TraceColumns
  /// The paper or measurement it follows.
  public let source: String

  /// A description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, parameters: [GeneratorParameter], columns: TraceColumns = [],
    source: String
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.columns = columns
    self.source = source
  }
}
