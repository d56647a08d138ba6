import Foundation
import LarderEngine
import LarderTraces

/// What is known of a trace, as `larder_trace_info` gives it: flat, so that a line of a table can
/// be made of it. What a trace does not have is left out.
struct TraceInfo: Encodable {
  private let name: String
  private let requests: Int
  private let objects: Int
  private let oneHitWonders: Int
  private let footprintBytes: UInt64?
  private let bytesRequested: UInt64?
  private let meanObjectSize: Double?
  private let durationSeconds: Double?
  private let zipfExponent: Double?
  private let topPercentShare: Double?
  private let topTenPercentShare: Double?
  private let operations: [String: Int]
  private let samplingRate: Double?
  private let notes: [String]

  /// Looks at all of a trace. O(requests + objects log objects).
  init(_ trace: PreparedTrace) {
    let analysis = TraceAnalysis(trace)
    name = analysis.name
    requests = analysis.requests
    objects = analysis.objects
    oneHitWonders = analysis.oneHitWonders
    footprintBytes = analysis.footprintBytes
    bytesRequested = analysis.bytesRequested
    meanObjectSize = analysis.objectSizes?.mean
    durationSeconds = analysis.durationMicroseconds.map { Double($0) / 1e6 }
    zipfExponent = analysis.popularity.zipf?.exponent
    topPercentShare = analysis.popularity.topPercentShare
    topTenPercentShare = analysis.popularity.topTenPercentShare
    operations = Dictionary(
      zip(LarderEngine.Operation.allCases.map { "\($0)" }, analysis.operations)
    ) { first, _ in first }
    samplingRate = trace.sampling.isPart ? trace.sampling.rate : nil
    notes = trace.notes
  }

  /// The object as text.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
