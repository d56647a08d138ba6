import Testing

@testable import LarderExperiments

struct DriveModelTests {
  @Test func theTableIsLinearBetweenItsPoints() {
    for (utilisation, expected) in [
      (0.1, 1.143), (0.25, 1.143), (0.375, 1.191), (0.5, 1.239), (0.66, 1.594), (0.8, 2.088),
      (0.85, 2.7355), (0.9, 3.383), (0.99, 9.551), (1, 9.551),
    ] {
      #expect(abs(DriveModel(utilisation: utilisation).amplification - expected) < 1e-9)
    }
  }

  @Test func yearsAreEnduranceOverTheRate() throws {
    var flash = FlashCounts()
    flash.writtenBytes = 1_000_000
    flash.microseconds = 31_557_600_000_000
    let drive = DriveModel(enduranceBytes: 12_390_000, utilisation: 0.5)
    let years = try #require(drive.years(of: flash))
    #expect(abs(years - 10) < 1e-9 && abs(drive.deviceBytes(of: flash) - 1_239_000) < 1e-6)
    #expect(DriveModel().years(of: flash) == nil)
    flash.microseconds = nil
    #expect(drive.years(of: flash) == nil)
    flash.microseconds = 5
    flash.writtenBytes = 0
    #expect(drive.years(of: flash) == nil)
  }
}
