/// All targets. A new target is a file in this folder and a line here.
package enum FuzzRegistry {
  /// Every target, in the order of lists.
  package static let all: [FuzzTarget] =
    FormatTargets.all + [
      .anyFormat,
      .logFormat,
      .prepared,
      .recording,
      .workload,
      .results,
      .baseline,
      .prices,
      .store,
      .part,
      .learnedModel,
      .texts,
      .policy,
      .cABI,
      .processReplies,
      .cacheControl,
      .memoryConfiguration,
      .hybridConfiguration,
      .diskConfiguration,
      .diskBytes,
      .diskRows,
    ]

  package static func target(named name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
