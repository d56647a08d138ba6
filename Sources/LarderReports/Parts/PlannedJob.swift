import LarderExperiments
import LarderSupport

package enum PlanFormat: String, Sendable, CaseIterable {
  case table, json, slurm, kubernetes

  package var summary: String {
    switch self {
    case .table: "for reading"
    case .json: "for programs, with the command of each part"
    case .slurm: "a job array"
    case .kubernetes: "an Indexed Job"
    }
  }
}

package struct PlanFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  let format: PlanFormat
  let word: String

  package var description: String {
    "'\(format.rawValue)' does not support names with control characters, or of more than 400 "
      + "bytes: \(ShellWord.quoted(word))"
  }
}

package struct PlannedJob: Sendable {
  let plan: PartPlan
  let program: String
  let file: String
  let store: String

  package init(plan: PartPlan, program: String, file: String, store: String) {
    self.plan = plan
    self.program = program
    self.file = file
    self.store = store
  }

  package func text(_ format: PlanFormat) throws(PlanFormatError) -> String {
    let words = format == .table ? [] : [program, file, store, plan.workload]
    if let word = words.first(where: { !ShellWord.isPortable($0) }) {
      throw PlanFormatError(format: format, word: word)
    }
    switch format {
    case .table: return table
    case .json: return json
    case .slurm: return slurm
    case .kubernetes: return kubernetes
    }
  }

  private func command(_ option: String) -> String {
    "\(ShellWord.quoted(program)) run \(ShellWord.path(file)) "
      + "\(ShellWord.option("--store", store)) \(option)"
  }

  private func run(part: String) -> String { command("--part \(part) --threads 1") }

  private var prepare: String { run(part: "prepare") }
  private var merge: String { command("--merge") }
  private var task: String { run(part: "auto/\(plan.count)") }

  private var table: String {
    var table = TextTable(alignsRight: [false, true, true, true])
    table.add(["part", "cells", "missing", "requests"])
    for part in plan.parts {
      table.add([
        "\(part.number)", "\(part.cells)", "\(part.missing)", NumberText.grouped(part.requests),
      ])
    }
    return table.lines.joined(separator: "\n") + """


      \(plan.workload): \(plan.cells) cells, \(plan.missing) missing in \(store); \
      \(NumberText.grouped(plan.requests)) requests to simulate

      """
  }

  private var json: String {
    func line(_ texts: [(String, String)], _ numbers: [(String, UInt64)]) -> JSONLine {
      var line = JSONLine()
      for (key, text) in texts { line.add(key, text) }
      for (key, number) in numbers { line.add(key, number) }
      return line
    }
    let parts = plan.parts.map { part in
      line(
        [("part", "\(part.number)"), ("command", run(part: "\(part.number)"))],
        [
          ("cells", UInt64(part.cells)), ("missing", UInt64(part.missing)),
          ("requests", part.requests),
        ]
      ).text
    }
    var object = line(
      [
        ("workload", plan.workload), ("store", store), ("prepare", prepare), ("merge", merge),
      ],
      [
        ("version", 1), ("count", UInt64(plan.count)), ("cells", UInt64(plan.cells)),
        ("missing", UInt64(plan.missing)), ("requests", plan.requests),
      ])
    object.add("parts", json: "[\(parts.joined(separator: ", "))]")
    return object.text + "\n"
  }

  private func steps(submit: String) -> String {
    """
    # \(plan.cells) cells in \(plan.count) parts, \(plan.missing) cells to compute
    # 1. \(prepare)
    # 2. \(submit)
    # 3. \(merge)
    """
  }

  private var slurm: String {
    """
    #!/bin/bash
    \(steps(submit: "sbatch THIS-FILE"))
    #SBATCH --job-name=\(name)
    #SBATCH --output=\(name)-%a.log
    #SBATCH --open-mode=append
    #SBATCH --requeue
    #SBATCH --array=\(tasks)
    exec \(task)

    """
  }

  /// The numbers of the parts in Slurm's syntax: `1-4,7`. All parts if none is missing, as an
  /// array cannot be empty; they end at once.
  private var tasks: String {
    var ranges: [ClosedRange<Int>] = []
    for number in plan.parts.map(\.number.number) {
      if let last = ranges.last, last.upperBound == number - 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return (ranges.isEmpty ? [1...plan.count] : ranges).map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }.joined(separator: ",")
  }

  /// The task as Kubernetes needs it: it replaces `$(NAME)` before a shell reads the command.
  private var escapedTask: String { task.replacing("$", with: "$$") }

  private var kubernetes: String {
    """
    \(steps(submit: "kubectl apply -f THIS-FILE"))
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: \(name)
    spec:
      completionMode: Indexed
      completions: \(plan.count)
      parallelism: \(plan.count)
      backoffLimitPerIndex: 6
      maxFailedIndexes: \(plan.count)
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: larder
              image: larder
              workingDir: /larder
              command: ["/bin/sh", "-c", \(JSONLine.quoted("exec \(escapedTask)"))]
              volumeMounts:
                - name: larder
                  mountPath: /larder
          volumes:
            - name: larder
              persistentVolumeClaim:
                claimName: larder

    """
  }

  private var name: String {
    let kept = plan.workload.lowercased().utf8.map { byte -> UInt8 in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) ? byte : UInt8(ascii: "-")
    }
    let words = String(decoding: kept.prefix(40), as: UTF8.self).split(separator: "-")
    return (["larder"] + words).joined(separator: "-")
  }
}
