import Testing

/// The rule finds violations and accepts other code.
struct VocabularyRuleTests {
  @Test(arguments: [
    "  public var cost: Int?", "  public func trim(toCost cost: Int) -> Int {",
    "  public init(\n    age: Duration? = nil,\n    cost: Int = 1\n  ) {",
    "  public func set(weigh: (Int) -> Int = { _ in 1 }, cost: Int) {",
    "  case value(Int, cost: Float)",
    "  public var nowMicroseconds: UInt64 { get }", "  public func wait(microseconds: Int)",
    "  public static let cost = Policy()", "  open func sumOfCosts() {",
    "  @inlinable public var expiresMicroseconds: UInt64? { nil }",
  ])
  func found(_ text: String) {
    let findings = VocabularyRule.findings(SwiftSource(path: "A.swift", text: "// x\n" + text))
    #expect(!findings.isEmpty && findings.allSatisfy { $0.line == 2 })
  }

  @Test(arguments: [
    "  public var fetchCost: Float", "  public func set(weight: Int, fetchCost: Float) {",
    "  var cost = 0", "  package var createdMicroseconds: UInt64", "  case .value(let cost):",
    "  public var weight: Int { cost }", "  /// The cost.\n  public var weight: Int",
    "  public init(interval: Duration = .microseconds(5)) {\n    cost = 1", "  case let cost:",
    "  public var name = \"cost\"", "  public func costume() {",
    "  try open().renew(expiresMicroseconds: 5)", "  default: cost",
  ])
  func notFound(_ text: String) {
    #expect(VocabularyRule.findings(SwiftSource(path: "A.swift", text: text)).isEmpty)
  }

  private static let text = [
    "/// What it is. What more.", "/// Whatever it is, for", "/// want of a name. For want of.",
    "let x = 1  // What it is, for want of", "// What",
    "  //  brings the object of a policy near, and nearer; it brings one two three four five six",
    "  // seven near", "let y = \"What so many\"",
  ].joined(separator: "\n")

  @Test(
    arguments: [
      (.init(beginning: "What", limit: 0), 2), (.init(beginning: "it", limit: 0), 0),
      (.init(phrase: "for want of", limit: 0), 2), (.init(phrase: "what it is", limit: 0), 1),
      (.init(phrase: "brings ... near", limit: 0), 1), (.init(phrase: "so many", limit: 0), 0),
    ] as [(CommentPattern, Int)])
  func occurrencesInComments(_ pattern: CommentPattern, _ count: Int) {
    #expect(pattern.count(in: Comments(SwiftSource(path: "A.swift", text: Self.text))) == count)
  }

  @Test func commentsAboveTheLimit() throws {
    let pattern = try #require(CommentPattern.all.first { $0.words == ["as", "good", "as"] })
    func findings(_ count: Int) -> [String] {
      let text = String(repeating: "// As good as new.\n\n", count: count)
      return VocabularyRule.commentFindings([SwiftSource(path: "A.swift", text: text)])
        .map(\.message)
    }
    #expect(findings(pattern.limit).isEmpty)
    #expect(
      findings(pattern.limit + 1) == [
        "\(pattern.limit + 1) comments with 'as good as'; at most \(pattern.limit)"
      ])
  }
}
