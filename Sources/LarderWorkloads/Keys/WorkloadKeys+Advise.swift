import LarderEngine

extension WorkloadKeys {
  /// What is decided for the traces.
  static let advise = Section<AdviseSpec>(
    "advise", "The decision that is made for each trace.",
    expected: "true, or a map such as {capacities: 64MiB, prices: prices.yaml}",
    keys: [
      Key(
        "capacities", .list(of: .capacity, "capacities"), \.capacities,
        "the capacities to search", default: "`1%`, `3%`, `10%` and `30%`", example: "[64MiB, 1GiB]"
      ),
      Key(
        "tiers", .choice(), \.tiers,
        "tiers of the design: `memory`, `disk`, `hybrid` (memory in front of a disk of the "
          + "capacity), or `auto` (memory, and whether a disk behind it pays)",
        default: "`auto`", example: "hybrid"),
      Key(
        "prices", .text("the path of a file with prices"), \.prices,
        "file with prices, relative to the folder of the workload file: see "
          + "[money](advise.md#prices)", default: "the example values", example: "prices.yaml"),
      Key(
        "learn", .learned, \.learned,
        "share of the requests that designs are chosen on; the rest scores them. `whole`: both on "
          + "all requests", default: "`50%`", example: "20%"),
      Key(
        "time-budget", .budget, \.budgetSeconds,
        "time to search, converted to a number of requests at 20 million a second, so that advice "
          + "is the same on every machine",
        default: "4 s for each capacity, 12 s for more than three, and 5 s for the rest",
        example: "60s"),
    ])
}

extension Form where Value == AdviseSpec? {
  /// Whether there is advice, and on what.
  static var advise: Form {
    let boolean = Form<Bool>.boolean
    return Form(boolean.shape.or(.map(WorkloadKeys.advise.table))) { value, reading in
      if value.type == .boolean { return try value.boolean() ? AdviseSpec() : nil }
      var spec = AdviseSpec()
      try WorkloadKeys.advise.read(value, into: &spec, reading)
      return spec
    }
  }
}

extension Form where Value == Share? {
  /// A share that leaves something, or everything.
  fileprivate static var learned: Form {
    Form(.words(["whole"]).or(.percent)) { value, _ in
      let expected = "a share above 0% and below 100%, such as 50%, or 'whole'"
      let text = try value.text(expected: expected)
      if text == "whole" { return nil }
      guard let share = AdviseSpec.learned(text) else { throw value.unexpected(expected) }
      return share
    }
  }
}

extension Form where Value == UInt64 {
  fileprivate static var budget: Form {
    Form(Form<UInt32>.timeToLive.shape) { value, _ in
      let expected = "a time from 1s to 24h, such as 60s or 5m"
      let text = try value.text([.string, .integer], expected: expected)
      guard let seconds = AdviseSpec.budget(text) else { throw value.unexpected(expected) }
      return seconds
    }
  }
}

extension AdviseSpec {
  /// A share of the requests that leaves some; nil for anything else.
  package static func learned(_ text: String) -> Share? {
    guard let share = Share(parsing: text), share.billionths < 1_000_000_000 else { return nil }
    return share
  }

  /// Seconds of a budget of at most a day; nil for anything else.
  package static func budget(_ text: String) -> UInt64? {
    guard let seconds = Quantity.seconds(text), (1...86_400).contains(seconds) else { return nil }
    return seconds
  }
}
