import LarderExperiments

/// A plan as lines for GNU parallel: one command a part. Preparing comes before, merging after.
///
///     larder run w.yaml --store store --part 1/3 --threads 1
struct ParallelPlan: PlanFormat {
  let name = "parallel"
  let summary = "a command on each line, for GNU parallel and xargs"

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    try job.check(for: name)
    return job.plan.parts.map { job.run(part: "\($0.number)") + "\n" }.joined()
  }
}
