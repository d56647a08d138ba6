/// A check that was carried out and did not end well.
struct CheckOutcome: Error, CustomStringConvertible {
  /// One line for a person.
  let description: String
  /// 1 where something failed, 3 where nothing could be said.
  let code: Int32
}
