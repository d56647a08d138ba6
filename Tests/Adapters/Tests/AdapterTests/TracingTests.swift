import InMemoryTracing
import Larder
import LarderTracing
import Testing
import Tracing

@Suite struct TracingTests {
  @Test func aLoadIsAChildOfTheRequestThatStartedIt() async throws {
    let tracer = InMemoryTracer()
    let cache = MemoryCache<Int, Int>(count: 10)
    let load = CacheSpans(cache: "numbers", tracer: tracer).load("load number") { (key: Int) in
      key * 2
    }
    let parent = try await tracer.withAnySpan("request") { span in
      let values = try await [cache.value(for: 4, load: load), cache.value(for: 4, load: load)]
      #expect(values == [8, 8])
      return (span as? InMemorySpan)?.spanID
    }
    let spans = tracer.finishedSpans.filter { $0.operationName == "load number" }
    #expect(spans.count == 1)
    let span = try #require(spans.first)
    #expect(span.parentSpanID == parent && parent != nil && span.kind == .client)
    #expect("\(span.attributes.get("cache.name") ?? "")".contains("numbers"))
  }

  @Test func errorsAreRecordedAndThrown() async throws {
    let tracer = InMemoryTracer()
    let cache = MemoryCache<Int, Int>(count: 10)
    let load = CacheSpans(cache: "numbers", tracer: tracer).load { (_: Int) async throws -> Int in
      throw Refused()
    }
    await #expect(throws: Refused.self) { try await cache.value(for: 4, load: load) }
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.operationName == "cache load" && span.errors.first?.error is Refused)
  }
}
