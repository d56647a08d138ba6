import Foundation
import LarderExperiments
import LarderSupport

/// The page that lists the runs below a folder, newest first, each with its result and links to its
/// files. Other files are ignored; unreadable runs are listed as such.
package struct ResultsIndex {
  /// The runs, newest first.
  let runs: [RunSummary]
  /// Results files that could not be read, each with the reason.
  package let unreadable: [String]

  /// The depth of the search: `Results/<workload>/<date-time>` and one more level.
  private static let depthMax = 3

  /// The runs below `folder`. Reads all results files.
  ///
  /// - Throws: `ReportError.file` if `folder` is not a readable folder.
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

  /// The path of the page of a folder.
  package static func path(in folder: String) -> String {
    folder.hasSuffix("/") ? folder + "index.html" : "\(folder)/index.html"
  }

  /// The folders with results, relative to the root, sorted by name.
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
      body += "<p>No runs yet; create one with <code>larder run Workloads/zipf.yaml</code>.</p>\n"
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

/// A row of the list of runs.
struct RunSummary {
  /// The path relative to the list.
  let path: String
  /// The sort key: start of the run.
  let order: Date
  private let started: String
  private let workload: String
  private let description: String
  private let winners: [(place: String, policy: String, ratio: String)]
  private let cells: String
  private let machine: String
  private let links: [String]
  private let styles: PolicyStyles

  /// The files that are linked if they exist.
  private static let linked = [
    "report.html", "report.md", "counts.csv", "timings.csv", "results.json",
  ]
  private static let winnersMax = 4

  /// The summary of a run.
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
    // Configurations with equal hits share a line.
    let entries = ConfigurationRanking.all(comparisons).flatMap(\.byReach)
    winners = entries.sorted(byKey: { -$0.reached }).compactMap { entry in
      entry.ranking.peak.map { peak in
        (entry.title, peak.policy.text, ChartUnit.percent.value(peak.value))
      }
    }
  }

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

  /// A short label for a file.
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

  /// A path as a relative URL; every reserved character is encoded.
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
