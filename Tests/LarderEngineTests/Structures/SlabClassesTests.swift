import Testing

@testable import LarderEngine
@testable import LarderResearchServers

@Suite struct SlabClassesTests {
  @Test func sizes() {
    let sizes: [UInt32] = [
      96, 120, 152, 192, 240, 304, 384, 480, 600, 752, 944, 1184, 1480, 1856, 2320, 2904, 3632,
      4544, 5680, 7104, 8880, 11104, 13880, 17352, 21696, 27120, 33904, 42384, 52984, 66232, 82792,
      103_496, 129_376, 161_720, 202_152, 252_696, 315_872, 394_840, 524_288,
    ]
    let classes = SlabClasses(capacity: 64 << 20, page: 1 << 20, first: 96, factor: 1.25)
    #expect(classes.count == UInt32(sizes.count))
    for (place, size) in sizes.enumerated() {
      let slab = UInt32(place)
      #expect(classes.slab(of: size) == slab)
      #expect(classes.chunks(size, in: slab) == 1)
      if place + 1 < sizes.count { #expect(classes.slab(of: size + 1) == slab + 1) }
    }
    #expect(classes.slab(of: 0) == 0)
    #expect(classes.chunks(524_289, in: 38) == 2)
    #expect(classes.chunks(1 << 20, in: 38) == 2)
  }
}
