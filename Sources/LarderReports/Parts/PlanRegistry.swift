/// All formats of plans, by name. Adding one is a file in this folder and a line in `all`.
package enum PlanRegistry {
  /// Every format, in the order in which lists show them.
  package static let all: [any PlanFormat] = [
    TablePlan(),
    JSONPlan(),
    SlurmPlan(),
    KubernetesPlan(),
    GitHubPlan(),
    ParallelPlan(),
  ]

  /// The format with this name.
  ///
  /// - Throws: `PlanFormatError.unknown` with the names there are.
  package static func format(named name: String) throws(PlanFormatError) -> any PlanFormat {
    let wanted = name.lowercased()
    guard let format = all.first(where: { $0.name == wanted }) else {
      throw .unknown(name, known: all.map(\.name))
    }
    return format
  }
}
