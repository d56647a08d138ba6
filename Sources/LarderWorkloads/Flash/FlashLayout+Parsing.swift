import LarderEngine

extension FlashLayout {
  /// Reads a layout as it is written on the command line: `log:region=16MiB:reinsert=1`, `sets`, or
  /// `kangaroo:log=5%:region=256KiB:threshold=2:reinsert=1`.
  ///
  /// - Throws: `FlashLayoutError` with what was expected.
  package init(parsing text: some StringProtocol) throws(FlashLayoutError) {
    let spec: PolicySpec
    do {
      spec = try PolicySpec(parsing: text)
    } catch {
      throw FlashLayoutError(description: "layout '\(text)': \(error)")
    }
    guard let word = FlashLayoutWord(rawValue: spec.name) else {
      let known = FlashLayoutWord.allCases.map(\.rawValue).joined(separator: ", ")
      throw FlashLayoutError(description: "unknown layout '\(spec.name)'; known are \(known)")
    }
    var parts = FlashLayoutParts()
    for (name, value) in spec.values.sorted(by: { $0.key < $1.key }) {
      func wrong(_ expected: String) -> FlashLayoutError {
        FlashLayoutError(
          description: "layout '\(spec.name)': '\(name)' expects \(expected), found '\(value)'")
      }
      switch name {
      case "region":
        guard let bytes = Quantity.bytes(value), Self.regions.contains(bytes) else {
          throw wrong("a size from 512B to 1TiB, such as 16MiB")
        }
        parts.region = bytes
      case "reinsert":
        guard let hits = UInt32(value), hits <= Self.thresholds.upperBound else {
          throw wrong("a number of hits from 0 to \(Self.thresholds.upperBound)")
        }
        parts.reinsertHits = hits
      case "log":
        guard let share = Share(parsing: value), share.billionths < 1_000_000_000 else {
          throw wrong("a share above 0% and below 100%, such as 5%")
        }
        parts.log = share
      case "threshold":
        guard let objects = UInt32(value), Self.thresholds.contains(objects) else {
          throw wrong("a number of objects from 1 to \(Self.thresholds.upperBound)")
        }
        parts.threshold = objects
      default: throw FlashLayoutError(description: "layout '\(spec.name)' has no '\(name)'")
      }
    }
    if let foreign = parts.foreign(to: word) {
      throw FlashLayoutError(description: "layout '\(spec.name)' has no '\(foreign.option)'")
    }
    self = parts.layout(word)
  }
}
