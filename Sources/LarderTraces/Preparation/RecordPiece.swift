/// Some records of a file in a row, as one thread has them at a time: their bytes, what these were
/// decoded to, and the numbers of their objects as far as they are known.
final class RecordPiece {
  /// The records of it that are wanted, up to `count`.
  let records: UnsafeMutablePointer<TraceRecord>
  /// Their ids; 0 where `missing` has the record's place.
  let ids: UnsafeMutablePointer<UInt32>
  /// How many records there are.
  private(set) var count = 0
  /// Its number, from 0, in the order of the trace.
  var number = 0
  /// Gets of all objects, where the records are those of a sample.
  private(set) var gets: UInt64 = 0
  /// What is wrong behind the last record, if anything is.
  var failure: (any Error)?
  /// How many bytes of the file had been read after this.
  var bytesRead = 0
  /// How its bytes are decoded, the path they are from, and where in the file they begin.
  var origin: (decoder: any FixedWidthDecoder, path: String, offset: Int)?

  private let capacity: Int
  private let missingPlaces: UnsafeMutablePointer<UInt32>
  private var missingCount = 0
  private var memory: UnsafeMutableRawBufferPointer
  private var filled = 0

  /// Room for that many records.
  init(capacity: Int) {
    self.capacity = capacity
    records = .allocate(capacity: capacity)
    ids = .allocate(capacity: capacity)
    // One more: a place is written and then counted, or not.
    missingPlaces = .allocate(capacity: capacity + 1)
    memory = .allocate(byteCount: 0, alignment: 64)
  }

  deinit {
    records.deallocate()
    ids.deallocate()
    missingPlaces.deallocate()
    memory.deallocate()
  }

  /// The places of records whose keys were not found, in ascending order.
  var missing: UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(start: missingPlaces, count: missingCount)
  }

  /// The records.
  var batch: UnsafeBufferPointer<TraceRecord> {
    UnsafeBufferPointer(start: records, count: count)
  }

  /// Room for the bytes of as many records as fit, each of that size.
  func space(forRecordsOf size: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < capacity * size {
      memory.deallocate()
      memory = .allocate(byteCount: capacity * size, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<(capacity * size)])
  }

  /// Begins anew, with so many bytes in its space.
  func begin(number: Int, bytes: Int) {
    self.number = number
    filled = bytes
    (count, missingCount, gets) = (0, 0, 0)
    failure = nil
  }

  /// Decodes the bytes, keeps what is wanted and looks the keys up.
  func decode(_ wanted: WantedRecords, _ keys: SharedKeys) {
    guard let (decoder, path, offset) = origin else { return }
    let (size, bytes) = (decoder.recordSize, UnsafeRawBufferPointer(memory))
    guard let first = bytes.baseAddress, filled > 0 else { return }
    let whole = filled / size
    count = decoder.decode(first, count: whole, into: records)
    let end = count * size
    if count < whole {
      failure = decoder.damage(at: first + end, in: path, offset: offset + end)
    } else if let error = decoder.leftOver(filled - end, in: path, offset: offset + end) {
      failure = error
    }
    if wanted.skipsZeroSizes { count = records.removeZeroSizes(of: count) }
    if let sample = wanted.sample { (count, gets) = sample.keep(records, count: count) }
    missingCount = keys.find(records, count: count, into: ids, missing: missingPlaces)
  }
}

/// Which records of a file are wanted.
struct WantedRecords {
  /// Those of size 0 are left out.
  var skipsZeroSizes = false
  /// Those of a share of the objects alone are wanted; nil for all.
  var sample: ObjectSample?
}
