/// What learned policies ask of their setup.
extension PolicySetup {
  /// Refuses more objects than a policy has records for.
  ///
  /// - Throws: `capacity`.
  func requireObjects(atMost most: Int) throws(PolicyError) {
    guard objects <= most else {
      throw .capacity(
        policy: spec.name, capacity: capacity, expected: "at most \(most) distinct objects")
    }
  }
}

extension PolicySpec {
  /// The parameter as one of several words, of which the first is the default.
  ///
  /// - Throws: `badValue`.
  func choice(_ parameter: String, _ words: [String]) throws(PolicyError) -> String {
    guard let text = values[parameter] else { return words.first ?? "" }
    guard words.contains(text) else {
      throw .badValue(
        policy: name, parameter: parameter, value: text, expected: words.joined(separator: " or "))
    }
    return text
  }
}

extension GradientBoosting {
  /// The library for a policy.
  ///
  /// - Throws: `missingNeed`, with what to install.
  static func current(for spec: PolicySpec) throws(PolicyError) -> GradientBoosting {
    do throws(BoostingError) {
      return try current()
    } catch {
      guard case .unavailable(let need) = error else {
        throw .missingNeed(policy: spec.name, need: "\(error)")
      }
      throw .missingLibrary(policy: spec.name, need: need)
    }
  }
}
