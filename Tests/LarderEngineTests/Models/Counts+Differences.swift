import LarderEngine

extension Counts {
  func differences(from model: Counts) -> String {
    func fields(_ value: Any, _ prefix: String) -> [(String, String)] {
      Mirror(reflecting: value).children.flatMap { child -> [(String, String)] in
        let name = prefix + (child.label ?? "")
        return child.value is TierCounts
          ? fields(child.value, name + ".") : [(name, "\(child.value)")]
      }
    }
    return zip(fields(self, ""), fields(model, "")).filter { $0.1 != $1.1 }
      .map { "  \($0.0): engine \($0.1), model \($1.1)" }.joined(separator: "\n")
  }
}
