import Testing

/// Every rule finds violations, and accepts other code: a rule that cannot fail proves nothing.
struct TidyRulesTests {
  @Test func longLinesAndFiles() {
    let line = String(repeating: "x", count: 100)
    let wide = source(line + "x\n" + line)
    #expect(TidyRules.layout(wide).map(\.line) == [1])
    let long = source(String(repeating: "x\n", count: 801))
    #expect(TidyRules.layout(long).count == 1)
    #expect(TidyRules.layout(source(String(repeating: "x\n", count: 800))).isEmpty)
  }

  @Test(arguments: [
    ("let x = y!", true), ("f(a)!.b", true), ("a[1]!", true), ("try! f()", true),
    ("x as! Int", true), ("var x: Int!", true), ("\"\\(a!)\"", true), ("a != b", false),
    ("!a", false), ("a !== b", false), ("if !a, !(b) {", false), ("\"hello!\"", false),
    ("// hurry!", false), ("#\"a!\"#", false),
  ])
  func force(_ line: String, _ isForced: Bool) {
    #expect(TidyRules.forbidden(source(line)).isEmpty != isForced, "\(line)")
  }

  @Test func forbiddenWords() {
    #expect(TidyRules.forbidden(source("x\n// TO" + "DO: later")).map(\.line) == [2])
    #expect(TidyRules.forbidden(source(".unsafe" + "Flags([])")).count == 1)
  }

  @Test func releaseStores() {
    let text = "word.store(0, ordering: .releasing)\natomicMemoryFence(ordering: .releasing)"
    #expect(TidyRules.releaseStores(source(text)).map(\.line) == [1])
    #expect(TidyRules.releaseStores(source("// ordering: .releasing")).isEmpty)
  }

  @Test(arguments: [
    "public struct A {", "  public init() {", "@inline(__always) public func f() {",
    "public private(set) var x = 1", "public static func == (a: A)", "open class B {",
    "public indirect enum C {",
  ])
  func undocumented(_ line: String) {
    #expect(TidyRules.documentation(source("let a = 1\n" + line)).map(\.line) == [2])
    #expect(TidyRules.documentation(source("/// Words.\n" + line)).isEmpty)
    #expect(TidyRules.documentation(source("/// Words.\n@frozen\n" + line)).isEmpty)
    #expect(TidyRules.documentation(source("/// Words.\n\n" + line)).count == 1)
  }

  @Test(arguments: [
    "struct A {", "let package = Package(", "  func open() {", "// public var x",
    "package static let x = 1", "  package init() {",
  ])
  func declarationsWithoutDocumentation(_ line: String) {
    #expect(TidyRules.documentation(source(line)).isEmpty)
  }

  @Test func fencesOfCode() {
    let text = "/// ```swift\n/// f()\n/// ```\n/// ```swift f()\n/// g() ```\nlet a = \"``` b\""
    #expect(TidyRules.documentation(source(text)).map(\.line) == [4, 5])
  }

  @Test func functionLength() {
    func function(_ lines: Int) -> String {
      "struct A {\n  func f(\n    a: () -> Void = {}\n  ) {\n"
        + String(repeating: "    g(\"}\") // }\n", count: lines - 4) + "  }\n}\n"
    }
    #expect(TidyRules.longFunctions(source(function(70))).isEmpty)
    #expect(TidyRules.longFunctions(source(function(71))).map(\.line) == [2])
    let requirements = "protocol P {\n  func f()\n  init()\n}\n" + function(70)
    let found = FunctionFinder(source(requirements)).functions
    #expect(found == [FunctionFinder.Function(start: 5, lines: 70)])
    #expect(FunctionFinder(source("f(self.init(x)) {\n}\n")).functions.isEmpty)
  }

  @Test func jsonIsDecodedInOnePlace() {
    #expect(TidyRules.jsonFromOutside(source("x = try JSONDecoder().decode(a)")).count == 1)
    #expect(TidyRules.jsonFromOutside(source("JSONSerialization.jsonObject(with: a)")).count == 1)
    #expect(TidyRules.jsonFromOutside(source("// JSONDecoder()")).isEmpty)
  }

  @Test func testsThatWait() {
    func findings(_ text: String, in path: String = "Tests/ATests.swift") -> [Int] {
      TidyRules.waiting(SwiftSource(path: path, text: text)).map(\.line)
    }
    #expect(findings("@Suite struct A {\nlet a = Thread {\n}") == [2])
    #expect(findings("@Suite(.endsInTime) struct A {\nlet a = Thread {\n}").isEmpty)
    #expect(findings("let a = Thread {\n}", in: "Tests/A.swift").isEmpty)
    #expect(findings("process.waitUntilExit()", in: "Tests/A.swift") == [1])
  }

  @Test func names() {
    let text = "struct Sample {}"
    #expect(TidyRules.naming(source(text, path: "Sources/Sample.swift")).isEmpty)
    #expect(TidyRules.naming(source(text, path: "Sources/Sample+More.swift")).isEmpty)
    #expect(TidyRules.naming(source(text, path: "Sources/Other.swift")).count == 1)
    #expect(TidyRules.naming(source("// " + text, path: "Sources/Sample.swift")).count == 1)
  }

  @Test func workplace() {
    #expect(TidyRules.workplace(path: "a.md", text: "x\nsee /wo" + "rk/x").map(\.line) == [2])
    #expect(TidyRules.workplace(path: "a.md", text: "homework / rest").isEmpty)
  }

  @Test func registration() {
    let rule = Registration(
      folder: "F", conformance: "Generator", registry: "R.swift", everyFile: true)
    let listed = source("public struct A: Sendable, Generator {", path: "F/A.swift")
    let split = source("enum B:\n  Generator\n{", path: "F/B.swift")
    let helper = source("struct C {}", path: "F/C.swift")
    let nested = source("  private final class D: Other { // Generator", path: "F/D+More.swift")
    let found = rule.findings([listed, split, helper, nested], registryCode: "[A.self, BB.self]")
    #expect(found.map(\.path) == ["F/B.swift", "F/C.swift"])
  }

  @Test func blanking() {
    let text = ##"""
      let a = "x \(f("y", z)) \" w" // c
      /* a /* b */ " */ let b = #"q \(r) \#(s) " t"#
      let c = """
        "quoted" \(d)
        """
      """##
    let code = source(text).code
    #expect(code[0] == #"let a = "    f(" ", z)      "     "#)
    #expect(code[1].filter { $0 != " " } == ##"letb=#"s"#"##)
    #expect(code[3].filter { $0 != " " } == "d")
    #expect(code.count == 5)
  }

  private func source(_ text: String, path: String = "Sources/Sample.swift") -> SwiftSource {
    SwiftSource(path: path, text: text)
  }
}
