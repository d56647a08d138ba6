import Foundation
import LarderEngine
import LarderSimulation
import LarderWorkloads

extension Baseline {
  /// Reads a file and checks that it belongs to a workload.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: What errors call it: the path.
  ///   - workload: The name of the workload that it must be of.
  /// - Throws: `BaselineError` for anything that is not a whole baseline of this workload and
  ///   version.
  package static func decode(
    _ bytes: Data, file: String, workload: String
  ) throws(BaselineError) -> Baseline {
    guard !bytes.isEmpty else { throw .damaged(file: file, reason: "it is empty") }
    let head: Head = try decode(bytes, file: file)
    guard head.format == formatName else { throw .foreign(file: file) }
    guard let version = head.version else {
      throw .damaged(file: file, reason: "version is missing")
    }
    guard version == currentVersion else {
      throw .unknownVersion(file: file, found: version, known: currentVersion)
    }
    let body: Body = try decode(bytes, file: file)
    guard body.workload == workload else {
      throw .otherWorkload(file: file, found: body.workload, expected: workload)
    }
    let cells = body.cells.map(\.cell)
    if let fault = fault(in: cells) { throw .damaged(file: file, reason: fault) }
    return Baseline(
      workload: body.workload, traces: body.traces, cells: cells,
      resources: body.resources.map {
        MeasuredResources(system: body.system ?? "", cells: $0.map(\.entry))
      },
      timings: body.timings.map {
        CalibratedTimings(machine: body.machine ?? "", cells: $0.map(\.entry))
      })
  }

  private static func decode<Value: Decodable>(
    _ bytes: Data, file: String
  ) throws(BaselineError) -> Value {
    do throws(JSONFault) {
      return try JSONFile.decode(Value.self, from: bytes)
    } catch {
      throw .damaged(file: file, reason: error.reason)
    }
  }

  /// The first contradiction; nil for none.
  private static func fault(in cells: [CheckedCell]) -> String? {
    var seen: Set<CellName> = []
    for cell in cells {
      if !seen.insert(cell.name).inserted { return "the cell \(cell.name) occurs twice" }
      for metric in [CheckMetric.hits, .memoryHits, .diskHits, .bytesHit] {
        guard let part = cell.counts[metric], let whole = metric.whole.flatMap({ cell.counts[$0] })
        else { continue }
        if part > whole {
          return "the cell \(cell.name) has more \(metric.rawValue) than requests"
        }
      }
    }
    return nil
  }

  /// What every version has.
  private struct Head: Decodable {
    let format: String?
    let version: Int?
  }

  private struct Body: Decodable {
    let workload: String
    let traces: [TraceFacts]
    let cells: [BaselineCell]
    let system: String?
    let resources: [BaselineResources]?
    let machine: String?
    let timings: [BaselineTiming]?
  }
}

/// A key of any name.
struct AnyKey: CodingKey {
  /// The name.
  let stringValue: String
  /// Keys of lists have a number; these have none.
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

/// A cell as a baseline has it.
struct BaselineCell: Decodable {
  let cell: CheckedCell

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: AnyKey.self)
    let size = AnyKey(stringValue: "size")
    let unit = AnyKey(stringValue: "unit")
    var counts: [CheckMetric: UInt64] = [:]
    for key in fields.allKeys where !CellName.keys.contains(key.stringValue) {
      guard key.stringValue != size.stringValue, key.stringValue != unit.stringValue else {
        continue
      }
      guard let metric = CheckMetric(rawValue: key.stringValue) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "no count has this name")
      }
      // The decoder does not say where a number is that does not fit.
      guard let count = try? fields.decode(UInt64.self, forKey: key) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "expected a whole number, at least 0")
      }
      counts[metric] = count
    }
    cell = CheckedCell(
      name: try CellName(from: decoder), size: try fields.decode(UInt64.self, forKey: size),
      unit: try fields.decode(CapacityUnit.self, forKey: unit), counts: counts)
  }
}

extension CellName {
  /// The keys of a name in JSON.
  static let keys: Set<String> = ["trace", "configuration", "policy", "capacity", "seed"]
}

/// Timings of a cell as a baseline has them.
struct BaselineTiming: Decodable {
  let entry: CalibratedTimings.Entry

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: AnyKey.self)
    var ratios: [CalibrationKernel: CentreInterval] = [:]
    for kernel in CalibrationKernel.allCases {
      let key = AnyKey(stringValue: kernel.rawValue)
      guard let ends = try fields.decodeIfPresent([Double].self, forKey: key) else { continue }
      guard ends.count == 3, ends[1] > 0, ends[1] <= ends[0], ends[0] <= ends[2] else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields,
          debugDescription: "expected a ratio and the bounds of its interval")
      }
      ratios[kernel] = CentreInterval(centre: ends[0], lower: ends[1], upper: ends[2])
    }
    let mode = try fields.decode(Timing.Mode.self, forKey: AnyKey(stringValue: "mode"))
    entry = CalibratedTimings.Entry(
      name: TimedName(cell: try CellName(from: decoder), mode: mode), ratios: ratios)
  }
}

/// What a cell took of memory and disk as a baseline has it.
struct BaselineResources: Decodable {
  let entry: MeasuredResources.Entry

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: AnyKey.self)
    var values: [CheckResource: Double] = [:]
    for key in fields.allKeys where !CellName.keys.contains(key.stringValue) {
      guard let resource = CheckResource(rawValue: key.stringValue) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "no figure has this name")
      }
      let value = try fields.decode(Double.self, forKey: key)
      guard value.isFinite, value >= 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: fields, debugDescription: "expected a number, at least 0")
      }
      values[resource] = value
    }
    entry = MeasuredResources.Entry(name: try CellName(from: decoder), values: values)
  }
}
