import Foundation
import LarderExperiments
import LarderSupport

/// The page that lists the runs below a folder, the last first, with what each came to and links to
/// its files. What is not a run is left alone, and what is one but cannot be read is named.
package struct ResultsIndex {
  /// The runs, the last first.
  let runs: [RunSummary]
  /// Results files that could not be read, each with the reason.
  package let unreadable: [String]

  /// How deep runs are looked for: `Results/<workload>/<date-time>` and one more.
  private static let depthMax = 3

  /// The runs below `folder`, whose results files are all read.
  ///
  /// - Throws: `ReportError.file` when `folder` is no folder that can be read.
  package init(of folder: String) throws(ReportError) {
    do {
      _ = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw .file(path: folder, action: "list the runs in it", reason: "not a readable folder")
    }
    var runs: [RunSummary] = []
    var unreadable: [String] = []
    for path in Self.folders(below: folder, as: "", depth: 0) {
      do throws(ReportError) {
        let files = Self.names(in: "\(folder)/\(path)")
        runs.append(
          RunSummary(try ResultsFolder.results(in: "\(folder)/\(path)"), path: path, files: files))
      } catch {
        unreadable.append("\(error)")
      }
    }
    self.runs = runs.sorted { ($0.order, $1.path) > ($1.order, $0.path) }
    self.unreadable = unreadable.sorted()
  }

  /// Where the page of a folder is.
  package static func path(in folder: String) -> String {
    folder.hasSuffix("/") ? folder + "index.html" : "\(folder)/index.html"
  }

  /// The folders with results, as seen from the first, in the order of their names.
  private static func folders(below root: String, as path: String, depth: Int) -> [String] {
    let here = path.isEmpty ? root : "\(root)/\(path)"
    let names = names(in: here)
    if depth > 0, names.contains(ResultsFolder.name) { return [path] }
    guard depth < depthMax else { return [] }
    return names.filter { !$0.hasPrefix(".") }.flatMap { name -> [String] in
      var isFolder: ObjCBool = false
      let next = path.isEmpty ? name : "\(path)/\(name)"
      guard FileManager.default.fileExists(atPath: "\(root)/\(next)", isDirectory: &isFolder),
        isFolder.boolValue
      else { return [] }
      return folders(below: root, as: next, depth: depth + 1)
    }
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// The page. Linear in the runs.
  package var text: String {
    var body = """
      <header>
      <div class="bar"><span class="brand">larder</span>\(HTMLPage.themeSwitch)</div>
      <h1>Results</h1>
      <p class="lead">\(NumberText.counted(runs.count, "run")), latest first.</p>
      </header>
      <main class="answer">

      """
    if runs.isEmpty {
      body += "<p>No runs yet: <code>larder run Workloads/zipf.yaml</code> makes one.</p>\n"
    } else {
      let titles = ["run", "workload", "highest hit ratio", "cells", "machine", "files"]
      body += "<div class=\"scroll\"><table class=\"runs\">\n<thead><tr>"
      body += titles.map { "<th scope=\"col\">\($0)</th>" }.joined()
      body += "</tr></thead>\n<tbody>\n\(runs.map(\.row).joined())</tbody></table></div>\n"
    }
    if !unreadable.isEmpty {
      let items = unreadable.map { "<li>\(XMLText.escaped($0))</li>" }.joined(separator: "\n")
      body += "<h2>Skipped</h2>\n<ul>\(items)</ul>\n"
    }
    return HTMLPage(title: "Results · larder", body: body + "</main>").text
  }
}

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
