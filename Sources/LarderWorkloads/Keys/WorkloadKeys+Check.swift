extension WorkloadKeys {
  /// What checks allow, and what they time.
  static let check = Section<CheckSpec>(
    "check", "Tolerances of larder check, and the cells that it times.",
    expected: "a map with the keys tolerance and timed",
    keys: [
      Key(
        "tolerance", .map(tolerance, into: [:]), \.tolerances, "how much counts may change",
        default: "no tolerance", example: "{hit_ratio: 0.001}"),
      Key(
        "timed", .map(timed, into: ExecutionFilter()), \.timed,
        "the cells that are timed with `--against` and `--timings`", default: "all",
        example: "{policies: lru}"),
    ])

  /// How much counts may change, by the names of their columns in `counts.csv`.
  static let tolerance = Section<[CheckTolerance: Share]>(
    "tolerance", "How much counts may change.", expected: "a map such as {hit_ratio: 0.001}",
    keys: CheckTolerance.allCases.map { count in
      Key(
        count.rawValue, .difference, count.meaning, default: "`0`",
        example: count.isRatio ? "0.001" : "1%"
      ) { share, tolerances, _ in tolerances[count] = share }
    })

  /// The cells that are timed.
  static let timed = Section<ExecutionFilter>(
    "timed", "The cells that are timed.", expected: "a map such as {policies: [lru]}",
    keys: filterKeys("timed", default: "all"))
}

extension CheckTolerance {
  /// Whether it is a difference of ratios.
  fileprivate var isRatio: Bool { rawValue.hasSuffix("_ratio") }

  /// The meaning of its key.
  fileprivate var meaning: String {
    let name = rawValue.split(separator: "_").joined(separator: " ")
    return switch self {
    case .hitRatio: "absolute difference of the hit ratio, also by tier"
    case .byteHitRatio: "absolute difference of the byte hit ratio"
    default: "change of \(name), relative to the baseline"
    }
  }
}
