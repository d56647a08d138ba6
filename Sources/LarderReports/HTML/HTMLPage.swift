/// A self-contained page. Its content security policy allows only the style and the script, by
/// their hashes: untrusted text that became markup still could not run or load anything.
struct HTMLPage {
  let title: String
  var lead = ""
  let answer: String
  var aside = ""
  let main: String

  var text: String {
    let (style, script, name) = (PageStyle.text, PageScript.text, XMLText.escaped(title))
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="larder">
      <title>\(name) · larder</title>
      <style>\(style)</style>
      </head>
      <body>
      \(SVGCanvas.shapes)
      <header>
      <div class="bar"><span class="brand">larder</span>
      <div class="theme" role="group" aria-label="Colours" hidden>
      <button type="button" data-theme-choice="auto" aria-pressed="true">Auto</button>
      <button type="button" data-theme-choice="light" aria-pressed="false">Light</button>
      <button type="button" data-theme-choice="dark" aria-pressed="false">Dark</button>
      </div></div>
      <h1>\(name)</h1>
      \(lead)</header>
      <div class="answer"><section id="answer">\(answer)</section></div>
      <div class="columns">
      \(aside)<main>
      \(main)</main>
      </div>
      <p class="status" role="status" aria-live="polite"></p>
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  static let policy =
    "default-src 'none'; style-src '\(PageStyle.hash)'; "
    + "script-src '\(PageScript.hash)'; img-src blob:; base-uri 'none'; form-action 'none'"
}

/// The style of all pages: a constant, so it cannot contain untrusted text.
enum PageStyle {
  /// A test prints the expected value.
  static let hash = "sha256-5wX/yOKbN3OnYcmGKmn38aqf6DBFBNTPCsRp/9rOqF8="

  static let text = [
    "/*light*/": light, "/*dark*/": dark, "/*fonts*/": SVGCanvas.fonts,
    "/*series*/": ChartColour.allCases.map { ".\($0.className){color:var(--\($0.className))}" }
      .joined(),
  ].reduce(PageScript.dense(PackageResources.page_css)) { $0.replacing($1.key, with: $1.value) }

  private static let light =
    "--ground:#ffffff;--raised:#f6f8fa;--ink:#1f2328;--muted:#59636e;--grid:#d8dee4;"
    + "--axis:#8c959f;--edge:#d1d9e0;--accent:#0969da;--focus:#0969da;"
    + ChartColour.allCases.map { "--\($0.className):\($0.onLight);" }.joined()

  private static let dark =
    "--ground:#0d1117;--raised:#161b22;--ink:#e6edf3;--muted:#9198a1;--grid:#30363d;"
    + "--axis:#6e7681;--edge:#30363d;--accent:#58a6ff;--focus:#58a6ff;"
    + ChartColour.allCases.map { "--\($0.className):\($0.onDark);" }.joined()
}

/// The script of all pages: a constant. It reads names from attributes and inserts them as text.
enum PageScript {
  static let hash = "sha256-Qyzy/otCKLc1EN38IFnizaHaU6e/W8MDI9y0kGvxr3k="

  static let text = dense(PackageResources.page_js)

  /// A resource without the indentation of its lines.
  fileprivate static func dense(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self).split(separator: "\n")
      .map { $0.drop { $0 == " " } }.joined(separator: "\n")
  }
}
