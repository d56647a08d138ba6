import Testing

@testable import LarderExperiments

/// Invalid configurations, latencies and sweeps, with the exact line that a user sees.
@Suite struct WorkloadSweepErrorTests {
  @Test(arguments: [
    Case(
      "memroy",
      """
      configurations: expected one of memory, disk, hybrid, found 'memroy'; did you mean \
      'memory'?
      """),
    Case(
      "[3]",
      """
      configurations[1]: expected memory, disk, hybrid, or a map with the key 'kind' or \
      'preset', found '3'
      """),
    Case("{name: a}", "configurations: key 'kind' is missing"),
    Case(
      "{kind: both}",
      "configurations.kind: expected one of memory, disk, hybrid, found 'both'"),
    Case(
      "[memory, memory]",
      "configurations[2]: another configuration is named 'memory'; give this one a 'name'"),
    Case(
      "{kind: memory, disk: {}}",
      "configurations: 'disk' does not apply here: a memory cache has no disk tier"),
    Case(
      "{kind: disk, memory: {}}",
      "configurations: 'memory' does not apply here: a disk cache has no memory tier"),
    Case(
      "{kind: disk, promotion: never}",
      "configurations: 'promotion' does not apply here: a disk cache has no second tier"),
    Case(
      "{kind: hybrid, promotion: sometimes}",
      "configurations.promotion: expected one of always, second-hit, never, found 'sometimes'"),
    Case(
      "{kind: hybrid, inclusion: inclsive}",
      """
      configurations.inclusion: expected one of inclusive, exclusive, found 'inclsive'; did you \
      mean 'inclusive'?
      """),
    Case(
      "{kind: hybrid, memory: {share: 10%, capacity: 5}}",
      "configurations.memory: 'capacity' and 'share' exclude each other; keep one"),
    Case(
      "{kind: hybrid, memory: {share: 1.5}}",
      """
      configurations.memory.share: expected a share above 0% and at most 100%, such as 10%, 0.1 or \
      1/10, found '1.5'
      """),
    Case(
      "{kind: memory, memory: {share: 10%}}",
      "configurations.memory: 'share' applies to memory in a hybrid only; use 'capacity'"),
    Case(
      "{kind: hybrid, disk: {share: 10%}}",
      "configurations.disk: unknown key 'share'; known are policy, admission, capacity, objects, "
        + "ttl, layout, region, reinsert-hits, log, threshold, segment, drive"
    ),
    Case(
      "{kind: hybrid, disk: lru}",
      "configurations.disk: expected a map of a tier, found 'lru'"),
    Case(
      "{kind: memory, memory: {policy: lur}}",
      """
      configurations.memory.policy: unknown policy 'lur'; did you mean 'lru'? ('larder list \
      policies' lists them all)
      """),
    Case(
      "{kind: memory, memory: {ttl: 0}}",
      """
      configurations.memory.ttl: expected a time of whole seconds such as 90, 5m, 1h or 30d, \
      found '0'
      """),
    Case(
      "{kind: memory, memory: {ttl: 200y}}",
      """
      configurations.memory.ttl: expected a time of whole seconds such as 90, 5m, 1h or 30d, \
      found '200y'
      """),
    Case(
      "{kind: memory, memory: {capacity: 0}}",
      "configurations.memory.capacity: capacity '0': a capacity must be above 0"),
  ])
  func configurations(_ example: Case) {
    #expect(
      Case.message(Case.start + "configurations: \(example.yaml)\n") == "w.yaml:4: "
        + example.message)
  }

  @Test(arguments: [
    Case("{memory: 1us, disk: 1us}", "latency: key 'origin' is missing"),
    Case(
      "{origin: 80ms}",
      "latency: key 'memory' is missing: configuration 'memory' has that tier"),
    Case(
      "{memory: 1us, origin: 80}",
      "latency.origin: expected a time such as 100us, a list of times, or a map, found '80'"),
    Case(
      "{memory: 1us, origin: }",
      "latency.origin: expected a time such as 100us, a list of times, or a map, found nothing"),
    Case(
      "{memory: 1us, origin: [1ms, soon]}",
      "latency.origin[2]: expected a time such as 100us or 80ms, found 'soon'"),
    Case(
      "{memory: 1us, origin: []}",
      "latency.origin: expected a list of times, found an empty list"),
    Case("{memory: 1us, origin: {median: 1ms}}", "latency.origin: key 'distribution' is missing"),
    Case(
      "{memory: 1us, origin: {distribution: lognormal}}",
      """
      latency.origin.distribution: expected one of constant, normal, log-normal, list, found \
      'lognormal'; did you mean 'log-normal'?
      """),
    Case(
      "{memory: 1us, origin: {distribution: log-normal, median: 1ms}}",
      "latency.origin: key 'sigma' is missing"),
    Case(
      "{memory: 1us, origin: {distribution: log-normal, median: 1ms, sigma: 9}}",
      "latency.origin.sigma: expected a number from 0 to 4, found '9'"),
    Case(
      "{memory: 1us, origin: {distribution: constant, value: 1ms, sigma: 1}}",
      "latency.origin: unknown key 'sigma'; known are distribution, value, per-byte, throughput"),
    Case(
      "{memory: 1us, origin: {distribution: constant, value: 2d}}",
      "latency.origin.value: expected a time such as 100us or 80ms, found '2d'"),
    Case(
      "{memory: 1us, origin: {distribution: constant, value: -1ms}}",
      "latency.origin.value: expected a time such as 100us or 80ms, found '-1ms'"),
    Case(
      "{memory: 1us, origin: {distribution: constant, value: 1ms, throughput: 5}}",
      """
      latency.origin.throughput: expected bytes per second such as 200MB/s in quotes, found '5'
      """),
    Case(
      "{memory: 1us, origin: {distribution: constant, value: 1ms, throughput: 0MB/s}}",
      "latency.origin.throughput: expected bytes per second such as 200MB/s, found '0MB/s'"),
    Case(
      """
      {memory: 1us, origin: {distribution: constant, value: 1ms, per-byte: 1ns, throughput: \
      1MB/s}}
      """,
      "latency.origin: 'per-byte' and 'throughput' exclude each other; keep one"),
    Case("fast", "latency: expected a map with the keys memory, disk, origin, found 'fast'"),
  ])
  func latencies(_ example: Case) {
    #expect(
      Case.message(Case.start + "latency: \(example.yaml)\n") == "w.yaml:4: " + example.message)
  }

  @Test func latencyOfAHybridNeedsBothTiers() {
    let yaml = Case.start + "configurations: hybrid\nlatency:\n  memory: 1us\n  origin: 1ms\n"
    #expect(
      Case.message(yaml)
        == "w.yaml:6: latency: key 'disk' is missing: configuration 'hybrid' has that tier")
  }

  @Test(arguments: [
    Case(
      "policies: [lru]",
      "w.yaml:1: key 'capacities' is missing: configuration 'memory' does not set a capacity"),
    Case(
      "capacities: [1%]",
      "w.yaml:1: key 'policies' is missing: configuration 'memory' does not name a policy"),
    Case(
      "policies: [lru, siev]\ncapacities: [1%]",
      """
      w.yaml:2: policies[2]: unknown policy 'siev'; did you mean 'sieve'? ('larder list policies' \
      lists them all)
      """),
    Case(
      "policies: ['lru:x']\ncapacities: [1%]",
      "w.yaml:2: policies[1]: policy 'lru': expected name=value, found 'x'"),
    Case(
      "policies: 'lru,fifo'\ncapacities: [1%]",
      """
      w.yaml:2: policies: expected a list of policies in brackets, such as [a, b], found \
      'lru,fifo'
      """),
    Case(
      "policies: {lru: 1}\ncapacities: [1%]",
      "w.yaml:2: policies: expected a list of policies, found a map"),
    Case(
      "policies: [1]\ncapacities: [1%]",
      "w.yaml:2: policies[1]: expected the name of a policy in quotes, found '1'"),
    Case(
      "policies: [lru]\ncapacities: [0]",
      "w.yaml:3: capacities[1]: capacity '0': a capacity must be above 0"),
    Case(
      """
      policies: [lru]
      capacities:
        - 1%
        - -5
      """,
      "w.yaml:5: capacities[2]: capacity '-5': a capacity must be above 0"),
    Case(
      "policies: [lru]\ncapacities: big",
      """
      w.yaml:3: capacities: capacity 'big': expected a number of objects (1000), of bytes \
      (64MiB) or a share (1%)
      """),
    Case(
      """
      policies: [lru]
      unit: objects
      capacities: 1MB
      """,
      """
      w.yaml:4: capacities: capacity '1MB': this is a size in bytes, but sizes are ignored or \
      unknown, so capacities count objects: write a plain number such as 1000
      """),
    Case(
      """
      policies: [lru]
      unit: bytes
      capacities: 100
      """,
      """
      w.yaml:4: capacities: capacity '100': this is a number of objects, but the trace has sizes, \
      so capacities count bytes: write 100B, or ignore the sizes (--ignore-size, or \
      'unit: objects')
      """),
  ])
  func sweeps(_ example: Case) {
    let yaml = "source: {generator: zipf, requests: 100}\n" + example.yaml + "\n"
    #expect(Case.message(yaml) == example.message)
  }
}
