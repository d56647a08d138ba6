import ArgumentParser
import Foundation
import LarderEngine
import LarderReports
import LarderSupport
import LarderTraces

struct TraceInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print statistics: requests, objects, footprint, sizes, popularity, TTLs, duration.",
    discussion: """
      Examples:
        larder trace info OLTP.lis.zst
        larder trace info log.csv --format csv:time=1:id=2:size=3
        larder trace info --join access.log access.log.1 access.log.2.gz
      """)

  @OptionGroup var input: TraceOptions

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    let progress = ProgressLine(isQuiet: quiet)
    for (number, reference) in try input.references().enumerated() {
      if number > 0 { Output.line("") }
      let source = try FileSource(reference)
      progress.begin("Reading \(source.name)")
      let prepared = try PreparedTrace.load(source, progress: progress.reading(source))
      progress.end("\(prepared.requests.count) requests")
      let lines = TraceInfoText.lines(TraceAnalysis(prepared), format: source.format.name)
      for line in lines + prepared.notes { Output.line(line) }
    }
  }
}

enum TraceInfoText {
  static func lines(_ trace: TraceAnalysis, format: String) -> [String] {
    var table = TextTable(alignsRight: [false, false])
    table.add(["trace", "\(TextSafety.singleLine(trace.name)) (\(format))"])
    if trace.sampling.isPart { table.add(["sample", sample(trace)]) }
    table.add(["requests", count(trace.requests)])
    for (operation, number) in zip(Operation.allCases, trace.operations) where operation != .get {
      if number > 0 { table.add(["  of these \(operation)", count(number)]) }
    }
    table.add(["objects", count(trace.objects)])
    if trace.storableObjects < trace.objects {
      table.add(["  of these storable", count(trace.storableObjects)])
    }
    let share = trace.oneHitWonderShare.map { " (\(percent($0)) of the objects)" } ?? ""
    table.add(["one-hit wonders", count(trace.oneHitWonders) + share])
    addSizes(trace, to: &table)
    addPopularity(trace.popularity, to: &table)
    if let ttls = trace.ttls {
      table.add(["TTLs, s", "\(spread(ttls)), \(count(ttls.count)) requests"])
    }
    if let duration = trace.durationMicroseconds {
      table.add(["duration", NumberText.time(Double(duration) / 1e6)])
    }
    return table.lines
  }

  private static func sample(_ trace: TraceAnalysis) -> String {
    let sampling = trace.sampling
    var text = "\(TraceSampling.share(sampling.rate)) of the objects; all of the traffic has about "
    text += "\(count(Int(clamping: sampling.represented(UInt64(trace.objects))))) objects"
    if let footprint = trace.footprintBytes {
      text += ", \(bytes(sampling.represented(footprint)))"
    }
    if sampling.gets > 0 { text += ", \(count(Int(clamping: sampling.gets))) gets" }
    return text
  }

  private static func addSizes(_ trace: TraceAnalysis, to table: inout TextTable) {
    guard let footprint = trace.footprintBytes else {
      table.add(["footprint", "\(count(trace.storableObjects)) objects (the trace has no sizes)"])
      return
    }
    table.add(["footprint", bytes(footprint)])
    if let requested = trace.bytesRequested { table.add(["bytes requested", bytes(requested)]) }
    if let sizes = trace.objectSizes { table.add(["object sizes, bytes", spread(sizes)]) }
    if trace.objectsWithSeveralSizes > 0 {
      let share = Double(trace.objectsWithSeveralSizes) / Double(max(1, trace.objects))
      table.add([
        "size changes", "\(percent(share)) of the objects have requests with more than one size",
      ])
    }
    if let sizes = trace.requestSizes { table.add(["request sizes, bytes", spread(sizes)]) }
  }

  private static func addPopularity(_ popularity: PopularityAnalysis, to table: inout TextTable) {
    if let zipf = popularity.zipf {
      table.add([
        "popularity",
        String(
          format: "Zipf exponent %.2f (maximum likelihood), distance %.3f", zipf.exponent,
          zipf.distance),
      ])
    }
    let tops = [
      ("top object", popularity.topOneShare), ("top 10", popularity.topTenShare),
      ("top 100", popularity.topHundredShare), ("top 1 %", popularity.topPercentShare),
      ("top 10 %", popularity.topTenPercentShare),
    ]
    let known = tops.compactMap { name, share in share.map { "\(name) \(percent($0))" } }
    if !known.isEmpty { table.add(["share of requests", known.joined(separator: ", ")]) }
  }

  private static func spread(_ values: Distribution) -> String {
    var text = "min \(values.min), mean \(NumberText.fixed(values.mean, decimals: 1) ?? "–")"
    for percentile in [50, 90, 99] {
      if let value = values.percentile(percentile) { text += ", p\(percentile) \(value)" }
    }
    return text + ", max \(values.max)"
  }

  private static func percent(_ share: Double) -> String { NumberText.percent(share) }

  private static func count(_ number: Int) -> String { NumberText.grouped(UInt64(max(0, number))) }

  private static func bytes(_ number: UInt64) -> String {
    let plain = "\(NumberText.grouped(number)) B"
    return number < 1024 ? plain : plain + " (\(NumberText.bytes(number)))"
  }
}
