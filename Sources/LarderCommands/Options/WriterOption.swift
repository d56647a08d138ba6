import ArgumentParser
import LarderTraces

/// The format that a trace is written in.
struct WriterOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: "Format to write: larder, csv or oracle-general. By default chosen by file name.")
  var name: String?

  /// The writer for `path`.
  func writer(for path: String) throws -> any TraceWriter {
    if let name { return try TraceWriterRegistry.writer(named: name) }
    guard let writer = TraceWriterRegistry.writer(forPath: path) else {
      let names = TraceWriterRegistry.all.map(\.name).joined(separator: ", ")
      throw UsageError(
        "\(path): cannot tell the format from the file name; use --to with one of \(names)")
    }
    return writer
  }
}
