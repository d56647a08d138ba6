import LarderExperiments
import LarderSupport

/// A result of a check in one sentence. Log, summary, annotations and JUnit are made of these.
struct CheckFinding {
  /// Levels, the worst first.
  enum Level {
    case failure, inconclusive
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

  /// Kind and sentence.
  var text: String { kind.map { "\($0): \(sentence)" } ?? sentence }
}

extension CheckResult {
  /// All findings: of traces, then of counts, memory and disk, and timings. Linear in the cells.
  var findings: [CheckFinding] {
    traceChanges.map {
      CheckFinding(level: .failure, cell: nil, title: "trace", sentence: $0)
    } + countFindings + resourceFindings
      + timings.map { timing in
        let level: CheckFinding.Level =
          switch timing.verdict {
          case .fail: .failure
          case .inconclusive: .inconclusive
          case .pass: .remark
          }
        return finding(level, timing.name.cell, CheckText.sentence(timing), title: timing.title)
      }
  }

  private var countFindings: [CheckFinding] {
    counts.changes.map { change in
      let level: CheckFinding.Level =
        counts.fails(change) ? .failure : change.kind == .different ? .change : .remark
      return finding(
        level, change.after.name, CheckText.sentence(change), kind: change.kind.rawValue)
    } + counts.new.map { finding(.remark, $0.name, "not in the baseline") }
      + counts.missing.map { cell in
        CheckFinding(
          level: .failure, cell: cell.name, title: "\(cell.name)", kind: "missing",
          sentence: "in the baseline, but not in the workload")
      }
      + unequalExecutions.map {
        finding(.failure, $0, "executed counts with one thread differ from the simulation")
      }
  }

  private var resourceFindings: [CheckFinding] {
    (resources?.changes ?? []).map { change in
      finding(
        change.isWorse ? .failure : .remark, change.name, CheckText.sentence(change),
        kind: change.isWorse ? "worse" : "better")
    }
      + (resources?.missing ?? []).map { missing in
        var finding = finding(
          .inconclusive, missing.name,
          "\(missing.resource.rawValue) \(CheckText.figure(missing.before)) -> not measured")
        finding.advice = CheckText.remedy([missing])
        return finding
      }
  }

  private func finding(
    _ level: CheckFinding.Level, _ cell: CellName, _ sentence: String, kind: String? = nil,
    title: String? = nil
  ) -> CheckFinding {
    CheckFinding(
      level: level, cell: cell, title: title ?? "\(cell)", kind: kind, sentence: sentence,
      command: TextSafety.singleLine("\(command) \(ShellWord.option("--only", "\(cell)"))"))
  }
}
