import Foundation
import LarderEngine

/// A piece of work that is always the same, to tell a slower machine from a slower cache.
package enum CalibrationKernel: String, Sendable, Hashable, CaseIterable, Codable {
  /// A walk through memory in which each step says where the next is: the latency of memory.
  case memory
  /// Mixing numbers: the speed of the processor.
  case hashing
  /// Copying from one place in memory to another: its bandwidth.
  case copying
  /// Writing a page to a file and waiting until it is on the disk.
  case fsync

  /// The kernels that a cell is held against: the disk only where it is used.
  package static func kernels(for cell: TimedCell) -> [CalibrationKernel] {
    let usesDisk = cell.name.mode == .execute && cell.planned.cell.kind != .memory
    return usesDisk ? allCases : [.memory, .hashing, .copying]
  }
}

/// Runs calibration kernels. Its memory is made once.
package final class CalibrationBench {
  private var links: [UInt32]
  private var source: [UInt8]
  private var target: [UInt8]
  private let scratch: String
  /// Keeps the optimiser from leaving out work whose result nobody reads.
  private var sum: UInt64 = 0

  private static var entries: Int { 1 << 22 }
  private static var copied: Int { 1 << 24 }

  /// A bench that writes into a folder when the disk is measured.
  package init(scratch: String = FileManager.default.temporaryDirectory.path) {
    self.scratch = scratch
    source = [UInt8](repeating: 1, count: Self.copied)
    target = [UInt8](repeating: 2, count: Self.copied)
    // One cycle through all entries (Sattolo 1986), so that the walk never comes back early.
    links = (0..<UInt32(Self.entries)).map { $0 }
    var random = SeededGenerator(seed: 1)
    for last in stride(from: Self.entries - 1, to: 0, by: -1) {
      links.swapAt(last, Int(random.next(below: UInt64(last))))
    }
  }

  /// Seconds that the kernel takes: of the processor, and for the disk on the wall.
  ///
  /// - Throws: `TimingError.launch` when nothing can be written.
  package func seconds(_ kernel: CalibrationKernel) throws(TimingError) -> Double {
    let start = TwoClocks.now
    switch kernel {
    case .memory: chase()
    case .hashing: hash()
    case .copying: copy()
    case .fsync: try flush()
    }
    let end = TwoClocks.now
    let nanoseconds =
      kernel == .fsync ? end.wall - start.wall : end.processor - start.processor
    return Double(max(1, nanoseconds)) / 1e9
  }

  private func chase() {
    var place: UInt32 = 0
    links.withUnsafeBufferPointer { links in
      for _ in 0..<100_000 { place = links[Int(place)] }
    }
    sum &+= UInt64(place)
  }

  private func hash() {
    var state: UInt64 = 1
    for number in 0..<UInt64(2_000_000) {
      state = (state ^ number) &* 0x9e37_79b9_7f4a_7c15
      state ^= state >> 29
    }
    sum &+= state
  }

  private func copy() {
    source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        target.copyMemory(from: source)
      }
    }
    sum &+= UInt64(target[Int(sum % UInt64(Self.copied))])
  }

  private func flush() throws(TimingError) {
    let path = "\(scratch)/larder-fsync-\(getpid())"
    // What an earlier process left goes; a link that somebody placed is never written through.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .launch(program: path, reason: String(cString: strerror(errno)))
    }
    defer { unlink(path) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      defer { try? handle.close() }
      for _ in 0..<4 {
        try handle.write(contentsOf: Data(repeating: 3, count: 4096))
        try handle.synchronize()
      }
    } catch {
      throw .launch(program: path, reason: error.localizedDescription)
    }
  }
}
