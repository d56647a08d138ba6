import ArgumentParser
import LarderTraces

/// `larder trace generate`: a generated workload as a file.
struct TraceGenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a trace.",
    discussion: """
      The same generator, parameters and seed give the same trace on every machine.

      Examples:
        larder trace generate zipf:objects=1000000:exponent=1 --requests 20000000 zipf.larder
        larder trace generate news-feed --requests 1000000 --seed 7 news.csv
        larder trace generate zipf:objects=1000 --requests 5000 \\
          --sizes log-normal:median=8KiB:sigma=1 --ttls constant:value=1h \\
          --operations get=0.95,set=0.05 small.larder
      """)

  @Argument(help: "The generator with its parameters ('larder trace generators' lists them).")
  var generator: String

  @Argument(help: "The file to write.", completion: .file())
  var destination: String

  @Option(help: "Number of requests: 1000000, 250k, 20M.")
  var requests = RequestCount(1_000_000)

  @Option(help: "Seed of the generator.")
  var seed: UInt64 = 1

  @Option(help: "Distribution of object sizes in bytes, such as log-normal:median=8KiB:sigma=1.")
  var sizes: String?

  @Option(help: "Distribution of TTLs.")
  var ttls: String?

  @Option(help: "Shares of get, set, delete and modify with a sum of 1: get=0.95,set=0.05.")
  var operations: String?

  @Option(help: "Requests per second, for generators that do not set times.")
  var rate: Double?

  @OptionGroup var output: WriterOption

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let writer = try output.writer(for: destination)
    let component = try ComponentSpec(parsing: generator)
    let spec = SourceSpec.generator(
      GeneratorSpec(
        component: component, requests: requests.requests,
        sizes: try sizes.map { try ComponentSpec(parsing: $0) },
        ttls: try ttls.map { try ComponentSpec(parsing: $0) },
        operations: try operations.map { try OperationsText.shares($0) }, rate: rate))
    let source = try spec.makeSource(seed: seed) { reference in
      try FileSource(path: reference.path, format: reference.format)
    }
    try OutputFile.check(destination)
    let progress = ProgressLine(isQuiet: quiet)
    progress.begin("Generating \(component.name)", total: requests.requests)
    let prepared = try PreparedTrace.prepare(
      source: source, name: component.name, progress: TraceReading.check(progress))
    try writer.write(prepared, to: destination)
    progress.end(
      "\(destination): \(prepared.requests.count) requests, \(prepared.requests.objects) objects")
  }
}
