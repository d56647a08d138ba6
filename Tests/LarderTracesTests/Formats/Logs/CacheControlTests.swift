import Testing

@testable import LarderTraces

/// `Cache-Control` headers of a log, from the view of a shared cache.
@Suite struct CacheControlTests {
  @Test(arguments: [
    ("", nil, false), ("-", nil, false), ("max-age=60", 60, false),
    ("s-maxage=5, max-age=60", 5, false),
    ("max-age=60,s-maxage=5", 5, false), (" MAX-AGE=\"60\" ", 60, false),
    ("max-age=x", nil, false), ("no-store", nil, true), ("public, Private", nil, true),
    ("no-cache, max-age=60", 60, true), ("private=\"set-cookie\", max-age=60", 60, false),
    // The comma is part of the argument, and the text after it is not a directive.
    ("private=\"a, no-store\", max-age=60", 60, false),
    ("no-cache=\"max-age=1,private\",s-maxage=9", 9, false),
    (",,max-age=3,", 3, false), ("max-age=3, private=\"a", 3, false),
  ])
  func headersAreRead(header: String, seconds: UInt64?, forbids: Bool) {
    let control = TextField.with(header) { CacheControl($0) }
    #expect(control.seconds == seconds)
    #expect(control.forbids == forbids)
  }
}
