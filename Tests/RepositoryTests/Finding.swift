/// A violation of a house rule in the format of a compiler: `path:line: message`.
struct Finding: Hashable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}
