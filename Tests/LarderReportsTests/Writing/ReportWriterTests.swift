import Foundation
import LarderReports
import LarderSupport
import Testing

struct ReportWriterTests {
  @Test func writesEveryFormat() throws {
    try inFolder { folder in
      let directory = folder + "/a/b/"
      let writer = ReportWriter(directory: directory, formats: ReportRegistry.standard)
      try writer.prepare()
      #expect(try names(directory) == [])
      let paths = try writer.write(SampleResults.full)
      let files = try ReportRegistry.standard.flatMap { try $0.files(of: SampleResults.full) }
      #expect(paths == files.map { directory + $0.name })
      for (path, file) in zip(paths, files) { #expect(try text(path) == file.text) }
      #expect(
        try names(directory) == (ReportRegistry.standard.map(\.fileName) + ["charts"]).sorted())
      let charts = try names(directory + "charts").map { "charts/\($0)" }
      #expect(charts == files.map(\.name).filter { $0.hasPrefix("charts/") }.sorted())
    }
  }

  @Test func writesAgainAsCellsFinish() throws {
    try inFolder { folder in
      let writer = ReportWriter(directory: folder, formats: [CountsCSV()])
      var results = SampleResults.full
      let records = results.records
      results.records = []
      for record in records {
        results.records.append(record)
        try writer.write(results)
        let rows = try #require(CSVReader.records(try text(folder + "/counts.csv")))
        #expect(rows.count == results.records.count + 1)
      }
      #expect(try names(folder) == ["counts.csv"])
    }
  }

  /// The failure of any call gives an error with the system's reason, leaves no partial file, and
  /// only complete files under the final names.
  @Test func everyCallCanFail() throws {
    let old = SampleResults.empty()
    let new = SampleResults.full
    let texts = try ReportRegistry.standard.map { [try $0.text(of: old), try $0.text(of: new)] }
    let counter = FailingFiles(call: nil, code: 0)
    try inFolder {
      try ReportWriter(directory: $0 + "/x", formats: ReportRegistry.standard, files: counter)
        .write(new)
    }
    #expect(counter.calls > 15)
    for call in 0..<counter.calls {
      try inFolder { folder in
        let directory = folder + "/x"
        let isMade = call > 0
        if isMade {
          try ReportWriter(directory: directory, formats: ReportRegistry.standard).write(old)
        }
        // If the directory exists, the first call, which creates it, is skipped.
        let files = FailingFiles(call: isMade ? call - 1 : call, code: ENOSPC)
        #expect {
          try ReportWriter(directory: directory, formats: ReportRegistry.standard, files: files)
            .write(new)
        } throws: { error in
          "\(error)".contains("No space left on device") && "\(error)".contains(directory)
        }
        guard isMade else { return }
        let found = try names(directory)
        #expect(
          found.filter { $0 != "charts" } == ReportRegistry.standard.map(\.fileName).sorted())
        if found.contains("charts") {
          let charts = try names(directory + "/charts")
          #expect(charts.allSatisfy { $0.hasSuffix(".svg") && !$0.hasPrefix(".") })
        }
        for (format, known) in zip(ReportRegistry.standard, texts) {
          let found = try text("\(directory)/\(format.fileName)")
          #expect(known.contains(found))
        }
      }
    }
  }

  @Test func fullDiskKeepsPreviousReports() throws {
    for kind in [FailingFiles.Call.create, .write, .flush, .close] {
      try inFolder { folder in
        try ReportWriter(directory: folder, formats: ReportRegistry.standard).write(
          SampleResults.empty())
        let files = FailingFiles(every: kind, code: EIO)
        #expect(throws: ReportError.self) {
          try ReportWriter(directory: folder, formats: ReportRegistry.standard, files: files).write(
            SampleResults.full)
        }
        for format in ReportRegistry.standard {
          let found = try text("\(folder)/\(format.fileName)")
          #expect(try found == format.text(of: SampleResults.empty()))
        }
      }
    }
  }

  @Test func aFileWhereTheDirectoryBelongs() throws {
    try inFolder { folder in
      try Data("x".utf8).write(to: URL(filePath: folder + "/file"))
      for directory in [folder + "/file", folder + "/file/below"] {
        let writer = ReportWriter(directory: directory, formats: ReportRegistry.standard)
        expectError("\(folder)/file: cannot use it as a directory: it is a file") {
          try writer.prepare()
        }
        expectError("it is a file") { try writer.write(SampleResults.full) }
      }
      #expect(try text(folder + "/file") == "x")
    }
  }

  @Test func aDirectoryWhereAFileBelongs() throws {
    try inFolder { folder in
      let path = folder + "/report.md"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let writer = ReportWriter(directory: folder, formats: ReportRegistry.standard)
      expectError("\(path): cannot write: it is a directory") { try writer.prepare() }
      expectError(path) { try writer.write(SampleResults.full) }
      expectError("it is a directory") { try ReportWriter.write("x", to: path) }
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
  func aDirectoryWithoutPermission() throws {
    try inFolder { folder in
      chmod(folder, 0o555)
      defer { chmod(folder, 0o755) }
      let writer = ReportWriter(directory: folder, formats: ReportRegistry.standard)
      expectError("Permission denied") { try writer.prepare() }
      expectError("Permission denied") { try writer.write(SampleResults.full) }
      expectError("\(folder)/x") { try ReportWriter(directory: folder + "/x").prepare() }
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self")))
  func readOnlyFileSystemIsAnError() {
    expectError("/proc/larder: cannot make the directory: ") {
      try ReportWriter(directory: "/proc/larder").prepare()
    }
    expectError("/proc") { try ReportWriter(directory: "/proc").prepare() }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func aFullDevice() {
    expectError("/dev/full: cannot write: No space left on device") {
      try ReportWriter.write("text", to: "/dev/full")
    }
    #expect(SystemFiles().kind(of: "/dev/full") == .other)
  }

  @Test func singleTextIsWritten() throws {
    try inFolder { folder in
      let path = folder + "/out.csv"
      try ReportWriter.write("one\n", to: path)
      try ReportWriter.write("two\n", to: path)
      #expect(try text(path) == "two\n")
      // A link stays a link, and its target is replaced.
      let link = folder + "/link.csv"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      try ReportWriter.write("three\n", to: link)
      #expect(try text(path) == "three\n")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
      #expect(try names(folder) == ["link.csv", "out.csv"])
      expectError("\(folder)/none/x: cannot write: No such file") {
        try ReportWriter.write("x", to: folder + "/none/x")
      }
      let files = FailingFiles(every: .rename, code: EXDEV)
      expectError("put the finished file in place") {
        try ReportWriter.write("x", to: path, files: files)
      }
      #expect(try names(folder) == ["link.csv", "out.csv"])
    }
    try ReportWriter.write("gone", to: "/dev/null")
    #expect(SystemFiles().kind(of: "/dev/null") == .other)
  }

  private func expectError(_ part: String, _ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      let text = "\(error)"
      return error is ReportError && text.contains(part) && !text.contains("\n")
    }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Links in the path (as in macOS's temporary folder) would show in comparisons.
    try body(SystemFiles().resolved(folder.path) ?? folder.path)
  }
}
