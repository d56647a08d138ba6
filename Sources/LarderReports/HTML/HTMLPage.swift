/// A page that is one file: its style and its script are in it, and it may load nothing else.
///
/// The policy that the page sets for itself allows the style and the script by their hashes, and
/// nothing more: should text from outside ever become markup, it still could not run or load
/// anything.
struct HTMLPage {
  /// What stands in the title bar.
  let title: String
  /// What the page holds.
  let body: String

  /// The page.
  var text: String {
    let (style, script) = (PageStyle.text, PageScript.text)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="larder">
      <title>\(XMLText.escaped(title))</title>
      <style>\(style)</style>
      </head>
      <body>
      \(body)
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  /// What the page may do.
  static let policy =
    "default-src 'none'; style-src '\(PageStyle.hash)'; "
    + "script-src '\(PageScript.hash)'; base-uri 'none'; form-action 'none'"

  /// The buttons that choose between light, dark, and what the reader's screen says.
  static let themeSwitch = """
    <div class="theme" role="group" aria-label="Colours" hidden>
    <button type="button" data-theme-choice="auto" aria-pressed="true">Auto</button>
    <button type="button" data-theme-choice="light" aria-pressed="false">Light</button>
    <button type="button" data-theme-choice="dark" aria-pressed="false">Dark</button>
    </div>
    """
}
