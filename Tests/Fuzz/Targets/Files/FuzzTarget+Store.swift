import Foundation
import LarderExperiments

extension FuzzTarget {
  /// A file of a store: unchanged, or with a valid first line and seal, so that its JSON is parsed.
  /// An accepted one must survive a round trip.
  static let store = FuzzTarget("store", lengthMax: 8192) { input in
    let choice = Int(input.first ?? 0)
    let kind = ResultStore.kinds[choice % ResultStore.kinds.count]
    var file = Data(input.dropFirst())
    if choice & 0x80 == 0 {
      file = SealedFile.bytes(kind: kind, json: file.filter { $0 != 0x0A })
    }
    let read = try accepted(or: SealFault.self) { try ResultStore.resealed(file, kind: kind) }
    guard let written = read ?? nil else { return }
    let again = try ResultStore.resealed(written, kind: kind)
    try require(again == written, "a file of the kind \(kind) differs once it is written")
  }
}
