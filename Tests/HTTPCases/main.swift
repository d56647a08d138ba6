import Foundation
import HTTPCaseSuite

/// Prints a line on standard error and ends with the status of a wrong request.
func refuse(_ line: String) -> Never {
  FileHandle.standardError.write(Data("HTTPCases: \(line)\n".utf8))
  exit(2)
}

guard CommandLine.arguments.count == 2 else {
  refuse("expected one argument, a file with cases: see docs/http.md")
}
let path = CommandLine.arguments[1]
guard let data = FileManager.default.contents(atPath: path) else {
  refuse("\(path): cannot be read")
}
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "http-cases-\(ProcessInfo.processInfo.processIdentifier)")
do {
  let cases = try HTTPCase.read(data)
  let results = try await CaseRunner(directory: folder).run(cases)
  for line in CaseReport(cases, results).lines { print(line) }
} catch let error as HTTPCaseError {
  refuse("\(path): \(error)")
} catch {
  refuse("\(error)")
}
try? FileManager.default.removeItem(at: folder)
