import Foundation
import Testing

@testable import LarderTraces

/// The samples in the repository equal those of the tests. To regenerate them:
/// `LARDER_WRITE_SAMPLES=1 swift test --filter SampleFileTests`.
@Suite
struct SampleFileTests {
  @Test(arguments: SampleTrace.all)
  func repositoryFileEqualsTestSample(_ sample: SampleTrace) throws {
    let path = "\(Repository.samples)/\(sample.file)"
    if ProcessInfo.processInfo.environment["LARDER_WRITE_SAMPLES"] != nil {
      try Data(sample.bytes).write(to: URL(fileURLWithPath: path))
    }
    #expect(FileManager.default.contents(atPath: path) == Data(sample.bytes))
  }

  @Test func folderHasNoOtherTraces() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Repository.samples)
    let known = Set(SampleTrace.all.map(\.file) + ["README.md"])
    #expect(names.filter { !known.contains($0) }.isEmpty)
  }
}
