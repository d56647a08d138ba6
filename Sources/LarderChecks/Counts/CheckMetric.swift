import LarderEngine
import LarderSimulation
import LarderWorkloads

/// A count that a check compares, by the name of its column in `counts.csv`.
package enum CheckMetric: String, Sendable, Hashable, CaseIterable, Codable {
  /// Gets.
  case requests
  /// Gets answered from any tier.
  case hits
  /// Gets answered from memory.
  case memoryHits = "memory_hits"
  /// Gets answered from disk.
  case diskHits = "disk_hits"
  /// Bytes of all gets; only where capacities are bytes.
  case bytesRequested = "bytes_requested"
  /// Bytes of the gets that were answered; only where capacities are bytes.
  case bytesHit = "bytes_hit"
  /// Hits on a copy older than the origin's.
  case staleHits = "stale_hits"
  /// Objects stored.
  case admissions
  /// Objects refused.
  case rejections
  /// Objects given up for want of room.
  case evictions
  /// Entries found expired.
  case expirations
  /// Sets.
  case sets
  /// Deletes.
  case deletes
  /// Copies made from disk to memory.
  case promotions
  /// Objects moved from memory to disk.
  case demotions
  /// Objects that memory gave up.
  case memoryEvictions = "memory_evictions"
  /// Objects that disk gave up.
  case diskEvictions = "disk_evictions"
  /// Objects stored on disk.
  case diskWrites = "disk_writes"
  /// Bytes stored on disk, replacements included.
  case diskBytesWritten = "disk_bytes_written"
  /// Gets that waited for a fetch that was under way; only with time, as those below.
  case delayedHits = "delayed_hits"
  /// Fetches from the origin.
  case originFetches = "origin_fetches"
  /// Sum of the waits of all gets.
  case totalLatency = "total_latency"
  /// The most fetches under way at the same time.
  case maxInFlight = "max_in_flight"
  /// Waits that half, nine in ten and 99 in 100 gets do not exceed.
  case p50Latency = "p50_latency"
  case p90Latency = "p90_latency"
  case p99Latency = "p99_latency"
  /// Blocks of prompts that were hits with all blocks ahead of them; only where prefixes are
  /// counted, as the next.
  case prefixHits = "prefix_hits"
  /// Tokens in those blocks.
  case prefixTokens = "prefix_tokens"

  /// What a higher number means.
  package enum Direction: Sendable, Hashable {
    /// More is better.
    case higher
    /// Less is better.
    case lower
    /// A change is a change.
    case neither
  }

  /// What a higher number means.
  package var direction: Direction {
    switch self {
    case .hits, .bytesHit, .prefixHits, .prefixTokens: .higher
    case .staleHits, .diskWrites, .diskBytesWritten, .originFetches, .totalLatency: .lower
    default: .neither
    }
  }

  /// The tolerance that applies; nil for what belongs to the trace and not to the cache.
  package var tolerance: CheckTolerance? {
    switch self {
    case .requests, .bytesRequested, .sets, .deletes: nil
    case .hits, .memoryHits, .diskHits, .prefixHits, .prefixTokens: .hitRatio
    case .bytesHit: .byteHitRatio
    default: CheckTolerance(rawValue: rawValue)
    }
  }

  /// What the count is a part of, where its tolerance is a difference of ratios.
  package var whole: CheckMetric? {
    switch self {
    case .hits, .memoryHits, .diskHits, .prefixHits: .requests
    case .bytesHit: .bytesRequested
    default: nil
    }
  }

  /// The count in a record; nil where the cell has none.
  func value(in record: Record) -> UInt64? {
    let counts = record.counts
    let hasMemory = record.cell.kind != .disk
    let hasDisk = record.cell.kind != .memory
    let isHybrid = hasMemory && hasDisk
    switch self {
    case .requests: return counts.requests
    case .hits: return counts.hits
    case .memoryHits: return isHybrid ? counts.memoryHits : nil
    case .diskHits: return isHybrid ? counts.diskHits : nil
    case .bytesRequested: return record.cell.unit == .bytes ? counts.bytesRequested : nil
    case .bytesHit: return record.cell.unit == .bytes ? counts.bytesHit : nil
    case .staleHits: return counts.staleHits
    case .sets: return counts.sets
    case .deletes: return counts.deletes
    case .admissions: return record.tierCounts(\.admissions)
    case .rejections: return record.tierCounts(\.rejections)
    case .evictions: return record.tierCounts(\.evictions)
    case .expirations: return record.tierCounts(\.expirations)
    case .promotions: return isHybrid ? record.tierCounts(\.promotions) : nil
    case .demotions: return isHybrid ? record.tierCounts(\.demotions) : nil
    case .memoryEvictions: return isHybrid ? record.tierCounts(\.memory.evictions) : nil
    case .diskEvictions: return isHybrid ? record.tierCounts(\.disk.evictions) : nil
    case .diskWrites: return hasDisk ? record.tierCounts(\.disk.admissions) : nil
    case .diskBytesWritten: return hasDisk ? record.tierCounts(\.disk.bytesWritten) : nil
    case .delayedHits: return counts.time?.delayedHits
    case .originFetches: return counts.time?.originFetches
    case .totalLatency: return counts.time?.totalLatency
    case .maxInFlight: return counts.time?.maxInFlight
    case .p50Latency: return counts.time?.p50Latency
    case .p90Latency: return counts.time?.p90Latency
    case .p99Latency: return counts.time?.p99Latency
    case .prefixHits: return record.prefix?.hits
    case .prefixTokens: return record.prefix?.tokens
    }
  }
}
