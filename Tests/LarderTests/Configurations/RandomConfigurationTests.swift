import Testing

/// Random configurations and calls, including nonsensical numbers: the caches reject them with a
/// typed error or work. The program `Torture` runs many more of these rounds.
@Suite struct RandomConfigurationTests {
  @Test(.timeLimit(.minutes(30)), arguments: 0..<8)
  func isRejectedOrWorks(part: UInt64) async throws {
    let folder = try ScratchFolder(isSmall: true)
    var passed = 0
    var refused = 0
    for seed in part * 30..<(part + 1) * 30 {
      var round = ConfigurationRound(
        seed: seed, folder: folder.path + "/\(seed)", asksOrigin: false)
      do {
        switch try await round.run() {
        case .passed: passed += 1
        case .refused: refused += 1
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(passed > 5 && refused > 3)
  }
}
