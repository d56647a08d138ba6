import LarderSystem
import LarderWorkloads

/// A capacity as a column of a table. A share of the footprint is one column even where the seeds'
/// footprints differ, and with them the number of objects or bytes it stands for.
struct CapacityColumn {
  /// How the capacity was written, with memory's capacity where that alone tells columns apart.
  let title: String
  /// The smallest capacity that the label stood for.
  let smallest: UInt64
  /// The largest capacity that the label stood for.
  let largest: UInt64
  /// The cells' identities that belong to the column.
  private let identities: [Identity]

  /// What tells one cell's capacity from another's.
  struct Identity: Hashable {
    let label: String
    let capacity: UInt64
    let memory: UInt64?

    init(_ cell: Cell) {
      label = cell.capacityLabel
      capacity = cell.capacity
      memory = cell.memoryCapacity
    }
  }

  /// The columns that `cells` need, smallest capacity first.
  static func columns(of cells: [Cell]) -> [CapacityColumn] {
    let split = labelsToSplit(cells)
    var order: [String] = []
    var groups: [String: [Identity]] = [:]
    for cell in cells {
      var title = cell.capacityLabel
      if split.contains(title), let memory = cell.memoryCapacity {
        title += " after \(NumberText.grouped(memory))"
      }
      let identity = Identity(cell)
      if groups[title] == nil { order.append(title) }
      if groups[title]?.contains(identity) != true {
        groups[title, default: []].append(identity)
      }
    }
    let columns = order.map { CapacityColumn(title: $0, identities: groups[$0] ?? []) }
    return columns.enumerated().sorted { left, right in
      (left.element.sortKey, left.offset) < (right.element.sortKey, right.offset)
    }.map(\.element)
  }

  /// The column number of every identity.
  static func numbers(of columns: [CapacityColumn]) -> [Identity: Int] {
    var numbers: [Identity: Int] = [:]
    for (number, column) in columns.enumerated() {
      for identity in column.identities { numbers[identity] = number }
    }
    return numbers
  }

  /// The capacity in words: `1 000 objects`, or a range where seeds differ.
  func description(bytes: Bool) -> String {
    func amount(_ value: UInt64) -> String {
      NumberText.capacity(value, bytes: bytes)
    }
    let text =
      smallest == largest ? amount(smallest) : "\(amount(smallest)) to \(amount(largest))"
    return bytes ? text : text + " objects"
  }

  private init(title: String, identities: [Identity]) {
    self.title = title
    self.identities = identities
    smallest = identities.map(\.capacity).min() ?? 0
    largest = identities.map(\.capacity).max() ?? 0
  }

  private var sortKey: UInt64 { smallest }

  /// Labels under which one seed has several memory capacities: a hybrid with the same disk behind
  /// different memories.
  private static func labelsToSplit(_ cells: [Cell]) -> Set<String> {
    struct Run: Hashable {
      let label: String
      let policy: String
      let seed: UInt64
    }
    var first: [Run: UInt64?] = [:]
    var labels: Set<String> = []
    for cell in cells {
      let run = Run(label: cell.capacityLabel, policy: cell.policy, seed: cell.seed)
      if let known = first[run], known != cell.memoryCapacity { labels.insert(run.label) }
      if first[run] == nil { first[run] = .some(cell.memoryCapacity) }
    }
    return labels
  }
}
