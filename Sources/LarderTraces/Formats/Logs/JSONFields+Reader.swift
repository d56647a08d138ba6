internal import LarderSystem

extension JSONFields {
  /// Finds the fields of lines.
  struct Reader: WebLineReader {
    private let layout: JSONFields
    private let fields: [Field]
    private let scanner: JSONLineScanner
    /// Roles that are emptied before a line.
    private let roles: [WebRole]
    /// By the role's place: the field that is read; -1 as long as none is.
    private var chosen: [Int]
    /// By the role's place: the surest of the late fields of this line.
    private var pending: [Int]
    private let places: [Int]
    /// Fields whose key is that of a field before them.
    private let copies: [(index: Int, original: Int)]
    private let isLate: [Bool]
    private let status: Int
    private var count = 0
    private var notes: [String] = []
    private var withoutStatus = 0

    init(_ layout: JSONFields) {
      self.layout = layout
      fields = layout.fields + layout.late
      scanner = JSONLineScanner(fields.map(\.name), isExact: layout.isExact)
      roles = Array(layout.roles).sorted { $0.rawValue < $1.rawValue }
      places = fields.map { JSONRole.allCases.firstIndex(of: $0.key) ?? 0 }
      isLate = fields.indices.map { $0 >= layout.fields.count }
      copies = layout.fields.indices.compactMap { [fields] index in
        let original = fields.firstIndex { $0.name == fields[index].name } ?? index
        return original < index ? (index, original) : nil
      }
      status = JSONRole.allCases.firstIndex(of: .status) ?? 0
      chosen = Array(repeating: -1, count: JSONRole.allCases.count)
      pending = chosen
      for index in layout.fields.indices { chosen[places[index]] = index }
    }

    mutating func read(_ line: TextField, into values: borrowing WebLine) -> WebLineKind {
      count += 1
      if line.trimmed.isEmpty { return .none }
      guard scanner.scan(line) else { return .bad }
      for role in roles { values[role] = TextField(line.end, line.end) }
      var hasPending = false
      for index in scanner.found {
        let value = scanner.value(index)
        if value.isEmpty { continue }
        let place = places[index]
        if !isLate[index] || chosen[place] == index {
          put(value, of: index, into: values)
        } else if chosen[place] < 0, pending[place] < 0 || index < pending[place],
          !value.isNothing, fields[index].key.accepts(value)
        {
          pending[place] = index
          hasPending = true
        }
      }
      for copy in copies { put(scanner.value(copy.original), of: copy.index, into: values) }
      if hasPending { choosePending(values) }
      if chosen[status] >= 0, values[.status].isEmpty,
        !values[.target].isEmpty || !values[.request].isEmpty
      {
        withoutStatus += 1
      }
      return .request
    }

    /// Reads the late fields of this line from now on.
    private mutating func choosePending(_ values: borrowing WebLine) {
      for place in pending.indices where pending[place] >= 0 {
        let index = pending[place]
        chosen[place] = index
        pending[place] = -1
        let field = fields[index]
        if field.isLifetime, !layout.readsLifetimes {
          notes.append(
            "\(JSONKeys.list([field.name])) is first in line \(count) and is not read; name it "
              + "with json-lines:\(field.key.rawValue)=KEY")
          continue
        }
        put(scanner.value(index), of: index, into: values)
        notes.append("\(field.text) is read from line \(count) on, where it is first")
      }
    }

    @inline(__always)
    private func put(_ value: TextField, of index: Int, into values: borrowing WebLine) {
      let role = fields[index].role
      switch role {
      case .status, .bytes: values[role] = Reader.whole(value)
      case .target, .request, .method, .host, .cacheControl, .expires:
        if !value.isNothing { values[role] = value }
      default: values[role] = value
      }
    }

    /// `200` of `200.0`.
    @inline(__always)
    private static func whole(_ value: TextField) -> TextField {
      guard value.count > 2, value.end[-1] == 0x30, let point = value.find(0x2E),
        TextField(point, value.end).isZeroFraction
      else { return value }
      return TextField(value.next, point)
    }

    func problem(_ line: TextField) -> String {
      "expected a JSON object in one line, found \(line.quoted)"
    }

    var remarks: [String] {
      var all = layout.understanding.filter { sentence in
        // A key that appeared later is no missing one.
        !JSONRole.allCases.contains { role in
          guard let absence = role.absence, chosen[places(of: role)] >= 0 else { return false }
          return sentence.hasPrefix(absence)
        }
      }
      all += notes
      if withoutStatus > 0, let field = fields.first(where: { $0.key == .status }) {
        let name = chosen[status] >= 0 ? fields[chosen[status]].name : field.name
        all.append(
          "\(NumberText.counted(withoutStatus, "line")) without \(name) "
            + (withoutStatus == 1 ? "counts as 200" : "count as 200"))
      }
      return all.map { "JSON lines: \($0)." }
    }

    private func places(of role: JSONRole) -> Int { JSONRole.allCases.firstIndex(of: role) ?? 0 }
  }
}
