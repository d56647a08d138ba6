import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The same work through files alone: written under a temporary name and renamed.
struct PlainFiles {
  private let folder: String

  init(folder: String) {
    self.folder = folder
    for shard in 0..<64 {
      try? FileManager.default.createDirectory(
        atPath: "\(folder)/\(shard)", withIntermediateDirectories: true)
    }
  }

  private func path(_ number: Int) -> String { "\(folder)/\(number % 64)/\(number)" }

  func set(_ number: Int, _ value: Data) {
    let temporary = folder + "/new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let written = value.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    precondition(written == value.count, "cannot write \(temporary)")
    close(file)
    rename(temporary, path(number))
  }

  func remove(_ number: Int) { unlink(path(number)) }

  /// Written under its own name.
  func create(_ number: Int, _ value: Data) {
    let file = open(path(number), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let written = value.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    precondition(written == value.count, "cannot write \(path(number))")
    close(file)
  }

  func get(_ number: Int) -> Data? {
    let file = open(path(number), O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    fstat(file, &facts)
    let count = Int(facts.st_size)
    guard let memory = malloc(max(1, count)), read(file, memory, count) == count else {
      return nil
    }
    return Data(bytesNoCopy: memory, count: count, deallocator: .free)
  }
}
