import LarderEngine
import LarderSimulation
import LarderSystem

/// The page that describes every policy: what it says of itself, and how it did in some kept runs.
///
/// Pure text: the same descriptions and results give the same page. Results that lack a policy
/// leave its figures out, so that a new policy has a place before it has been measured.
package struct PolicyPage {
  private let policies: [PolicyDescription]
  private let standings: [String: PolicyStanding]
  private let workloads: [String]
  private let machine: String?

  /// The page on `policies` with their standing in `results`, each a run of all of them.
  package init(_ policies: [PolicyDescription], _ results: [RunResults]) {
    self.policies = policies
    standings = PolicyStanding.all(in: results)
    workloads = results.map { run in
      run.workloadDescription.isEmpty
        ? run.workload : "\(run.workload): \(run.workloadDescription)"
    }
    machine = results.first?.machine.summary
  }

  /// The page as Markdown.
  package var markdown: String {
    var blocks: [Block] = [
      .heading(1, ["Policies"]),
      .paragraph([
        "This page is made by ", .code("make policies-page"),
        " from the policies' own descriptions, ",
        "which ", .code("larder policies"), " prints too, and from kept runs. In those, every ",
        "policy met the same requests at several capacities.",
      ]),
    ]
    if !workloads.isEmpty {
      blocks.append(.list(workloads.map { [.text($0)] }))
      blocks.append(
        .paragraph([
          "Hit ratios against LRU are means over all cells, in percentage points. Time is that of ",
          "a simulated request, as a multiple of LRU's in the same cell (median over the cells), ",
          "and memory is that of a simulation for each distinct object of the trace (median). ",
          .text(machine.map { "Measured on \($0)." } ?? ""),
        ]))
    }
    blocks.append(.table(overview))
    for policy in policies { blocks += section(policy) }
    return MarkdownMarkup().text(of: blocks)
  }

  private var overview: Table {
    var table = Table(titles: [
      "policy", "family", "against LRU", "best at", "time", "bytes an object",
    ])
    for policy in policies {
      let standing = standings[policy.name]
      table.rows.append([
        .code(policy.name), .text(policy.family.rawValue), points(standing?.gainMean),
        count(standing), times(standing?.timeAgainstLRU), bytes(standing?.bytesPerObject),
      ])
    }
    return table
  }

  private func section(_ policy: PolicyDescription) -> [Block] {
    var blocks: [Block] = [
      .heading(2, [.text(policy.name)]), .paragraph([.text(policy.summary)]),
    ]
    var facts: [[Inline]] = [[.text("Family: \(policy.family.rawValue).")]]
    if !policy.needs.names.isEmpty {
      facts.append([.text("Needs: \(policy.needs.names.joined(separator: ", ")).")])
    }
    if policy.isRandom { facts.append(["Draws random numbers: results depend on the seed."]) }
    facts += policy.parameters.map { parameter in
      [.code("\(parameter.name)=\(parameter.defaultValue)"), .text(": \(parameter.summary).")]
    }
    if let standing = standings[policy.name] { facts += figures(standing) }
    facts.append([.text("\(policy.paper).")])
    blocks.append(.list(facts))
    return blocks
  }

  private func figures(_ standing: PolicyStanding) -> [[Inline]] {
    var lines: [[Inline]] = [
      [
        "Cost: ", times(standing.timeAgainstLRU), " times LRU's time for a request, ",
        bytes(standing.bytesPerObject), " bytes an object.",
      ]
    ]
    if let best = standing.largestGain, best.points >= 0.005 {
      lines.append([
        "Wins most over LRU: ", points(best.points), .text(" points in \(best.place)."),
      ])
    }
    if let worst = standing.largestLoss, worst.points <= -0.005 {
      lines.append([
        "Loses most to LRU: ", points(worst.points), .text(" points in \(worst.place)."),
      ])
    }
    if !standing.bestIn.isEmpty {
      lines.append([.text("Best of all in \(standing.bestIn.joined(separator: "; ")).")])
    }
    return lines
  }

  private func count(_ standing: PolicyStanding?) -> Inline {
    standing.map { .text("\($0.bestIn.count) of \($0.cells)") } ?? Table.none
  }

  private func points(_ value: Double?) -> Inline {
    guard let value, let text = NumberText.fixed(value, decimals: 2) else { return Table.none }
    return .text(value > 0 && text != "0.00" ? "+\(text)" : text)
  }

  private func times(_ value: Double?) -> Inline { fixed(value, decimals: 1) }

  private func bytes(_ value: Double?) -> Inline { fixed(value, decimals: 1) }

  private func fixed(_ value: Double?, decimals: Int) -> Inline {
    value.flatMap { NumberText.fixed($0, decimals: decimals) }.map { .text($0) } ?? Table.none
  }
}
