import LarderHarness

/// A result of a check in one sentence.
struct CheckFinding {
  /// Levels, the worst first.
  enum Level {
    case failure
    case inconclusive
    /// A change that may be unintended.
    case change
    case remark
  }

  let level: Level
  /// The cell; nil for a trace.
  let cell: CellName?
  /// The cell, and the quantity where that is not in the sentence.
  let title: String
  /// The kind of change, such as `worse`; nil where the sentence says it.
  var kind: String?
  let sentence: String
  /// Advice on getting rid of the finding; nil where it is obvious.
  var advice: String?
  /// The command that reproduces it; nil where none does.
  var command: String?

  var text: String { kind.map { "\($0): \(sentence)" } ?? sentence }
}

extension CheckResult {
  /// All findings: of traces, then of counts, memory and disk, and timings. Linear in the cells.
  var findings: [CheckFinding] {
    traceChanges.map {
      CheckFinding(level: .failure, cell: nil, title: "trace", sentence: $0)
    } + countFindings + resourceFindings + timings.map(finding)
  }

  private var countFindings: [CheckFinding] {
    let changes = counts.changes.map { change in
      let level: CheckFinding.Level =
        counts.fails(change) ? .failure : change.kind == .different ? .change : .remark
      return finding(
        level, change.after.name, kind: change.kind.rawValue, CheckText.sentence(change))
    }
    let new = counts.new.map { finding(.remark, $0.name, "not in the baseline") }
    let missing = counts.missing.map { cell in
      CheckFinding(
        level: .failure, cell: cell.name, title: "\(cell.name)", kind: "missing",
        sentence: "in the baseline, but not in the workload")
    }
    let unequal = unequalExecutions.map {
      finding(.failure, $0, "executed counts with one thread differ from the simulation")
    }
    return changes + new + missing + unequal
  }

  private var resourceFindings: [CheckFinding] {
    let changes = (resources?.changes ?? []).map { change in
      finding(
        change.isWorse ? .failure : .remark, change.name, kind: change.isWorse ? "worse" : "better",
        CheckText.sentence(change))
    }
    let missing = (resources?.missing ?? []).map { missing in
      var finding = finding(.inconclusive, missing.name, CheckText.sentence(missing))
      finding.advice = CheckText.remedy([missing])
      return finding
    }
    return changes + missing
  }

  private func finding(_ timing: TimingComparison) -> CheckFinding {
    let level: CheckFinding.Level =
      switch timing.verdict {
      case .fail: .failure
      case .inconclusive: .inconclusive
      case .pass: .remark
      }
    return CheckFinding(
      level: level, cell: timing.name.cell, title: timing.title,
      sentence: CheckText.sentence(timing),
      command: CheckText.command(self, only: timing.name.cell))
  }

  private func finding(
    _ level: CheckFinding.Level, _ cell: CellName, kind: String? = nil, _ sentence: String
  ) -> CheckFinding {
    CheckFinding(
      level: level, cell: cell, title: "\(cell)", kind: kind, sentence: sentence,
      command: CheckText.command(self, only: cell))
  }
}
