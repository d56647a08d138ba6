import LarderChecks
import LarderSystem

/// What changed of memory and disk, the same for a check and for two folders.
struct ResourceTable {
  let comparison: ResourceComparison

  /// What was compared: without a change that needs the word, memory and disk alone.
  private var title: String {
    comparison.hasInstructions ? "Memory, disk and instructions" : "Memory and disk"
  }

  /// A sentence, and a table of what changed; nothing where nothing was compared.
  func blocks(level: Int) -> [Block] {
    guard comparison.compared > 0 else { return [] }
    var table = Table(titles: ["cell", "figure", "verdict", "before", "now", "change"])
    for change in comparison.changes {
      let word = change.isWorse ? "worse" : "better"
      table.rows.append([
        .code("\(change.name)"), .code(change.resource.rawValue),
        change.isWorse ? .strong(word) : .text(word), .text(CheckText.figure(change.before)),
        .text(CheckText.figure(change.after)), .text(CheckText.percent(change)),
      ])
    }
    let (changed, worse) = (comparison.changes.count, comparison.worse.count)
    let sentence =
      CheckText.counted(comparison.compared, "figure")
      + (comparison.hasInstructions ? " compared: " : " of executed cells compared: ")
      + "\(comparison.compared - changed) within their thresholds, \(worse) worse, "
      + "\(changed - worse) better."
    let blocks: [Block] = [
      .heading(level, [.text(title)]), .paragraph([.text(sentence)]),
    ]
    return comparison.changes.isEmpty ? blocks : blocks + [.table(table)]
  }
}
