import LarderEngine
import LarderExperiments

/// The counts of each cell, one row each: equal to the byte on every machine and for any number of
/// threads. A missing number is empty. A cell that was executed and not simulated has the counts of
/// its run with one thread; those of more threads are never included.
package struct CountsCSV: ReportFormat {
  package let name = "counts"
  package let fileName = "counts.csv"

  package init() {}

  package static var header: String { CSVText.header(columns) }

  package static func row(_ record: Record) -> String { CSVText.lines([record], columns) }

  package func text(of results: RunResults) throws(ReportError) -> String {
    Self.header + CSVText.lines(results.records, Self.columns)
  }

  private static var columns: [Column<Record>] { counts + tiers + optional }

  private static var counts: [Column<Record>] {
    [
      .text("workload") { $0.cell.workload },
      .text("trace") { $0.cell.trace },
      .text("configuration") { $0.cell.configuration },
      .text("policy") { $0.cell.policy },
      .whole("capacity") { $0.cell.capacity },
      .text("unit") { $0.cell.unit.rawValue },
      .whole("seed") { $0.cell.seed },
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
  }

  private static var tiers: [Column<Record>] {
    [
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
  }

  /// Waits are in microseconds, or in requests if these are the clock.
  private static var optional: [Column<Record>] {
    [
      .decimal("cost_requested", 3) { $0.counts.cost?.requested },
      .decimal("cost_saved", 3) { $0.counts.cost?.saved },
      .decimal("cost_saved_ratio", 6) { $0.counts.cost?.savedRatio },
      .whole("delayed_hits") { $0.counts.time?.delayedHits },
      .whole("origin_fetches") { $0.counts.time?.originFetches },
      .whole("total_latency_us") { $0.counts.time?.totalLatency },
      .whole("max_in_flight") { $0.counts.time?.maxInFlight },
      .whole("latency_p50_us") { $0.counts.time?.p50Latency },
      .whole("latency_p90_us") { $0.counts.time?.p90Latency },
      .whole("latency_p99_us") { $0.counts.time?.p99Latency },
      .whole("prefix_hits") { $0.prefix?.hits },
      .whole("prefix_tokens") { $0.prefix?.tokens },
      .whole("input_tokens") { $0.prefix?.inputTokens },
      .whole("bytes_inserted") { $0.flash?.insertedBytes },
      .whole("bytes_reinserted") { $0.flash?.reinsertedBytes },
      .whole("bytes_written") { $0.flash?.writtenBytes },
    ]
  }
}
