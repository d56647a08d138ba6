import LarderExperiments
import LarderSupport

/// A plan as the matrix of a GitHub workflow: one line of JSON.
///
///     {"include": [{"part": "1/3", "minutes": 6}, ...]}
struct GitHubPlan: PlanFormat {
  let name = "github"
  let summary = "the matrix of a GitHub workflow"

  /// The most jobs of a matrix.
  private static let jobsMaximum = 256

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    let parts = job.plan.parts
    guard parts.count <= Self.jobsMaximum else {
      throw .tooManyParts(format: name, parts: parts.count, most: Self.jobsMaximum)
    }
    let jobs = parts.map { part in
      var line = JSONLine()
      line.add("part", "\(part.number)")
      line.add("minutes", UInt64(PlannedJob.limitMinutes(part.seconds)))
      return line.text
    }
    return "{\"include\": [\(jobs.joined(separator: ", "))]}\n"
  }
}
