/// Learned policies, which have no models: `LearnedReferenceTests` has the counts of their authors'
/// programs.
extension NaivePolicies {
  /// Specs that cover every parameter; the plain name, which never trains in a short trace, is the
  /// first.
  static func learnedSpecs(of name: String) -> [String] {
    switch name {
    case "lrb":
      [
        "lrb", "lrb:batch=8:window=2000", "lrb:batch=3:window=12",
        "lrb:batch=10:window=40:objective=objects", "lrb:batch=5:window=3000:history=0.5",
        "lrb:batch=16:window=100:history=2",
      ]
    default: [name, "\(name):batch=2", "\(name):batch=12", "\(name):batch=6:objective=objects"]
    }
  }
}
