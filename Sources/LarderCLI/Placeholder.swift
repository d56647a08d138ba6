import Foundation
import LarderEngine
@main struct Placeholder { static func main() throws {
  let data = try Data(contentsOf: URL(fileURLWithPath: "/tmp/zipf20m.ids"))
  let n = data.count / 4
  let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: n)
  _ = data.copyBytes(to: UnsafeMutableRawBufferPointer(start: ids, count: n * 4))
  let nd = try Data(contentsOf: URL(fileURLWithPath: "/tmp/zipf20m.next"))
  let nx = UnsafeMutablePointer<UInt32>.allocate(capacity: n)
  _ = nd.copyBytes(to: UnsafeMutableRawBufferPointer(start: nx, count: n * 4))
  let objects = Int(UnsafeBufferPointer(start: ids, count: n).max()!)
  let cols = RequestColumns(count: n, objects: objects, ids: ids, nextUses: nx, owner: nil)
  let args = CommandLine.arguments.dropFirst()
  let names = args.isEmpty ? PolicyRegistry.all.map(\.description.name) : Array(args)
  for name in names {
    var best: [Double] = []; var hits: UInt64 = 0; var b = 0
    for _ in 0..<3 {
      let s = try PolicyRegistry.makeSimulation(SimulationSetup(arrangement: .memory(TierSetup(policy: try PolicySpec(parsing: name), capacity: 100_000)), unit: .objects), over: cols)
      let t = ContinuousClock.now
      s.run(upTo: n, untilFirstEviction: false)
      let d = (ContinuousClock.now - t).components
      let sec = Double(d.seconds) + Double(d.attoseconds) * 1e-18
      best.append(Double(n) / sec / 1e6); hits = s.counts.hits; b = s.stateBytes
    }
    print(name, best.map { String(format: "%.1f", $0) }, hits, Double(b) / Double(objects))
  }
}}
