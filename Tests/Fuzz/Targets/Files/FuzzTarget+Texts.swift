import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderSupport
import LarderTraces

extension FuzzTarget {
  /// Typed options and sanitised texts: the first byte selects the parser, the rest is the text.
  static let texts = FuzzTarget("texts", lengthMax: 512) { input in
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    switch (input.first ?? 0) % 8 {
    case 0:
      let list = try accepted(or: CapacityError.self) { try CapacitySpec.list(parsing: text) }
      for spec in list ?? [] {
        for unit in [CapacityUnit.objects, .bytes] {
          for footprint in [nil, 123_456 as UInt64, .max] {
            let capacity = try accepted(or: CapacityError.self) {
              try spec.resolve(unit: unit, objects: 4_000_000_000, footprintBytes: footprint)
            }
            if let capacity { try require(capacity > 0, "a capacity of 0") }
          }
        }
      }
    case 1:
      let spec = try accepted(or: ComponentError.self) { try ComponentSpec(parsing: text) }
      guard let spec, !spec.values.contains(where: { $0.value.contains("'") }) else { return }
      let again = try ComponentSpec(parsing: spec.description)
      try require(again == spec, "\(spec) is read again as \(again)")
    case 2:
      let list = try accepted(or: PolicyError.self) { try PolicySpec.list(parsing: text) }
      for spec in list ?? [] {
        let again = try PolicySpec(parsing: spec.description)
        try require(again == spec, "\(spec) is read again as \(again)")
      }
    case 3:
      if let share = Share(parsing: text) { _ = share.of(.max) }
      if let fetch = FetchSpec.fetch(parsing: text) { _ = "\(fetch)" }
      _ = FetchSpec.bandwidth(parsing: text)
      _ = PrefixSpec.prefill(parsing: text)
      if let share = Share(parsing: text) {
        try require(share.ratio >= 0 && share.ratio <= 1, "a share of \(share)")
        try require(Share(parsing: "\(share)") == share, "\(share) is read otherwise")
      }
      for quantity in [Quantity.count, .bytes, .duration] { _ = quantity.value(text) }
    case 4:
      _ = try accepted(or: ComponentError.self) { try FlashLayout(parsing: text) }
    case 5:
      let safe = TextSafety.singleLine(text)
      try require(!safe.contains(where: \.isNewline), "several lines: \(safe.debugDescription)")
      try require(TextSafety.singleLine(safe) == safe, "made safe twice it differs")
    case 6:
      let read = try JSONDecoder().decode(
        [String].self, from: Data("[\(JSONLine.quoted(text))]".utf8))
      try require(read == [text], "\(text.debugDescription) is read again as \(read)")
    default:
      do {
        _ = try BoundedJSON.decode([String: [Double]].self, from: Data(input.dropFirst()))
      } catch is DecodingError {
      } catch is BoundedJSONError {
      }
    }
  }
}
