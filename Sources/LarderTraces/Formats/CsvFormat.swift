/// Tables of text: a request a line, columns between delimiters.
struct CsvFormat: TraceFormat {
  let description = FormatDescription(
    name: "csv",
    summary: "text table, one request per line; columns by name or number",
    layout: """
      Text, one request per line, fields separated by delimiters; fields that contain delimiters are
      in double quotes (a double quote inside is doubled). Every line has as many fields as the
      first; others are bad lines, of which 1 % may be, unless ragged=true (the default for tables
      without a header whose lines differ much). Blank lines are skipped, and lines with # where the
      file begins with such ones; the last of them may hold the names. Columns are given by number,
      from 1, or by the name in the header; several for an id as id=1+3. By default they are found
      by common names, without case, blanks and marks: id, key, obj_id, object, lbn, url ...; time,
      timestamp, ts, time_ms ...; size, bytes, obj-size, response_size ...; ttl; cost; op, method,
      type ... (if all its first values are known). A note names those that are not used. An
      address, such as lbn or offset, belongs to the device in a column of that name. Ids: whole
      numbers are their own keys, other ids are hashed (64 bits). Times: decimals, or dates such as
      2026-03-01T10:00:00.5+01:00 and [01/Mar/2026:10:00:00 +0100]; numbers are in time-unit, or
      what the name says (time_us), or the unit that makes them times of our days. Sizes: whole
      bytes (1000, 1000.0, 1e3), empty or NaN where not known; those of one object that differ are
      resolved (not where the id is an address of a block, or the size request_size or io_size:
      these are lengths of requests). TTLs: whole seconds, empty for none. Costs: decimals, empty
      where not known. Operations in any case: get, gets, mget, read, head, fetch, REST.GET.OBJECT
      ... are gets; set, add, put, cas, replace, append, incr, write ... sets; delete, del, remove,
      unlink, purge ... deletes; modify and bypass (a request that nothing may store) themselves; R
      and W are accesses to blocks, both gets; 0, 1 and 2 are get, set and delete. Others are given
      by ops=1:get:0:set; what becomes of those that are not known, such as POST, says others=.
      """,
    suffixes: [".csv", ".tsv"],
    parameters: [
      FormatParameter(
        name: "id", fallback: "", meaning: "column of the object's id, or several: 1+3"),
      FormatParameter(name: "time", fallback: "", meaning: "column of the time"),
      FormatParameter(name: "size", fallback: "", meaning: "column of the size in bytes"),
      FormatParameter(name: "ttl", fallback: "", meaning: "column of the TTL in seconds"),
      FormatParameter(name: "op", fallback: "", meaning: "column of the operation"),
      FormatParameter(name: "cost", fallback: "", meaning: "column of the cost of a fetch"),
      FormatParameter(
        name: "header", fallback: "", meaning: "true or false; recognised by default"),
      FormatParameter(
        name: "delimiter", fallback: "",
        meaning: "a character, comma, tab, semicolon, pipe, colon or space; recognised by default"),
      FormatParameter(
        name: "comment", fallback: "",
        meaning: "what comment lines begin with, or none; # where the file begins with such lines"),
      FormatParameter(
        name: "ragged", fallback: "",
        meaning: "true reads lines with fewer or more fields: what is missing is empty"),
      FormatParameter(
        name: "ops", fallback: "",
        meaning: "words and their operations: 1:get:0:set:x:skip (or delete, modify, bypass)"),
      FormatParameter(
        name: "others", fallback: "skip",
        meaning: """
          operations that are not known: skip (and count), get, set, delete, bypass, error
          """),
      .block,
      FormatParameter(
        name: "sector", fallback: "",
        meaning: "bytes of one of the address that block= splits: 512 for lbn, 1 for offset"),
      .timeUnit, .skipZeroSize, .size(.lastFull, named: "sizes"), .maxBad,
    ])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    // Not certain: formats that are tables with columns of a certain meaning are surer.
    if sample.isNamed(description.suffixes) { return .likely }
    let lines = sample.lines().filter { $0.first != UInt8(ascii: "#") }
    guard let first = lines.first, lines.count > 1 else { return .none }
    // The usual delimiters only: blanks alone would make every text a table.
    for delimiter in CsvDelimiter.recognised {
      let count = first.count { $0 == delimiter }
      if count > 0 && lines.allSatisfy({ $0.count { $0 == delimiter } == count }) {
        return .possible
      }
    }
    return .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    CsvDecoder(layout: try CsvLayout(options: options, sample: sample))
  }
}

/// What stands between the fields of a table.
enum CsvDelimiter {
  /// Those that are looked for when none is given.
  static let recognised = [",", "\t", ";", "|"].flatMap { Array($0.utf8) }

  private static let words: [String: Character] = [
    "comma": ",", "tab": "\t", "semicolon": ";", "pipe": "|", "colon": ":", "space": " ",
  ]

  /// The delimiter that a user wrote, as a character or a word.
  static func delimiter(_ options: FormatOptions) throws(ComponentError) -> UInt8? {
    guard let text = options.text("delimiter") else { return nil }
    let characters = words[text.lowercased()].map { String($0) } ?? text
    guard characters.utf8.count == 1, let byte = characters.utf8.first, byte != 0x22 else {
      throw options.wrong(
        "delimiter", expected: "a character, or comma, tab, semicolon, pipe, colon or space")
    }
    return byte
  }

  /// The delimiter that the first line has most of; a space when it has none of the usual.
  static func recognise(in line: ArraySlice<UInt8>) -> UInt8 {
    let counts = recognised.map { delimiter in (delimiter, line.count { $0 == delimiter }) }
    // Keep the first of equals, so that a comma wins over what is rarer.
    let best = counts.reduce((UInt8(0), 0)) { $1.1 > $0.1 ? $1 : $0 }
    if best.1 > 0 { return best.0 }
    return line.contains(0x20) ? 0x20 : UInt8(ascii: ",")
  }
}
