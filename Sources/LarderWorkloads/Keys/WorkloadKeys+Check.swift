extension WorkloadKeys {
  /// What checks allow, and what they time.
  static let check = Section<CheckSpec>(
    "check", "Tolerances of larder check, and the cells that it times.",
    expected: "a map with the keys exact, tolerance, resources and timed",
    keys: [
      Key(
        "exact", .boolean, \.isExact,
        "whether every change of a count fails, gains included: for policies that must count what "
          + "they counted", default: "`false`", example: "true"),
      Key(
        "tolerance", .map(tolerance, into: [:]), \.tolerances, "how much counts may change",
        default: "no tolerance", example: "{hit_ratio: 0.001}"),
      Key(
        "resources", .map(resources, into: [:]), \.resources,
        "how much memory and disk of executed cells, and instructions, may change",
        default: "5% of memory and disk, 1% of instructions",
        example: "{memory_bytes_per_object: 2%}"),
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

  /// How much of memory and disk may change, by the names of their columns in `timings.csv`.
  static let resources = Section<[CheckResource: Share]>(
    "resources", "How much memory, disk and instructions may change.",
    expected: "a map such as {memory_bytes_per_object: 2%}",
    keys: CheckResource.allCases.map { resource in
      Key(
        resource.rawValue, .difference, resource.meaning, default: "`\(resource.threshold)`",
        example: "2%"
      ) { share, thresholds, _ in thresholds[resource] = share }
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

extension CheckResource {
  /// The meaning of its key.
  fileprivate var meaning: String {
    switch self {
    case .memoryBytesPerObject: "change of the memory of each object, relative to the baseline"
    case .diskBytes: "change of the bytes of all files, relative to the baseline"
    case .bytesWritten: "change of the bytes given to the system to write, relative to the baseline"
    case .files: "change of the number of files, relative to the baseline"
    case .instructionsPerRequest:
      "change of the instructions of a request, relative to the baseline"
    }
  }
}
