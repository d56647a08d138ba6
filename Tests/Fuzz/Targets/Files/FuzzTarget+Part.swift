import Foundation
import LarderExperiments

extension FuzzTarget {
  /// A part as typed in the first line, and variables of a scheduler in the others.
  static let part = FuzzTarget("part", lengthMax: 512) { input in
    let lines = String(decoding: input, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var environment: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let equals = line.firstIndex(of: "=") else { continue }
      environment[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    let read = try accepted(or: PartError.self) {
      try PartNumber.parse(lines.first ?? "", environment: environment)
    }
    guard let part = read?.part else { return }
    try require(1...part.count ~= part.number, "part \(part)")
    let again = try PartNumber.parse(part.description, environment: [:])
    try require(again.part == part && again.source == nil, "\(part) is read again as \(again)")
  }
}
