import LarderExperiments

/// A plan as a script for Slurm, which submits itself: a job that prepares the traces, arrays of
/// parts that wait for it, and a job that merges when all parts are done.
///
/// Tasks of an array are numbered below `MaxArraySize`, so each array has an offset that is added
/// to the task number to get the part.
struct SlurmPlan: PlanFormat {
  let name = "slurm"
  let summary = "a script that submits job arrays to Slurm"

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    try job.check(for: name)
    let (plan, title) = (job.plan, ShellWord.quoted(job.name))
    let preparation = plan.preparation
    var lines = [
      "#!/bin/bash",
      "# \(plan.cells) cells in \(plan.count) parts, \(plan.missing) cells to compute.",
      "# Submit with: bash THIS-FILE. Slurm runs it again for each job, with the task as an",
      "# argument. Options of your site, such as --account, are set by SBATCH_ACCOUNT etc.",
      "set -eu",
      "",
      "case \"${1:-submit}\" in",
      "prepare) exec \(job.prepare) ;;",
      "part) exec \(job.run(part: "$((SLURM_ARRAY_TASK_ID + $2))/\(plan.count)")) ;;",
      "merge) exec \(job.merge) ;;",
      "submit) ;;",
      "*) echo \"$0: unknown word '$1'\" >&2; exit 2 ;;",
      "esac",
      "",
      "submit() {",
      "  sbatch --parsable --requeue --open-mode=append --kill-on-invalid-dep=yes \\",
      "    --cpus-per-task=\(plan.threads) \"$@\"",
      "}",
      "",
    ]
    lines += [
      "prepare=$(submit --job-name=\(title)-prepare --output=\(title)-prepare-%j.log \\",
      "  \(Self.limits(preparation.seconds, preparation.memoryBytes)) \"$0\" prepare)",
    ]
    var jobs: [String] = []
    for (index, group) in groups(job).enumerated() {
      let most = PlannedJob.most(group.parts)
      let variable = "parts\(index + 1)"
      jobs.append("${\(variable)%%;*}")
      lines += [
        "\(variable)=$(submit --job-name=\(title) --output=\(title)-%A-%a.log \\",
        "  --dependency=\"afterok:${prepare%%;*}\" --array=\(group.tasks) \\",
        "  \(Self.limits(most.seconds, most.bytes)) \"$0\" part \(group.offset))",
      ]
    }
    let after = (["afterok"] + (jobs.isEmpty ? ["${prepare%%;*}"] : jobs)).joined(separator: ":")
    lines += [
      "merge=$(submit --job-name=\(title)-merge --output=\(title)-merge-%j.log \\",
      "  --dependency=\"\(after)\" \\",
      "  \(Self.limits(60, preparation.memoryBytes)) \"$0\" merge)",
      "echo \"job ${merge%%;*} writes the results\"",
      "",
    ]
    return lines.joined(separator: "\n")
  }

  private static func limits(_ seconds: Double, _ bytes: UInt64) -> String {
    "--time=\(PlannedJob.limitMinutes(seconds)) --mem=\(PlannedJob.limitMebibytes(bytes))M"
  }

  /// Parts that share an offset; part number minus offset is the task number.
  private struct Group {
    let offset: Int
    var parts: [PartPlan.Part]

    /// The tasks in Slurm's syntax: `1-4,7`.
    var tasks: String {
      var ranges: [ClosedRange<Int>] = []
      for part in parts {
        let task = part.number.number - offset
        if let last = ranges.last, last.upperBound == task - 1 {
          ranges[ranges.count - 1] = last.lowerBound...task
        } else {
          ranges.append(task...task)
        }
      }
      return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        .joined(separator: ",")
    }
  }

  private func groups(_ job: PlannedJob) -> [Group] {
    // Tasks are numbered from 1 and below the maximum.
    let size = max(1, job.settings.arrayMaximum - 1)
    var groups: [Group] = []
    for part in job.plan.parts {
      let offset = (part.number.number - 1) / size * size
      if groups.last?.offset == offset {
        groups[groups.count - 1].parts.append(part)
      } else {
        groups.append(Group(offset: offset, parts: [part]))
      }
    }
    return groups
  }
}
