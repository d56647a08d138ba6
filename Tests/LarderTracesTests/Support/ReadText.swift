import LarderEngine

@testable import LarderTraces

/// Requests of a file with these bytes, read in a format with its options, or the recognised one.
func readRecords(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil
) throws -> [TraceRecord] {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  return try allRecords(FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) }))
}

/// The file as a prepared trace.
func readTrace(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil,
  maxBad: Double? = nil
) throws -> PreparedTrace {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  return try PreparedTrace.load(
    TraceReference(
      path: path, format: spec.map { try ComponentSpec(parsing: $0) }, maxBadShare: maxBad))
}

/// The source of the file, which has been read, and its requests.
func readSource(
  _ bytes: some Sequence<UInt8>, _ name: String = "access.log", _ spec: String? = nil
) throws -> (FileSource, [TraceRecord]) {
  let folder = try TestFolder()
  let path = try folder.write(Array(bytes), to: name)
  let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
  return (source, try allRecords(source))
}
