import LarderEngine
import LarderExperiments

/// The counts of each cell, one row each: a function of workload, configuration and seed, so the
/// file is equal to the byte on every machine and for any number of threads.
///
///     workload,trace,configuration,policy,capacity,unit,seed,requests,hits,memory_hits,...
///     news-feed,feed,hybrid,lru+fifo,1000,objects,42,5000,3000,2500,500,2000,0.600000,...
///
/// A missing number is empty: ratios without requests, the byte hit ratio if the capacity counts
/// objects, disk columns of a cache without a disk, access times without a model, tier counts of a
/// cache that does not report them, the admission filter if there is none. `capacity_label` is the
/// capacity as written, such as `1%`: with several seeds, a share is a different number of objects
/// for each, under one label. A cell that was executed and not simulated has the counts of its run
/// with one thread; counts of runs with more threads are never included. If the unit is `objects`,
/// columns about bytes count every object as 1.
package struct CountsCSV: ReportFormat {
  package let name = "counts"
  package let fileName = "counts.csv"

  package init() {}

  package static var header: String { CSVColumn.header(columns) }

  package static func row(_ record: Record) -> String { CSVColumn.line(columns, record) }

  package func text(of results: RunResults) throws(ReportError) -> String {
    results.records.reduce(into: Self.header) { $0 += Self.row($1) }
  }

  private static let columns: [CSVColumn<Record>] =
    cell + outcome + extra + costs + time + prefix + flash

  private static let cell: [CSVColumn<Record>] = [
    .text("workload") { $0.cell.workload },
    .text("trace") { $0.cell.trace },
    .text("configuration") { $0.cell.configuration },
    .text("policy") { $0.cell.policy },
    .whole("capacity") { $0.cell.capacity },
    .text("unit") { $0.cell.unit.rawValue },
    .whole("seed") { $0.cell.seed },
  ]

  private static let outcome: [CSVColumn<Record>] = [
    .whole("requests") { $0.counts.requests },
    .whole("hits") { $0.counts.hits },
    .whole("memory_hits") { $0.counts.memoryHits },
    .whole("disk_hits") { $0.counts.diskHits },
    .whole("misses") { $0.counts.misses },
    .ratio("hit_ratio", 6) { ($0.counts.hits, $0.counts.requests) },
    .whole("bytes_requested") { $0.counts.bytesRequested },
    .whole("bytes_hit") { $0.counts.bytesHit },
    .ratio("byte_hit_ratio", 6) { record in
      guard record.cell.unit == .bytes else { return nil }
      return (record.counts.bytesHit, record.counts.bytesRequested)
    },
    .whole("admissions") { $0.tierCounts(\.admissions) },
    .whole("rejections") { $0.tierCounts(\.rejections) },
    .whole("evictions") { $0.tierCounts(\.evictions) },
    .whole("expirations") { $0.tierCounts(\.expirations) },
    .whole("objects_distinct") { $0.objectsDistinct },
  ]

  private static let extra: [CSVColumn<Record>] = [
    .whole("sets") { $0.counts.sets },
    .whole("deletes") { $0.counts.deletes },
    .whole("stale_hits") { $0.counts.staleHits },
    .whole("promotions") { $0.cell.kind == .hybrid ? $0.tierCounts(\.promotions) : nil },
    .whole("demotions") { $0.cell.kind == .hybrid ? $0.tierCounts(\.demotions) : nil },
    .whole("memory_capacity") { $0.cell.memoryCapacity },
    .whole("memory_evictions") {
      $0.cell.kind == .disk ? nil : $0.tierCounts(\.memory.evictions)
    },
    .whole("disk_evictions") { $0.cell.kind == .memory ? nil : $0.tierCounts(\.disk.evictions) },
    .whole("disk_writes") { $0.cell.kind == .memory ? nil : $0.tierCounts(\.disk.admissions) },
    .whole("disk_bytes_written") {
      $0.cell.kind == .memory ? nil : $0.tierCounts(\.disk.bytesWritten)
    },
    .decimal("modelled_mean_us", 3) { $0.modelled?.meanMicroseconds },
    .decimal("modelled_p50_us", 3) { $0.modelled?.p50Microseconds },
    .decimal("modelled_p90_us", 3) { $0.modelled?.p90Microseconds },
    .decimal("modelled_p99_us", 3) { $0.modelled?.p99Microseconds },
    .text("admission") { $0.cell.admission ?? "" },
    .text("capacity_label") { $0.cell.capacityLabel },
  ]

  /// Waiting times if fetches take time: in microseconds, or in requests if these are the clock.
  private static let time: [CSVColumn<Record>] = [
    .whole("delayed_hits") { $0.counts.time?.delayedHits },
    .whole("origin_fetches") { $0.counts.time?.originFetches },
    .whole("total_latency_us") { $0.counts.time?.totalLatency },
    .whole("max_in_flight") { $0.counts.time?.maxInFlight },
    .whole("latency_p50_us") { $0.counts.time?.p50Latency },
    .whole("latency_p90_us") { $0.counts.time?.p90Latency },
    .whole("latency_p99_us") { $0.counts.time?.p99Latency },
  ]

  /// Hits on prefixes of prompts, if these are counted.
  private static let prefix: [CSVColumn<Record>] = [
    .whole("prefix_hits") { $0.prefix?.hits },
    .whole("prefix_tokens") { $0.prefix?.tokens },
    .whole("input_tokens") { $0.prefix?.inputTokens },
  ]

  /// Flash writes, if a disk's capacity is in bytes.
  private static let flash: [CSVColumn<Record>] = [
    .whole("bytes_inserted") { $0.flash?.insertedBytes },
    .whole("bytes_reinserted") { $0.flash?.reinsertedBytes },
    .whole("bytes_written") { $0.flash?.writtenBytes },
  ]

  /// Savings, if the trace has costs.
  private static let costs: [CSVColumn<Record>] = [
    .decimal("cost_requested", 3) { $0.counts.cost?.requested },
    .decimal("cost_saved", 3) { $0.counts.cost?.saved },
    .decimal("cost_saved_ratio", 6) { $0.counts.cost?.savedRatio },
  ]
}
