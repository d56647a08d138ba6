import LarderEngine
import LarderTraces

extension ValueShape {
  /// A share with a percent sign.
  static let percent = text(#"[0-9][0-9_]*(\.[0-9]+)? ?%"#)

  /// A share with a percent sign, or a number from 0 to 1.
  fileprivate static let operationShare = ratio.or(percent).named("ratio")

  /// The same, where the text may do without the sign.
  fileprivate static let difference = ratio.or(text(#"\s*[0-9][0-9_.]*\s*%?\s*"#))
    .named("difference")

  /// A share of objects above 0: a number, with a percent sign, or one part of so many.
  fileprivate static let sampleRate = ValueShape(
    [.number], ["type": "number", "exclusiveMinimum": 0, "maximum": 1]
  ).or(percent).or(text("[0-9]+/[0-9]+")).named("sampleRate")

  private static let ratio = ValueShape(
    [.number], ["type": "number", "minimum": 0, "maximum": 1])
}

extension Form where Value == Share {
  /// A share above 0, such as `10%`.
  static var share: Form {
    Form(ValueShape.percent.named("share")) { value, _ in
      let expected = "a share above 0% and at most 100%, such as 10%"
      guard let share = Share(parsing: try value.text(expected: expected)) else {
        throw value.unexpected(expected)
      }
      return share
    }
  }

  /// A difference from 0 to 1, such as `0.001` or `0.1%`.
  static var difference: Form {
    Form(.difference) { value, _ in
      let expected = "a number from 0 to 1, such as 0.001 or 0.1%"
      let text = try value.text([.string, .integer, .number], expected: expected)
      if let share = Share(parsing: text) { return share }
      guard let (billionths, isExact) = ExactDecimal(text)?.multiplied(by: 1_000_000_000), isExact,
        billionths <= 1_000_000_000
      else { throw value.unexpected(expected) }
      return Share(billionths: billionths)
    }
  }
}

extension Form where Value == Double {
  /// A share of operations from 0 to 1, such as `0.05` or `5%`.
  static var ratio: Form {
    Form(.operationShare) { value, _ in
      let expected = "a share from 0 to 1, such as 0.05 or 5%"
      let text = try value.text([.string, .integer, .number], expected: expected)
      let share = text == "0%" ? 0 : Share(parsing: text).map { Double($0.billionths) / 1e9 }
      guard let share = share ?? Double(text), (0...1).contains(share) else {
        throw value.unexpected(expected)
      }
      return share
    }
  }

  /// A share of objects above 0, such as `1/100`, `1%` or `0.01`.
  static var sampleRate: Form {
    Form(.sampleRate) { value, _ in
      let expected = "a share of the objects above 0, such as 1/100 or 1%"
      let text = try value.text([.string, .integer, .number], expected: expected)
      guard let rate = TraceSampling.rate(parsing: text) else { throw value.unexpected(expected) }
      return rate
    }
  }
}

extension Form where Value == CapacitySpec {
  /// A capacity, of the right unit where the workload names one.
  static var capacity: Form {
    let text = ValueShape.text(#"[0-9][0-9_]*(\.[0-9]+)? ?(([KkMmGgTt][Ii]?)?[Bb]|%)?"#)
    let whole = ValueShape([.integer], ["type": "integer", "minimum": 1])
    return Form(text.or(whole).named("capacity")) { value, reading in
      let text = try value.text([.string, .integer, .number], expected: "a capacity")
      let capacity = try CapacitySpec(parsing: text)
      switch (capacity.amount, reading.workload.unit) {
      case (.objects, let unit?), (.bytes, let unit?):
        _ = try capacity.resolve(unit: unit, objects: 0, footprintBytes: nil)
      default: break
      }
      return capacity
    }
  }
}

extension Form where Value == WarmUp {
  /// `none`, a number of requests, a share of them, or `until-full`.
  static var warmUp: Form {
    let words = ValueShape.words(["none", "until-full"])
    let count = Form<UInt64>.count.shape
    let none = ValueShape([.integer], ["type": "integer", "minimum": 0])
    return Form(words.or(.percent).or(none).or(count)) { value, _ in
      let expected = "none, a number of requests, a share such as 10%, or until-full"
      let text = try value.text([.string, .integer], expected: expected)
      switch text {
      case "none": return .none
      case "until-full": return .untilFull
      default:
        if let share = Share(parsing: text), share.billionths < 1_000_000_000 {
          return .share(share)
        }
        guard let requests = Quantity.count(text) else { throw value.unexpected(expected) }
        return requests == 0 ? .none : .requests(requests)
      }
    }
  }
}
