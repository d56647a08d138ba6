import LarderExperiments
import LarderSupport

/// A plan as jobs for Kubernetes: one that prepares the traces, an Indexed Job with a pod for each
/// part, and one that merges. The last two are suspended until they are due; the first lines
/// contain the commands that start them.
///
/// Strings are written as JSON, which every YAML parser accepts.
struct KubernetesPlan: PlanFormat {
  let name = "kubernetes"
  let summary = "an Indexed Job for Kubernetes"

  /// The most completions of an Indexed Job.
  private static let completionsMaximum = 100_000
  /// The most pods at the same time.
  private static let parallelismMaximum = 1000
  /// The most bytes of the list of parts in a command; a shell word has at most 128 KiB.
  private static let listMaximum = 100_000

  func text(of job: PlannedJob) throws(PlanFormatError) -> String {
    try job.check(for: name)
    let plan = job.plan
    let isWhole = plan.parts.count == plan.count
    let list = plan.parts.map { "\($0.number.number)" }.joined(separator: " ")
    // If the remaining parts are too many to list, the job has all parts; finished ones end at
    // once.
    let usesList = !isWhole && list.utf8.count <= Self.listMaximum
    let completions = max(1, usesList ? plan.parts.count : plan.count)
    guard completions <= Self.completionsMaximum else {
      throw .tooManyParts(format: name, parts: completions, most: Self.completionsMaximum)
    }
    let command =
      usesList
      ? "set -- \(list); shift \"$JOB_COMPLETION_INDEX\"; exec "
        + job.run(part: "\"$1/\(plan.count)\"")
      : "exec \(job.run(part: "auto/\(plan.count)"))"
    let most = PlannedJob.most(plan.parts)
    // A Job with nothing to do would fail, and `kubectl wait` would not return.
    let hasParts = !plan.parts.isEmpty
    let parts = [
      "  completionMode: Indexed", "  completions: \(completions)",
      "  parallelism: \(min(completions, Self.parallelismMaximum))",
      "  backoffLimitPerIndex: 6", "  maxFailedIndexes: \(completions)",
    ]
    return
      ([
        Self.steps(job.name, hasParts: hasParts),
        manifest(
          job, "prepare", ["  backoffLimit: 6"], "exec \(job.prepare)",
          plan.preparation.seconds, plan.preparation.memoryBytes),
      ]
      + (hasParts
        ? [manifest(job, "parts", ["  suspend: true"] + parts, command, most.seconds, most.bytes)]
        : [])
      + [
        manifest(
          job, "merge", ["  suspend: true", "  backoffLimit: 2"], "exec \(job.merge)", 60,
          plan.preparation.memoryBytes)
      ]).joined(separator: "---\n")
  }

  /// The order of the jobs, as comments.
  private static func steps(_ name: String, hasParts: Bool) -> String {
    func wait(_ job: String) -> String {
      "# kubectl wait --for=condition=complete --timeout=-1s job/\(name)-\(job)\n"
    }
    func resume(_ job: String) -> String {
      "# kubectl patch job/\(name)-\(job) --type=merge -p '{\"spec\":{\"suspend\":false}}'\n"
    }
    return "# kubectl apply -f THIS-FILE\n" + wait("prepare")
      + (hasParts ? resume("parts") + wait("parts") : "") + resume("merge") + wait("merge")
  }

  private func manifest(
    _ job: PlannedJob, _ role: String, _ spec: [String], _ command: String, _ seconds: Double,
    _ bytes: UInt64
  ) -> String {
    let settings = job.settings
    let quoted = JSONLine.quoted
    let lines =
      [
        "apiVersion: batch/v1", "kind: Job", "metadata:",
        "  name: \(quoted("\(job.name)-\(role)"))", "spec:",
      ] + spec + [
        "  template:", "    spec:", "      restartPolicy: Never",
        "      activeDeadlineSeconds: \(PlannedJob.limitMinutes(seconds) * 60)",
        "      containers:",
        "        - name: larder", "          image: \(quoted(settings.image))",
        "          workingDir: \(quoted(settings.mount))",
        "          command: [\"/bin/sh\", \"-c\", \(quoted(command))]",
        "          resources:", "            requests:",
        "              cpu: \(job.plan.threads)",
        "              memory: \(PlannedJob.limitMebibytes(bytes))Mi",
        "            limits:",
        "              memory: \(PlannedJob.limitMebibytes(bytes))Mi",
        "          volumeMounts:", "            - name: larder",
        "              mountPath: \(quoted(settings.mount))",
        "      volumes:", "        - name: larder", "          persistentVolumeClaim:",
        "            claimName: \(quoted(settings.claim))",
      ]
    return lines.joined(separator: "\n") + "\n"
  }
}
