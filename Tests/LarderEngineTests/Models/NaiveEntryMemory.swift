import LarderEngine

/// The memory of entries in their servers.
enum NaiveEntryMemory {
  static func weight(_ spec: PolicySpec, unit: CapacityUnit) -> (UInt32) -> UInt32 {
    let servers = ["memcached", "nginx", "varnish", "redis-lru", "redis-lfu"]
    guard servers.contains(spec.name) else { return { $0 } }
    guard unit == .bytes, spec.values["memory"] != "values" else { return { $0 } }
    let key = { (standard: Int) in spec.whole("key", standard) }
    switch spec.name {
    case "memcached": return { UInt32(key(16) + 1 + 48 + 8 + 2) + $0 }
    case "nginx":
      return { value in
        var blocks = 0
        while blocks * 4096 < 343 + key(250) + Int(value) { blocks += 1 }
        return UInt32(blocks * 4096)
      }
    case "varnish":
      var headers = key(130)
      while headers % 8 != 0 { headers += 1 }
      return { [headers] in UInt32(120 + headers) + $0 }
    default:
      let step = spec.whole("quantum", 16)
      return { UInt32(redis(key: key(16), value: Int($0), step)) }
    }
  }

  private static func redis(key: Int, value: Int, _ step: Int) -> Int {
    func jemalloc(_ bytes: Int) -> Int { Self.jemalloc(bytes, step) }
    let name = (key < 32 ? 1 : key < 256 ? 3 : 5) + key + 1
    if value <= 44 { return jemalloc(24) + jemalloc(name) + jemalloc(20 + value) }
    let header = value < 256 ? 3 : value < 65_536 ? 5 : 9
    return jemalloc(24) + jemalloc(name) + 16 + jemalloc(header + value + 1)
  }

  static func jemalloc(_ bytes: Int, _ quantum: Int = 8) -> Int {
    guard bytes > 8 else { return 8 }
    var (size, step) = (quantum, quantum)
    while size < bytes {
      if size >= 64, size & (size - 1) == 0 { step = size / 4 }
      size += step
    }
    return size
  }
}
