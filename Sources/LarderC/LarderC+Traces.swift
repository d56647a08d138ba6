import CLarder
import Foundation
import LarderEngine
import LarderExperiments
import LarderTraces

extension LarderC {
  static func makeTrace(
    _ task: UInt64, _ trace: CNumber, _ error: CResult,
    _ body: (TaskState) throws -> PreparedTrace
  ) -> larder_status {
    trace?.pointee = 0
    return call(error) {
      let place = try required(trace, "trace")
      let made = try body(try self.task(task))
      guard made.requests.count > 0 else { throw TraceError("has no requests", in: made.name) }
      place.pointee = traces.add(made)
    }
  }

  static func generator(
    _ text: String, _ options: ParameterReader
  ) throws -> (source: any RecordSource, name: String, requests: Int) {
    let component = try ComponentSpec(parsing: text)
    let requests = try options.whole("requests")
    let spec = SourceSpec.generator(
      GeneratorSpec(
        component: component, requests: requests,
        sizes: try options.text("sizes").map { try ComponentSpec(parsing: $0) },
        ttls: try options.text("ttls").map { try ComponentSpec(parsing: $0) },
        operations: try options.text("operations").map {
          try GeneratorSpec.operations(parsing: $0)
        },
        rate: options.text("rate") == nil ? nil : try options.number("rate")))
    let source = try spec.makeSource(seed: try options.seed() ?? 1) { try FileSource($0) }
    return (source, component.name, requests)
  }

  static let generatorOptions: [Parameter] = [
    .seed,
    Parameter(
      "requests", .count(1...Int(UInt32.max)), default: "1M", "Number of requests."),
    Parameter("sizes", default: "", "Distribution of sizes."),
    Parameter("ttls", default: "", "Distribution of TTLs."),
    Parameter("operations", default: "", "Shares of operations."),
    Parameter("rate", .number(1e-6...1e12), default: "", "Requests per second."),
  ]

  static func prepare(
    _ source: some RecordSource, _ name: String, _ task: TaskState
  ) throws -> PreparedTrace {
    try PreparedTrace.prepare(source: source, name: name, progress: task.preparation)
  }
}

/// `larder_trace_from_columns` of `larder.h`.
@_cdecl("larder_trace_from_columns")
public func larderTraceFromColumns(
  _ columns: UnsafePointer<larder_columns>?, _ name: CText, _ task: UInt64, _ trace: CNumber,
  _ error: CResult
) -> Int32 {
  LarderC.makeTrace(task, trace, error) { task in
    let columns = try LarderC.required(columns, "columns").pointee
    let name = try LarderC.optionalText(name, "name") ?? "arrays"
    let source = try ArraySource(columns)
    task.begin(total: source.requestCount ?? 0)
    return try LarderC.prepare(source, name, task)
  }
}

/// `larder_trace_open` of `larder.h`.
@_cdecl("larder_trace_open")
public func larderTraceOpen(
  _ path: CText, _ format: CText, _ task: UInt64, _ trace: CNumber, _ error: CResult
) -> Int32 {
  LarderC.makeTrace(task, trace, error) { task in
    let path = try LarderC.text(path, "path")
    let format = try LarderC.optionalText(format, "format")
    task.begin(total: 0)
    return try PreparedTrace.load(
      path: path, format: try format.map { try ComponentSpec(parsing: $0) },
      progress: task.preparation)
  }
}

/// `larder_trace_generate` of `larder.h`.
@_cdecl("larder_trace_generate")
public func larderTraceGenerate(
  _ generator: CText, _ options: CText, _ task: UInt64, _ trace: CNumber, _ error: CResult
) -> Int32 {
  LarderC.makeTrace(task, trace, error) { task in
    let text = try LarderC.text(generator, "generator")
    let options = try LarderC.options(options, LarderC.generatorOptions)
    let (source, name, requests) = try LarderC.generator(text, options)
    task.begin(total: requests)
    return try LarderC.prepare(source, name, task)
  }
}

/// `larder_trace_sample` of `larder.h`.
@_cdecl("larder_trace_sample")
public func larderTraceSample(
  _ trace: UInt64, _ rate: Double, _ seed: UInt64, _ sample: CNumber, _ error: CResult
) -> Int32 {
  LarderC.makeTrace(0, sample, error) { task in
    let trace = try LarderC.trace(trace)
    return try LarderC.prepare(
      try SampledSource(trace, rate: rate, seed: seed), trace.name, task)
  }
}

/// `larder_trace_save` of `larder.h`.
@_cdecl("larder_trace_save")
public func larderTraceSave(_ trace: UInt64, _ path: CText, _ error: CResult) -> Int32 {
  LarderC.call(error) {
    let trace = try LarderC.trace(trace)
    try TraceWriter.larder.write(trace, to: try LarderC.text(path, "path"))
  }
}

/// `larder_trace_counts` of `larder.h`.
@_cdecl("larder_trace_counts")
public func larderTraceCounts(
  _ trace: UInt64, _ requests: CNumber, _ objects: CNumber, _ error: CResult
) -> Int32 {
  LarderC.call(error) {
    let trace = try LarderC.trace(trace)
    requests?.pointee = UInt64(trace.requests.count)
    objects?.pointee = UInt64(trace.requests.objects)
  }
}

/// `larder_trace_info` of `larder.h`.
@_cdecl("larder_trace_info")
public func larderTraceInfo(_ trace: UInt64, _ json: CResult, _ error: CResult) -> Int32 {
  LarderC.give(json, error) { try LarderC.json(LarderC.facts(try LarderC.trace(trace))) }
}

/// `larder_trace_destroy` of `larder.h`.
@_cdecl("larder_trace_destroy")
public func larderTraceDestroy(_ trace: UInt64) -> Int32 {
  Int32(LarderC.traces.remove(trace) ? LARDER_OK : LARDER_MISUSE)
}

extension LarderC {
  /// The facts of a trace in the form of `larder_trace_info`: flat, so that they can be a row of a
  /// table. Missing columns are left out. O(requests + objects log objects).
  static func facts(_ trace: PreparedTrace) -> [String: Any] {
    let analysis = TraceAnalysis(trace)
    let popularity = analysis.popularity
    let operations = zip(Operation.allCases.map { "\($0)" }, analysis.operations)
    let facts: [String: Any?] = [
      "name": analysis.name, "requests": analysis.requests, "objects": analysis.objects,
      "one_hit_wonders": analysis.oneHitWonders, "footprint_bytes": analysis.footprintBytes,
      "bytes_requested": analysis.bytesRequested,
      "mean_object_size": analysis.objectSizes?.mean,
      "duration_seconds": analysis.durationMicroseconds.map { Double($0) / 1e6 },
      "zipf_exponent": popularity.zipf?.exponent,
      "top_percent_share": popularity.topPercentShare,
      "top_ten_percent_share": popularity.topTenPercentShare,
      "operations": Dictionary(operations) { first, _ in first },
      "sampling_rate": trace.sampling.isPart ? trace.sampling.rate : nil, "notes": trace.notes,
    ]
    return facts.compactMapValues { $0 }
  }
}
