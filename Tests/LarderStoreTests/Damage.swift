import Foundation

@testable import LarderExperiments

/// Kinds of damage to a file.
enum Damage: CaseIterable {
  case empty, half, lastByteMissing, oneBit, moreBehind, otherProgram, otherVersion, otherKind
  case otherCell, impossibleCounts, notJSON, deepJSON

  var says: String {
    switch self {
    case .empty: "empty"
    case .half, .lastByteMissing, .moreBehind: "truncated"
    case .oneBit: "checksum"
    case .otherProgram: "not a file of a store"
    case .otherVersion: "version 3"
    case .otherKind: "of the kind 'trace'"
    case .otherCell: "another cell"
    case .impossibleCounts: "invalid counts"
    case .notJSON: "Unexpected end"
    case .deepJSON: "nested"
    }
  }

  /// Damages a file. Kinds that end in a seal have a valid one.
  func apply(to file: String) throws {
    let url = URL(fileURLWithPath: file)
    var data = try Data(contentsOf: url)
    var json = String(decoding: data.split(separator: 0x0A)[1], as: UTF8.self)
    switch self {
    case .empty: data = Data()
    case .half: data = data.prefix(data.count / 2)
    case .lastByteMissing: data.removeLast()
    case .oneBit: data[data.count / 2] ^= 1
    case .moreBehind: data += Data("more\n".utf8)
    case .otherProgram: data = Data("PK\u{3}\u{4} and so on\n\n\n".utf8)
    case .otherVersion:
      let text = String(decoding: data, as: UTF8.self)
      data = Data(text.replacing("cell 2\n", with: "cell 3\n").utf8)
    case .otherKind: data = SealedFile.bytes(kind: "trace", json: Data(json.utf8))
    case .otherCell:
      json = json.replacing("capacity 10", with: "capacity 11")
      data = SealedFile.bytes(kind: "cell", json: Data(json.utf8))
    case .impossibleCounts:
      json = json.replacing("\"requests\":3000", with: "\"requests\":1")
      data = SealedFile.bytes(kind: "cell", json: Data(json.utf8))
    case .notJSON: data = SealedFile.bytes(kind: "cell", json: Data("{".utf8))
    case .deepJSON:
      let deep = String(repeating: "[", count: 100_000)
      data = SealedFile.bytes(kind: "cell", json: Data(deep.utf8))
    }
    try data.write(to: url)
  }
}
