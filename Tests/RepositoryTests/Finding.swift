/// A place that breaks a house rule, as a compiler would report it: `path:line: what is wrong`.
struct Finding: Hashable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}
