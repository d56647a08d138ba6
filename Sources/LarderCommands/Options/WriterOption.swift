import ArgumentParser
import LarderTraces

/// The format that a trace is written in.
struct WriterOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: "Format to write: larder, csv or oracle-general. By the file's name when left out.")
  var name: String?

  /// The writer for `path`.
  func writer(for path: String) throws -> any TraceWriter {
    if let name { return try TraceWriterRegistry.writer(named: name) }
    guard let writer = TraceWriterRegistry.writer(forPath: path) else {
      let names = TraceWriterRegistry.all.map(\.name).joined(separator: ", ")
      throw UsageError(
        "\(path): the name does not tell the format to write; use --to with one of \(names)")
    }
    return writer
  }
}
