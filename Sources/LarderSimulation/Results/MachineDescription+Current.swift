import Foundation
import LarderSystem

extension MachineDescription {
  /// The machine and the build that this process runs on.
  public static func current() -> MachineDescription {
    let process = ProcessInfo.processInfo
    return MachineDescription(
      processor: processorName(), cores: process.activeProcessorCount,
      memoryBytes: process.physicalMemory, system: systemName(),
      larderVersion: LarderVersion.current, larderRevision: LarderVersion.revision,
      swiftVersion: LarderVersion.compiler, build: LarderVersion.build)
  }

  private static func processorName() -> String {
    #if os(Linux)
      let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("model name") {
        if let colon = line.firstIndex(of: ":") {
          return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
      }
    #elseif canImport(Darwin)
      var size = 0
      if sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 0 {
        var bytes = [UInt8](repeating: 0, count: size)
        if sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 {
          return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
      }
    #endif
    return "unknown processor"
  }

  private static func systemName() -> String {
    #if os(Linux)
      let text = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
        return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\"", " "])
      }
      return "Linux"
    #else
      return ProcessInfo.processInfo.operatingSystemVersionString
    #endif
  }
}
