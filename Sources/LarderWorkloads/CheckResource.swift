/// What an executed cache takes of memory and disk, as checks compare it: the names of columns in
/// `timings.csv`. Of all of them less is better. Bytes that the system wrote are not among them:
/// how many pages reach the disk depends on when it writes them back.
package enum CheckResource: String, Sendable, Hashable, CaseIterable, Codable {
  /// Bytes of memory for each object, by the allocator's count.
  case memoryBytesPerObject = "memory_bytes_per_object"
  /// Bytes of the cache's files at the end.
  case diskBytes = "disk_bytes"

  /// The change that is allowed unless the workload file says otherwise.
  package static let threshold = Share(percent: 5)
}
