/// The columns of a prepared trace file, with their numbers in its directory.
enum LarderColumn: UInt32, CaseIterable, Sendable {
  case ids = 1
  case sizes = 2
  case times = 3
  case operations = 4
  case ttls = 5
  case costs = 6
  case prompts = 7

  /// Bytes of an element.
  var elementSize: Int {
    switch self {
    case .ids, .sizes, .ttls, .costs, .prompts: 4
    case .times: 8
    case .operations: 1
    }
  }
}

/// The beginning of a prepared trace file.
///
/// Little-endian. At 0: magic (8 bytes), u32 version, u32 header length, u64 file length, u64
/// requests, u64 objects, u64 footprint, u64 times raised, u32 columns, u32 bytes of the name, u64
/// checksum of the header with this field 0. Version 2, of a trace that holds a part of the objects
/// only, goes on with the share as a double and u64 gets of all objects. Then the directory, 32
/// bytes a column: u32 kind, u32 element size, u64 offset, u64 length, u64 checksum. Then the name
/// in UTF-8. The columns begin at multiples of 64 and may be mapped and read in place.
package struct LarderLayout {
  var fileLength = 0
  var count = 0
  var objects = 0
  var footprintBytes: UInt64 = 0
  var timesRaised = 0
  var name = ""
  var columns: [Entry] = []
  var sampling = TraceSampling()

  /// A column's place in the file.
  struct Entry: Equatable {
    var column: LarderColumn
    var offset: Int
    var length: Int
    var checksum: UInt64
  }

  /// What a file begins with. Not text, and damaged by programs that convert line ends.
  static let magic: [UInt8] = [0x89] + Array("LARDER".utf8) + [0x0A]
  /// The version of whole traces, and that of samples.
  package static let versions: (whole: UInt32, sample: UInt32) = (1, 2)
  /// Bytes before the directory in a whole trace.
  package static let fixedLength = 72
  /// Bytes of the share and the gets of a sample, which follow.
  package static let samplingLength = 16
  /// Bytes of a column in the directory.
  package static let entryLength = 32
  static let alignment = 64
  /// Where the checksum of the header is.
  package static let checksumOffset = 64

  /// Where the directory begins.
  var directoryOffset: Int {
    LarderLayout.fixedLength + (sampling.isPart ? LarderLayout.samplingLength : 0)
  }

  /// Bytes from the beginning to the end of the name.
  var headerLength: Int {
    directoryOffset + columns.count * LarderLayout.entryLength + name.utf8.count
  }

  /// The first place for a column at or after `offset`.
  static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }

  /// The bytes of the header, with its checksum.
  func encoded() -> [UInt8] {
    var bytes = LarderLayout.magic
    func append<Value: FixedWidthInteger>(_ value: Value) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    append(sampling.isPart ? LarderLayout.versions.sample : LarderLayout.versions.whole)
    append(UInt32(headerLength))
    append(UInt64(fileLength))
    append(UInt64(count))
    append(UInt64(objects))
    append(footprintBytes)
    append(UInt64(timesRaised))
    append(UInt32(columns.count))
    append(UInt32(name.utf8.count))
    append(UInt64(0))
    if sampling.isPart {
      append(sampling.rate.bitPattern)
      append(sampling.gets)
    }
    for entry in columns {
      append(entry.column.rawValue)
      append(UInt32(entry.column.elementSize))
      append(UInt64(entry.offset))
      append(UInt64(entry.length))
      append(entry.checksum)
    }
    bytes += name.utf8
    let checksum = bytes.withUnsafeBytes { LarderChecksum.of($0) }
    withUnsafeBytes(of: checksum.littleEndian) { value in
      bytes.replaceSubrange(
        LarderLayout.checksumOffset..<LarderLayout.checksumOffset + 8, with: value)
    }
    return bytes
  }
}
