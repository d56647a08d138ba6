import LarderEngine

/// A fixture in the format described in the folder's README.
struct Script {
  /// A line that could not be parsed, or whose outcome differed.
  struct Failure: Error, CustomStringConvertible {
    var file: String
    var line: Int
    var problem: String

    var description: String { "\(file):\(line): \(problem)" }
  }

  enum Action {
    case request(set: Bool, Request, ScriptOutcome)
    case delete(ObjectID)
    case expire(ObjectID, UInt64)
    case holds(Set<ObjectID>)
    case ghosts(Set<ObjectID>)
    case misses(Int)
  }

  struct Step {
    var line: Int
    var action: Action
  }

  /// The lines from one `policy` line to the next.
  struct Section {
    var policy: PolicySpec
    var capacity: UInt64 = 0
    var unit = CapacityUnit.objects
    var names: [String] = []
    var steps: [Step] = []

    mutating func id(_ name: String) -> ObjectID {
      if let place = names.firstIndex(of: name) { return ObjectID(place + 1) }
      names.append(name)
      return ObjectID(names.count)
    }

    func names(of ids: [ObjectID]) -> [String] { ids.map { names[Int($0) - 1] } }
  }

  let file: String
  private(set) var sections: [Section] = []

  init(file: String, text: String) throws {
    self.file = file
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard !words.isEmpty else { continue }
      do {
        try read(words, line: number + 1)
      } catch {
        throw Failure(file: file, line: number + 1, problem: "\(error)")
      }
    }
    for place in sections.indices { sections[place].setNextUses() }
  }

  private mutating func read(_ words: [String], line: Int) throws {
    if words[0] == "policy" {
      sections.append(Section(policy: try PolicySpec(parsing: words[1])))
    } else if sections.isEmpty {
      throw ScriptProblem("no policy yet")
    } else {
      try sections[sections.count - 1].read(words, line: line)
    }
  }
}

/// Reasons why a line is invalid.
struct ScriptProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Script.Section {
  fileprivate mutating func read(_ words: [String], line: Int) throws {
    let rest = words.dropFirst().filter { $0 != "-" }
    switch words[0] {
    case "capacity":
      capacity = try number(words, 1)
      unit = words.last == "bytes" ? .bytes : .objects
    case "delete": add(.delete(id(words[1])), line)
    case "expire":
      let expires = words[2] == "-" ? Request.noExpiry : try number(words, 2) as UInt64
      add(.expire(id(words[1]), expires), line)
    case "holds": add(.holds(Set(rest.map { id($0) })), line)
    case "ghosts": add(.ghosts(Set(rest.map { id($0) })), line)
    case "misses": add(.misses(Int(try number(words, 1) as UInt64)), line)
    case "get", "set": try readRequest(words, line: line)
    default: throw ScriptProblem("unknown '\(words[0])'")
    }
  }

  private mutating func readRequest(_ words: [String], line: Int) throws {
    var request = Request(id: id(words[1]), index: UInt64(steps.count))
    var outcome = ScriptOutcome(kind: words[0] == "set" ? .stored : .miss)
    var place = 2
    while place < words.count {
      switch words[place] {
      case "size": request.size = try number(words, place + 1)
      case "expires": request.expires = try number(words, place + 1)
      case "cost": request.cost = Float(try number(words, place + 1) as UInt32)
      case "evicts":
        outcome.evicted = words[(place + 1)...].map { id($0) }
        place = words.count
      default:
        guard let kind = ScriptOutcome.Kind(rawValue: words[place]) else {
          throw ScriptProblem("unknown '\(words[place])'")
        }
        outcome.kind = kind
        place -= 1
      }
      place += 2
    }
    add(.request(set: words[0] == "set", request, outcome), line)
  }

  private mutating func add(_ action: Script.Action, _ line: Int) {
    steps.append(Script.Step(line: line, action: action))
  }

  private func number<Value: FixedWidthInteger>(_ words: [String], _ place: Int) throws -> Value {
    guard words.indices.contains(place), let value = Value(words[place]) else {
      throw ScriptProblem("expected a number as word \(place + 1)")
    }
    return value
  }

  fileprivate mutating func setNextUses() {
    var next: [ObjectID: Int] = [:]
    for place in steps.indices.reversed() {
      guard case .request(let set, var request, let outcome) = steps[place].action else { continue }
      request.nextUse = next[request.id].map { UInt32($0) } ?? Request.never
      next[request.id] = place
      steps[place].action = .request(set: set, request, outcome)
    }
  }
}
