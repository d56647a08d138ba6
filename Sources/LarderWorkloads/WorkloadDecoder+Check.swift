extension WorkloadDecoder {
  /// What checks allow, and what they time.
  func check(_ value: YAMLValue, of workload: Workload) throws(WorkloadError) -> CheckSpec {
    let map = try YAMLMap(
      value, WorkloadKeys.check, expected: "a map with the keys tolerance and timed")
    var spec = CheckSpec()
    if let tolerance = map["tolerance"] {
      let map = try YAMLMap(
        tolerance, WorkloadKeys.tolerance, expected: "a map such as {hit_ratio: 0.001}")
      for name in CheckTolerance.allCases {
        if let value = map[name.rawValue] { spec.tolerances[name] = try allowance(value) }
      }
    }
    if let timed = map["timed"] {
      let map = try YAMLMap(
        timed, WorkloadKeys.timed, expected: "a map such as {policies: [lru]}")
      spec.timed = try executionFilter(map, of: workload, toBe: "timed")
    }
    return spec
  }

  /// A difference from 0 to 1, such as `0.001` or `0.1%`.
  private func allowance(_ value: YAMLValue) throws(WorkloadError) -> Share {
    let expected = "a number from 0 to 1, such as 0.001 or 0.1%"
    let text = try value.text([.string, .integer, .number], expected: expected)
    if let share = Share(parsing: text) { return share }
    guard let (billionths, isExact) = ExactDecimal(text)?.multiplied(by: 1_000_000_000), isExact,
      billionths <= 1_000_000_000
    else { throw value.unexpected(expected) }
    return Share(billionths: billionths)
  }
}
