import Testing

/// The rule finds what it is for, and nothing else.
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
}
