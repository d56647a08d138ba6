import LarderTraces

extension WorkloadDecoder {
  /// A generator with its parameters, checked part by part so that an error finds its line.
  func generator(_ map: YAMLMap) throws(WorkloadError) -> GeneratorSpec {
    let table = WorkloadKeys.generator
    let name = try map.required("generator", in: table).text(expected: "the name of a generator")
    try map.check(table)
    var component = ComponentSpec(name: name.lowercased())
    for entry in map.entries where !table.names.contains(entry.key) {
      component.values[entry.key] = try parameter(entry.value)
    }
    var spec = GeneratorSpec(component: component, requests: try requests(map, table))
    if let rate = map["rate"] {
      spec.rate = try rate.number(
        in: 1e-9...1e12, expected: "a number of requests per second above 0")
    }
    if let operations = map["operations"] { spec.operations = try self.operations(operations) }
    try check(spec, in: map, nameKey: "generator")
    if let sizes = map["sizes"] {
      let (distribution, place) = try self.distribution(sizes, of: "sizes such as 8KiB")
      spec.sizes = distribution
      try check(spec, in: place ?? map, nameKey: place == nil ? "sizes" : "distribution")
    }
    if let ttls = map["ttl"] {
      let (distribution, place) = try self.distribution(ttls, of: "times such as 1h")
      spec.ttls = distribution
      try check(spec, in: place ?? map, nameKey: place == nil ? "ttl" : "distribution")
    }
    return spec
  }

  /// A distribution; a value alone stands for a constant one, and then there is no map.
  private func distribution(
    _ value: YAMLValue, of what: String
  ) throws(WorkloadError) -> (ComponentSpec, place: YAMLMap?) {
    let expected = "\(what), or a map with the key 'distribution'"
    if case .scalar = value.node {
      let text = try value.text([.string, .integer], expected: expected)
      return (ComponentSpec(name: "constant", values: ["value": text]), nil)
    }
    let table = WorkloadKeys.distribution
    let map = try YAMLMap(value, table, expected: expected)
    let name = try map.required("distribution", in: table)
      .text(expected: "the name of a distribution")
    var spec = ComponentSpec(name: name.lowercased())
    for entry in map.entries where !table.names.contains(entry.key) {
      spec.values[entry.key] = try parameter(entry.value)
    }
    return (spec, map)
  }

  /// The text of a parameter; a list becomes its items with commas between.
  private func parameter(_ value: YAMLValue) throws(WorkloadError) -> String {
    let scalars: Set<KeyTable.ValueType> = [.string, .integer, .number, .boolean]
    guard value.type == .array else {
      return try value.text(scalars, expected: "a value or a list of values")
    }
    return try value.items(of: "values")
      .map { item throws(WorkloadError) in
        let text = try item.text(scalars, expected: "a value")
        guard !text.contains(",") else { throw item.unexpected("a value without commas") }
        return text
      }
      .joined(separator: ",")
  }

  private func operations(_ value: YAMLValue) throws(WorkloadError) -> [String: Double] {
    let map = try YAMLMap(
      value, WorkloadKeys.operations, expected: "a map such as {get: 0.95, set: 0.05}")
    var shares: [String: Double] = [:]
    for entry in map.entries {
      let expected = "a share from 0 to 1, such as 0.05 or 5%"
      let text = try entry.value.text([.string, .integer, .number], expected: expected)
      let share = text == "0%" ? 0 : Share(parsing: text).map { Double($0.billionths) / 1e9 }
      guard let share = share ?? Double(text), (0...1).contains(share) else {
        throw entry.value.unexpected(expected)
      }
      shares[entry.key] = share
    }
    // In the order of the file, so that the sum does not depend on a dictionary's order.
    let sum = map.entries.reduce(0) { $0 + (shares[$1.key] ?? 0) }
    guard abs(sum - 1) <= 1e-6 else {
      throw value.error(
        .unexpected(expected: "shares with a sum of 1", found: "a sum of \(sum)"))
    }
    return shares
  }

  /// Asks whether the generator is as it must be; an error about a parameter is told at its line,
  /// any other at the key that names the component.
  private func check(
    _ spec: GeneratorSpec, in map: YAMLMap, nameKey: String
  ) throws(WorkloadError) {
    do {
      try checks.generator(spec)
    } catch let error as ComponentError {
      if let parameter = error.parameter, let value = map[parameter] {
        throw value.document.error(
          map.line(of: parameter), .refused(error.message), path: value.path)
      }
      // A value alone stands for a constant distribution, whose name the user has not seen.
      let isAlone = nameKey == "sizes" || nameKey == "ttl"
      throw refusal(isAlone ? error.message : error.description, in: map, at: nameKey)
    } catch {
      throw refusal("\(error)", in: map, at: nameKey)
    }
  }

  private func refusal(_ message: String, in map: YAMLMap, at key: String) -> WorkloadError {
    map[key]?.error(.refused(message)) ?? map.error(at: key, .refused(message))
  }
}
