import LarderChecks
import LarderSystem

/// What changed of memory and disk, the same for a check and for two folders.
struct ResourceTable {
  let comparison: ResourceComparison
  /// Whether there is a baseline, which can be written anew.
  let isCheck: Bool

  /// What was compared: without a change that needs the word, memory and disk alone.
  private var title: String {
    comparison.hasInstructions
      || comparison.missing.contains { $0.resource == .instructionsPerRequest }
      ? "Memory, disk and instructions" : "Memory and disk"
  }

  private var notMeasured: String {
    let count = NumberText.counted(comparison.missing.count, "figure")
    let text = "\(count) not measured by this run"
    return text + (isCheck ? ": \(CheckText.remedy(comparison.missing))." : ".")
  }

  /// A sentence, and a table of what changed; nothing where nothing was compared.
  func blocks(level: Int) -> [Block] {
    guard !comparison.isEmpty else { return [] }
    var table = Table(titles: ["cell", "figure", "verdict", "before", "now", "change"])
    for change in comparison.changes {
      let word = change.isWorse ? "worse" : "better"
      table.rows.append([
        .code("\(change.name)"), .code(change.resource.rawValue),
        change.isWorse ? .strong(word) : .text(word), .text(CheckText.figure(change.before)),
        .text(CheckText.figure(change.after)), .text(CheckText.percent(change)),
      ])
    }
    for missing in comparison.missing {
      table.rows.append([
        .code("\(missing.name)"), .code(missing.resource.rawValue), .strong("not measured"),
        .text(CheckText.figure(missing.before)), Table.none, Table.none,
      ])
    }
    let (changed, worse) = (comparison.changes.count, comparison.worse.count)
    let sentence =
      NumberText.counted(comparison.compared, "figure")
      + (comparison.hasInstructions ? " compared: " : " of executed cells compared: ")
      + "\(comparison.compared - changed) within their thresholds, \(worse) worse, "
      + "\(changed - worse) better."
    var blocks: [Block] = [
      .heading(level, [.text(title)]), .paragraph([.text(sentence)]),
    ]
    if !comparison.missing.isEmpty { blocks.append(.paragraph([.text(notMeasured)])) }
    return table.rows.isEmpty ? blocks : blocks + [.table(table)]
  }
}
