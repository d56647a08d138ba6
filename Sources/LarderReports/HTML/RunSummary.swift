import Foundation
import LarderSimulation

/// A run as a line of the list of runs.
struct RunSummary {
  /// Where it is, as seen from the list.
  let path: String
  /// What the list is ordered by: the start.
  let order: Date
  private let started: String
  private let workload: String
  private let description: String
  private let winners: [(place: String, policy: String, ratio: String)]
  private let cells: String
  private let machine: String
  private let links: [String]
  private let styles: PolicyStyles

  /// The files that are linked, where they are there.
  private static let linked = [
    "report.html", "report.md", "counts.csv", "timings.csv", "results.json",
  ]
  private static let winnersMax = 4

  /// What a run came to.
  init(_ results: RunResults, path: String, files: [String]) {
    self.path = path
    started = results.started
    order = (try? Date(results.started, strategy: .iso8601)) ?? .distantPast
    workload = results.workload
    description = results.workloadDescription
    cells =
      results.records.count == results.plannedCells
      ? "\(results.plannedCells)" : "\(results.records.count) of \(results.plannedCells)"
    machine = results.machine.summary
    links = Self.linked.filter(files.contains)
    let comparisons = Comparison.all(in: results.records)
    styles = PolicyStyles(comparisons.flatMap { $0.policies.map(\.text) })
    // Configurations with the same hits are one line.
    let entries = ConfigurationRanking.all(comparisons).flatMap(\.byReach)
    winners = entries.sorted(byKey: { -$0.reached }).compactMap { entry in
      entry.ranking.peak.map { peak in
        (entry.title, peak.policy.text, ChartUnit.percent.value(peak.value))
      }
    }
  }

  /// A run whose results are not read, by the names of its folders and the date of its results.
  init(unread path: String, date: Date, files: [String]) {
    let names = path.split(separator: "/").map(String.init)
    self.path = path
    order = date
    started = names.last ?? path
    workload = names.dropLast().last ?? ""
    description = "figures: larder index"
    winners = []
    cells = ""
    machine = ""
    links = Self.linked.filter(files.contains)
    styles = PolicyStyles([])
  }

  /// The line.
  var row: String {
    let marks = HTMLMarkup(styles: styles)
    var best = winners.prefix(Self.winnersMax).map { winner in
      let place = winner.place == winner.policy ? "" : "\(XMLText.escaped(winner.place)): "
      return
        "<li>\(place)\(marks.mark(winner.policy)) <code>\(XMLText.escaped(winner.policy))</code>"
        + " \(winner.ratio)</li>"
    }
    if winners.count > Self.winnersMax {
      best.append("<li>and \(winners.count - Self.winnersMax) more</li>")
    }
    let name = links.first.map { link($0, started) } ?? XMLText.escaped(started)
    let files = links.map { link($0, Self.short($0)) }.joined(separator: " ")
    return "<tr><th scope=\"row\">\(name)</th>"
      + "<td title=\"\(XMLText.escaped(description))\">\(XMLText.escaped(workload))</td>"
      + "<td><ul>\(best.joined())</ul></td><td>\(cells)</td>"
      + "<td>\(XMLText.escaped(machine))</td><td>\(files)</td></tr>\n"
  }

  /// A file's name as a word.
  private static func short(_ file: String) -> String {
    switch file {
    case "report.html": "page"
    case "report.md": "text"
    default: String(file.prefix { $0 != "." })
    }
  }

  private func link(_ file: String, _ text: String) -> String {
    "<a href=\"\(Self.address("\(path)/\(file)"))\">\(XMLText.escaped(text))</a>"
  }

  /// A path as a relative address: everything is encoded that could mean something in one.
  static func address(_ path: String) -> String {
    path.utf8.reduce(into: "./") { address, byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || "-_./".unicodeScalars.contains(scalar)
      address += isPlain ? String(scalar) : "%" + hex(byte >> 4) + hex(byte & 15)
    }
  }

  private static func hex(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }
}
