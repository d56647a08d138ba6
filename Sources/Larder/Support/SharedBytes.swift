public import Synchronization

/// Values that are nothing but bytes, read while another thread may be writing them.
///
/// Words are read and written whole, each by itself: what is read may be of several values, so
/// whoever reads must be able to tell, and then throw it away unseen.
@usableFromInline
enum SharedBytes {
  /// Reads what is at `place` into `copy`, which has room for one. O(bytes).
  @inlinable
  @inline(__always)
  static func read<Value>(
    _ place: UnsafeMutablePointer<Value>, into copy: UnsafeMutableBufferPointer<Value>
  ) {
    let (from, to) = (UnsafeMutableRawPointer(place), UnsafeMutableRawBufferPointer(copy))
    eachWord(of: Value.self) { offset, width in
      #if LARDER_SCHEDULES
        ScheduledStep.take()
      #endif
      switch width {
      case 8: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt64.self)
      case 4: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt32.self)
      default: to.storeBytes(of: load(from + offset), toByteOffset: offset, as: UInt8.self)
      }
    }
  }

  /// What is at `place`. O(bytes).
  @inlinable
  @inline(__always)
  static func read<Value>(_ place: UnsafeMutablePointer<Value>) -> Value {
    if MemoryLayout<Value>.size == 8, MemoryLayout<Value>.alignment == 8 {
      #if LARDER_SCHEDULES
        ScheduledStep.take()
      #endif
      return unsafeBitCast(load(UnsafeMutableRawPointer(place)) as UInt64, to: Value.self)
    }
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      read(place, into: copy)
      return copy[0]
    }
  }

  /// Writes a value to `place`. O(bytes).
  @inlinable
  @inline(__always)
  static func write<Value>(_ value: Value, to place: UnsafeMutablePointer<Value>) {
    let to = UnsafeMutableRawPointer(place)
    withUnsafePointer(to: value) { value in
      let from = UnsafeRawPointer(value)
      eachWord(of: Value.self) { offset, width in
        #if LARDER_SCHEDULES
          ScheduledStep.take()
        #endif
        switch width {
        case 8: store(from.load(fromByteOffset: offset, as: UInt64.self), to + offset)
        case 4: store(from.load(fromByteOffset: offset, as: UInt32.self), to + offset)
        default: store(from.load(fromByteOffset: offset, as: UInt8.self), to + offset)
        }
      }
    }
  }

  /// Cuts a value into the widest words that its alignment allows.
  @inlinable
  @inline(__always)
  static func eachWord<Value>(
    of type: Value.Type, _ body: (_ offset: Int, _ width: Int) -> Void
  ) {
    let (size, alignment) = (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    var offset = 0
    while alignment >= 8, offset &+ 8 <= size {
      body(offset, 8)
      offset &+= 8
    }
    while alignment >= 4, offset &+ 4 <= size {
      body(offset, 4)
      offset &+= 4
    }
    while offset < size {
      body(offset, 1)
      offset &+= 1
    }
  }

  // In memory an atomic word is what the word is.

  @inlinable
  @inline(__always)
  static func load(_ place: UnsafeMutableRawPointer) -> UInt64 {
    place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable
  @inline(__always)
  static func load(_ place: UnsafeMutableRawPointer) -> UInt32 {
    place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable
  @inline(__always)
  static func load(_ place: UnsafeMutableRawPointer) -> UInt8 {
    place.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.load(ordering: .relaxed)
  }

  @inlinable
  @inline(__always)
  static func store(_ word: UInt64, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(word, ordering: .relaxed)
  }

  @inlinable
  @inline(__always)
  static func store(_ word: UInt32, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.store(word, ordering: .relaxed)
  }

  @inlinable
  @inline(__always)
  static func store(_ word: UInt8, _ place: UnsafeMutableRawPointer) {
    place.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.store(word, ordering: .relaxed)
  }
}
