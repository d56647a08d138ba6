import ArgumentParser
import LarderExperiments
import LarderReports

struct ExportOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write the result to a file, or to standard output (-), in a format such as csv, json, \
      markdown or html: csv=FILE. May be repeated.
      """, valueName: "format=file"))
  var export: [Export] = []
}

struct Export: ExpressibleByArgument {
  var format: String
  var file: String

  init(_ format: String, _ file: String) { (self.format, self.file) = (format, file) }

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex,
      argument.index(after: equals) < argument.endIndex
    else { return nil }
    self.init(
      argument[..<equals].lowercased(), String(argument[argument.index(after: equals)...]))
  }
}

/// The short form of `--export history=`.
struct HistoryOption: ParsableArguments {
  @Option(help: .hidden) var history: String?
}

extension [Export] {
  /// The file of the history, if any, and the other exports.
  func splitHistory(_ short: HistoryOption) -> (history: HistoryFile?, rest: [Export]) {
    let path = short.history ?? last { $0.format == "history" }?.file
    return (path.map { HistoryFile(path: $0) }, filter { $0.format != "history" })
  }

  func adding(_ format: String, _ file: String?) -> [Export] {
    self + (file.map { [Export(format, $0)] } ?? [])
  }

  var takesOutput: Bool { contains { $0.file == "-" } }

  func validate(known: [String]) throws {
    for (place, export) in enumerated() {
      guard known.contains(export.format) else {
        throw ValidationError(
          "--export expects \(known.joined(separator: ", ")) with =FILE, found "
            + "'\(export.format)=\(export.file)'")
      }
      if export.format == "history",
        export.file == "-" || self[..<place].contains(where: { $0.format == "history" })
      {
        throw ValidationError("history is one file, to which each run appends a line")
      }
      if self[..<place].contains(where: { $0.file == export.file }) {
        throw ValidationError("two results cannot both be written to \(export.file)")
      }
    }
  }

  func check() throws {
    for export in self where export.file != "-" { try ReportWriter.check(export.file) }
  }

  func write(_ make: (String) throws -> [ReportFile]) throws {
    for export in self {
      let files = try make(export.format)
      guard let first = files.first else { continue }
      if export.file == "-" {
        Output.text(first.text)
      } else {
        try ReportWriter.write(first.text, to: export.file)
        try ReportWriter(directory: ReportWriter.folder(of: export.file), formats: [])
          .write([ReportFile](files.dropFirst()))
      }
    }
  }
}

extension ReportRegistry {
  static var exports: [String] { ["csv"] + names }

  static func files(_ name: String, of results: RunResults) throws(ReportError) -> [ReportFile] {
    try format(named: name == "csv" ? "counts" : name).files(of: results)
  }
}
