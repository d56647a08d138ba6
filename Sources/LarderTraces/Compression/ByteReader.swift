/// A buffer over a `ByteSource`: decoders look at the unread bytes, take what they understood, and
/// ask for more.
///
/// The unread bytes are always in one piece. Asking for more moves them to the front, so pointers
/// into the buffer are good until the next `fill`.
public final class ByteReader {
  /// The path, for errors.
  public let path: String
  /// The first unread byte.
  public private(set) var unread: UnsafeRawPointer
  /// How many unread bytes are in the buffer.
  public private(set) var unreadCount = 0
  /// Offset of the first unread byte in the decompressed stream.
  public private(set) var offset = 0
  /// The source has no more bytes.
  public private(set) var isAtEnd = false
  /// NULs that were passed over between lines.
  var nulsPassed = 0
  /// Sentences on what stood behind the compressed data, once it has been read to its end.
  var remarks: [String] { source.remarks }

  /// Fits the L2 cache of any processor of this decade together with a batch of records.
  private static let initialCapacity = 256 << 10

  private let source: any ByteSource
  private var memory: UnsafeMutableRawBufferPointer

  /// A reader at the beginning of a source.
  init(_ source: any ByteSource, path: String) {
    self.source = source
    self.path = path
    memory = .allocate(byteCount: ByteReader.initialCapacity, alignment: 64)
    unread = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
  }

  deinit { memory.deallocate() }

  /// The unread bytes in the buffer.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: unread, count: unreadCount)
  }

  /// Takes `count` of the unread bytes.
  @inline(__always)
  public func consume(_ count: Int) {
    assert(count <= unreadCount)
    unread += count
    unreadCount -= count
    offset += count
  }

  /// Reads until there are `count` unread bytes; false when the source ends before that.
  ///
  /// - Complexity: O(bytes moved and read).
  public func fill(atLeast count: Int) throws(TraceError) -> Bool {
    while unreadCount < count {
      guard try fillMore() else { return false }
    }
    return true
  }

  /// Reads some more bytes behind the unread ones, enlarging the buffer when they fill it; false
  /// at the end of the source.
  public func fillMore() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    makeRoom()
    let start = unread - UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
    let space = UnsafeMutableRawBufferPointer(rebasing: memory[(start + unreadCount)...])
    let got = try source.read(into: space)
    unreadCount += got
    isAtEnd = got == 0
    return got > 0
  }

  /// Moves the next bytes into `space` until it is full or the source ends, and returns how many.
  /// Bytes that are not in the buffer yet do not pass through it.
  ///
  /// - Complexity: O(bytes moved and read).
  func take(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    var taken = min(unreadCount, space.count)
    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    consume(taken)
    while taken < space.count, !isAtEnd {
      let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: space[taken...]))
      taken += got
      offset += got
      isAtEnd = got == 0
    }
    return taken
  }

  private func makeRoom() {
    let base = memory.baseAddress.unsafelyUnwrapped
    if unreadCount == memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2, alignment: 64)
      larger.copyMemory(from: bytes)
      memory.deallocate()
      memory = larger
      unread = UnsafeRawPointer(larger.baseAddress.unsafelyUnwrapped)
    } else if unread != UnsafeRawPointer(base) {
      base.copyMemory(from: unread, byteCount: unreadCount)
      unread = UnsafeRawPointer(base)
    }
  }
}
