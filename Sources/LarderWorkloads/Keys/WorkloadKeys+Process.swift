extension WorkloadKeys {
  /// A cache in a process of its own.
  static let process = Section<ProcessSpec>(
    "process", "A cache in a process of its own, which speaks memcached's text protocol.",
    expected: "a map with the key 'process'",
    keys: [
      Key(
        "process", .items(of: .word, "words of a command"),
        "the program and its arguments. A program without `/` is looked up in `PATH`; it starts in "
          + "the folder of the workload file. "
          + ProcessPlaceholder.allCases.map { "`{\($0.rawValue)}`" }.joined(separator: ", ")
          + " stand for the cell's",
        default: .required, example: #"[./my-cache, --size, "{capacity}"]"#
      ) { words, spec, value in
        guard words.first.map({ !$0.isEmpty }) ?? false else {
          throw value.unexpected("a list with a program and its arguments")
        }
        spec.command = words
      },
      Key(
        "timeout", .timeToLive, \.timeoutSeconds,
        "the longest that it may take to start, to give an answer, and to end; whole seconds",
        default: "`30s`", example: "5m"),
    ])
}

extension Form where Value == String {
  /// A word of a command.
  fileprivate static var word: Form {
    let text = ValueShape([.string], ["type": "string"])
    let number = ValueShape([.integer, .number], ["type": "number"])
    return Form(text.or(number)) { value, _ in
      let word = try value.text(
        [.string, .integer, .number], expected: "a word of a command; quote it")
      if let unknown = ProcessSpec.unknownPlaceholder(in: word) {
        let known = ProcessPlaceholder.allCases.map { "{\($0.rawValue)}" }
        throw value.error(
          .refused(
            "unknown placeholder '{\(unknown)}'; known are \(known.joined(separator: ", "))"))
      }
      guard !word.utf8.contains(0) else { throw value.unexpected("a word without NUL") }
      return word
    }
  }
}

/// Which cache a configuration executes.
enum CacheChoice: Sendable {
  /// One of the list.
  case named(String)
  /// A process.
  case process(ProcessSpec)
}

extension Form where Value == CacheChoice {
  /// The name of a cache, or a process.
  static var cache: Form {
    let section = WorkloadKeys.process
    let expected = "the name of a cache, or a map with the key 'process'"
    let name = Form<String>.text(expected)
    return Form(ValueShape.map(section.table).or(name.shape)) { value, reading in
      guard value.type == .object else { return .named(try name.read(value, reading)) }
      var spec = ProcessSpec(command: [], folder: reading.workload.folder)
      try section.read(value, into: &spec, reading)
      return .process(spec)
    }
  }
}
