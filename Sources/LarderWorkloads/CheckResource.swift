/// What a cache takes of memory, disk and processor, as checks compare it: the names of columns in
/// `timings.csv`, where there is one. Of all of them less is better. `disk_bytes_written` is not
/// among them: how many pages reach the disk depends on when the system writes them back.
package enum CheckResource: String, Sendable, Hashable, CaseIterable, Codable {
  /// Bytes of memory for each object, by the allocator's count.
  case memoryBytesPerObject = "memory_bytes_per_object"
  /// Bytes of the cache's files at the end.
  case diskBytes = "disk_bytes"
  /// Bytes that were given to the system to write, by the cache's own count where it has one.
  case bytesWritten = "bytes_written"
  /// Files in the cache's folder at the end.
  case files
  /// Instructions of a request, counted by callgrind; the values that are made and checked for it
  /// are in it. Only where they were asked for.
  case instructionsPerRequest = "instructions_per_request"

  /// The change that is allowed unless the workload file says otherwise.
  package var threshold: Share {
    switch self {
    case .memoryBytesPerObject, .diskBytes, .bytesWritten, .files: Share(percent: 5)
    case .instructionsPerRequest: Share(percent: 1)
    }
  }
}
