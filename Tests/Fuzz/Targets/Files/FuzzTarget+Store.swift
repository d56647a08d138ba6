import Foundation
import LarderExperiments

extension FuzzTarget {
  /// A file of a store: unchanged, or with a valid first line and seal, so that its JSON is parsed.
  /// An accepted one must survive a round trip.
  static let store = FuzzTarget("store", lengthMax: 8192) { input in
    let choice = Int(input.first ?? 0)
    let kind = SealedFile.kinds[choice % SealedFile.kinds.count]
    var file = Data(input.dropFirst())
    if choice & 0x80 == 0 {
      file = SealedFile.bytes(kind: kind, json: file.filter { $0 != 0x0A })
    }
    let read = try accepted(or: SealFault.self) { try SealedFile.resealed(file, kind: kind) }
    guard let written = read else { return }
    let again = try SealedFile.resealed(written, kind: kind)
    try require(again == written, "a file of the kind \(kind) differs once it is written")
  }
}
