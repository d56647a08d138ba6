import LarderEngine
import LarderTraces

extension Form where Value == String {
  /// Any text.
  static func text(_ expected: String) -> Form {
    Form(ValueShape([.string], ["type": "string"])) { value, _ in
      try value.text(expected: expected)
    }
  }

  /// A name that may become part of a path and of a table.
  static var name: Form {
    Form(.text("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}").named("name")) { value, _ in
      let expected = "a name of letters, digits, '-', '_' and '.'"
      let name = try value.text(expected: expected)
      guard !name.isEmpty, name.count <= 100, name.first != ".",
        name.allSatisfy(WorkloadDecoder.isNameCharacter)
      else { throw value.unexpected(expected) }
      return name
    }
  }
}

extension Form where Value == Bool {
  /// True or false.
  static var boolean: Form {
    Form(ValueShape([.boolean], ["type": "boolean"])) { value, _ in try value.boolean() }
  }
}

extension Form where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// One of an enum's words; `listed` are those in the schema.
  static func choice(listed: [Value] = Array(Value.allCases)) -> Form {
    Form(.words(listed.map(\.rawValue))) { value, _ in try value.choice(of: Value.self) }
  }
}

extension Form where Value: FixedWidthInteger & Sendable {
  /// A whole number in the range, which is within that of `UInt64`.
  static func whole(_ range: ClosedRange<Value>) -> Form {
    let range = UInt64(range.lowerBound)...UInt64(range.upperBound)
    return Form(.whole(range)) { value, _ in Value(try value.whole(in: range)) }
  }

  /// A whole number from 1 to the largest number of requests or objects; also `5M`.
  static var count: Form {
    // Later requests, and further objects, could not be numbered.
    let range = 1...CapacitySpec.largestObjects
    let text = ValueShape.text(#"[0-9][0-9_]*(\.[0-9]+)? ?(k|K|M|G|e[0-9]+)?"#)
    return Form(.whole(range).or(text).named("count")) { value, _ in
      Value(try value.whole(in: range, or: [.string]))
    }
  }

  /// Bytes in the range: `4096`, `4KiB`.
  static func bytes(_ range: ClosedRange<Value>, such example: String) -> Form {
    let range = UInt64(range.lowerBound)...UInt64(range.upperBound)
    let text = ValueShape.text(#"[0-9][0-9_]*(\.[0-9]+)? ?(([KkMmGgTt][Ii]?)?[Bb])?"#)
    return Form(.whole(range).or(text)) { value, _ in
      let expected = "bytes from \(range.lowerBound) to \(range.upperBound), such as \(example)"
      let text = try value.text([.string, .integer], expected: expected)
      guard let bytes = Quantity.bytes(text) ?? Quantity.whole(text), range.contains(bytes) else {
        throw value.unexpected(expected)
      }
      return Value(bytes)
    }
  }
}

extension Form where Value == Double {
  /// A number from 0 to `most`.
  static func number(upTo most: Int) -> Form {
    Form(ValueShape([.number], ["type": "number", "minimum": 0, "maximum": .number("\(most)")])) {
      value, _ in
      try value.number(in: 0...Double(most), expected: "a number from 0 to \(most)")
    }
  }

  /// A number above 0: from `least`, which is next to 0, to `most`.
  static func positive(
    _ what: String, least: Double = .leastNormalMagnitude, most: Double
  ) -> Form {
    Form(ValueShape([.number], ["type": "number", "exclusiveMinimum": 0])) { value, _ in
      try value.number(in: least...most, expected: "a number\(what) above 0")
    }
  }
}

extension Form where Value == UInt32 {
  /// A time to live in whole seconds.
  static var timeToLive: Form {
    let text = ValueShape.text(#"[0-9][0-9_]*(\.[0-9]+)? ?(s|m|min|h|d|w)?"#)
    return Form(.whole(1...UInt64(UInt32.max)).or(text).named("ttl")) { value, _ in
      let expected = "a time of whole seconds such as 90, 5m, 1h or 30d"
      let text = try value.text([.string, .integer], expected: expected)
      guard let seconds = Quantity.seconds(text), seconds > 0, let ttl = UInt32(exactly: seconds)
      else { throw value.unexpected(expected) }
      return ttl
    }
  }
}
