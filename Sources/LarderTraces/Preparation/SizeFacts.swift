internal import LarderSystem

/// What was found when the sizes of a trace were resolved.
public struct SizeFacts: Sendable, Hashable {
  /// The rule.
  public var rule: SizeRule
  /// Objects whose requests gave more than one size above 0 (within one version, where the trace
  /// has writes).
  public var objectsWithSeveral = 0
  /// Requests whose size was not known.
  public var requestsUnknown = 0
  /// Objects of which no request had a size; they have `typicalSize`.
  public var objectsUnknown = 0
  /// The median size of the objects whose size is known.
  public var typicalSize: UInt32 = 0
  /// The sum of the sizes as they were logged.
  public var bytesLogged: UInt64 = 0

  /// Nothing found yet.
  public init(rule: SizeRule) { self.rule = rule }

  /// Sentences for whoever reads results, for a trace of `objects` objects.
  func notes(objects: Int) -> [String] {
    var notes: [String] = []
    if objectsWithSeveral > 0 {
      notes.append(
        "\(Self.share(objectsWithSeveral, of: objects)) of objects had more than one size; "
          + "\(rule.effect) (\(rule.rawValue)).")
    }
    if requestsUnknown > 0 {
      var text =
        NumberText.counted(requestsUnknown, "request")
        + " had no full size and "
        + (requestsUnknown == 1
          ? "was given that of its object" : "were given that of their object")
      if objectsUnknown > 0 {
        text += "; \(Self.share(objectsUnknown, of: objects)) of objects never had one and were "
        text += "given the median of the others, \(typicalSize) bytes"
      }
      notes.append(text + ".")
    }
    return notes
  }

  /// A share in percent, never rounded to 0.
  static func share(_ count: Int, of all: Int) -> String {
    let tenths = count * 1000 / max(1, all)
    if tenths == 0 { return "less than 0.1 %" }
    return tenths >= 100 ? "\((tenths + 5) / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
