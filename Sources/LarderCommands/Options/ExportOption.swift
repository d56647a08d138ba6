import ArgumentParser
import LarderExperiments
import LarderReports

/// A result as files: `--export csv=FILE`.
struct ExportOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write the result to a file, or to standard output (-), in a format such as csv, json, \
      markdown or html: csv=FILE. May be repeated.
      """, valueName: "format=file"))
  var export: [Export] = []
}

/// One file of a result.
struct Export: ExpressibleByArgument {
  var format: String
  /// The path; `-` for standard output.
  var file: String

  init(_ format: String, _ file: String) { (self.format, self.file) = (format, file) }

  /// Parses `format=file`; nil for anything else.
  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex,
      argument.index(after: equals) < argument.endIndex
    else { return nil }
    self.init(
      argument[..<equals].lowercased(), String(argument[argument.index(after: equals)...]))
  }
}

extension [Export] {
  /// These and those of options that name one format, such as `--csv`.
  func adding(_ format: String, _ file: String?) -> [Export] {
    self + (file.map { [Export(format, $0)] } ?? [])
  }

  /// True if one goes to standard output, which then has nothing else.
  var takesOutput: Bool { contains { $0.file == "-" } }

  /// Refuses formats that are not in `known` and files that are named twice.
  func validate(known: [String]) throws {
    for (place, export) in enumerated() {
      guard known.contains(export.format) else {
        throw ValidationError(
          "--export expects \(known.joined(separator: ", ")) with =FILE, found "
            + "'\(export.format)=\(export.file)'")
      }
      if self[..<place].contains(where: { $0.file == export.file }) {
        throw ValidationError("two results cannot both be written to \(export.file)")
      }
    }
  }

  /// Checks that the files can be written, before work that takes long.
  func check() throws {
    for export in self where export.file != "-" { try ReportWriter.check(export.file) }
  }

  /// Writes each: its text, and files that belong to it (charts) in folders next to it.
  func write(_ make: (String) throws -> [ReportFile]) throws {
    for export in self {
      let files = try make(export.format)
      guard let first = files.first else { continue }
      if export.file == "-" {
        Output.text(first.text)
      } else {
        try ReportWriter.write(first.text, to: export.file)
        let folder = export.file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
          .joined(separator: "/")
        let base = export.file.hasPrefix("/") && folder.isEmpty ? "/" : folder
        try ReportWriter(directory: base.isEmpty ? "." : base, formats: [])
          .write([ReportFile](files.dropFirst()))
      }
    }
  }
}

extension ReportRegistry {
  /// Formats of runs that `--export` takes: `csv` is that of counts.
  static var exports: [String] { ["csv"] + names }

  /// The files of a format that `--export` names.
  static func files(_ name: String, of results: RunResults) throws(ReportError) -> [ReportFile] {
    try format(named: name == "csv" ? "counts" : name).files(of: results)
  }
}
