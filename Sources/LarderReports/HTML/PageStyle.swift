/// The style of all pages: a constant, so that nothing from outside can be in it.
enum PageStyle {
  /// The style sheet's hash as a content security policy names it. A test says what it must be.
  static let hash = "sha256-ZsedM3h0NMIqBAGutF5sAAdoAumJJWyAEIt2QbtkQ38="

  /// The style sheet.
  static let text = variables + layout + charts + tables + printing

  private static let light =
    "--ground:#ffffff;--raised:#f6f8fa;--ink:#1f2328;--muted:#59636e;--grid:#d8dee4;"
    + "--axis:#8c959f;--edge:#d1d9e0;--accent:#0969da;--focus:#0969da;"
    + ChartStyleSheet.lightVariables

  private static let dark =
    "--ground:#0d1117;--raised:#161b22;--ink:#e6edf3;--muted:#9198a1;--grid:#30363d;"
    + "--axis:#6e7681;--edge:#30363d;--accent:#58a6ff;--focus:#58a6ff;"
    + ChartStyleSheet.darkVariables

  private static let variables = """
    :root{color-scheme:light;\(light)}
    @media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;\(dark)}}
    :root[data-theme=dark]{color-scheme:dark;\(dark)}

    """

  private static let layout = """
    *{box-sizing:border-box}
    html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
    body{margin:0 auto;max-width:1180px;padding:0 24px 64px;background:var(--ground);
    color:var(--ink);font:16px/1.55 \(SVGCanvas.fonts);overflow-wrap:break-word}
    h1,h2,h3{line-height:1.25;text-wrap:balance}
    h1{font-size:2.25rem;margin:.4em 0 .2em;letter-spacing:-.02em}
    h2{font-size:1.45rem;margin:0 0 .6em;letter-spacing:-.01em}
    h3{font-size:1.05rem;margin:2em 0 .5em}
    p{margin:.6em 0;max-width:72ch}
    ul{padding-left:1.2em}li{margin:.35em 0;max-width:80ch}
    code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}
    pre{background:var(--raised);border:1px solid var(--edge);border-radius:8px;padding:12px 16px;
    overflow-x:auto}
    a{color:var(--accent)}
    button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}
    :focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:4px}
    [hidden]{display:none!important}
    .bar{display:flex;align-items:center;justify-content:space-between;padding:18px 0 0;
    min-height:56px}
    .brand{font-weight:700;letter-spacing:.02em}
    .theme{display:inline-flex;border:1px solid var(--edge);border-radius:8px;overflow:hidden}
    .theme button{padding:4px 12px;font-size:.85rem;color:var(--muted)}
    .theme button[aria-pressed=true]{background:var(--raised);color:var(--ink);font-weight:600}
    .theme :focus-visible{outline-offset:-2px}
    .lead{font-size:1.1rem;color:var(--muted)}.lead p{margin:.2em 0}
    .lead strong{color:var(--ink)}
    .facts{list-style:none;display:flex;flex-wrap:wrap;gap:2px 18px;padding:0;margin:1em 0 0;
    font-size:.85rem;color:var(--muted)}.facts li{margin:0}
    .answer{margin-top:24px;padding-top:22px;border-top:1px solid var(--edge)}
    .answer ul{margin:0 0 22px}.answer li{max-width:none}
    .cards{display:grid;gap:16px;
    grid-template-columns:repeat(auto-fit,minmax(min(100%,258px),1fr));margin:0 0 24px}
    .card{border:1px solid var(--edge);border-radius:12px;padding:18px 20px;
    background:var(--raised)}
    .card h3{margin:0;font-size:.9rem;font-weight:600;color:var(--muted)}
    .winner{margin:.3em 0 0;font-size:1.5rem;line-height:1.3;display:flex;
    align-items:center;gap:10px}
    .winner code{font-size:1em;font-weight:600;overflow-wrap:anywhere}
    .standing{margin:.1em 0 .9em;font-size:.9rem;color:var(--muted)}
    .card dl{margin:0}
    .card dl div{display:flex;justify-content:space-between;align-items:baseline;gap:14px;
    padding:5px 0;border-top:1px solid var(--edge)}
    .card dd{margin:0;font-weight:600;font-size:.92rem;
    font-variant-numeric:tabular-nums;text-align:right}
    .card dt{font-size:.85rem;color:var(--muted);white-space:nowrap}
    .columns{display:grid;grid-template-columns:minmax(0,1fr) 230px;gap:0 48px;margin-top:16px;
    padding-top:24px;border-top:1px solid var(--edge)}
    main{grid-column:1;grid-row:1;min-width:0}
    main h3:first-child{margin-top:0}
    .fold{border-top:1px solid var(--edge);margin:0}
    .fold>summary{padding:14px 0;color:var(--ink)}.fold>summary:hover{color:var(--accent)}
    .fold>summary h2{display:inline;font-size:1.1rem;margin:0}
    .fold>section{padding:0 0 24px}
    aside{grid-column:2;grid-row:1;position:sticky;top:0;align-self:start;max-height:100vh;
    overflow-y:auto;padding:0 4px;font-size:.9rem}
    aside h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--muted);
    margin:0 0 .5em}
    aside nav{margin-top:24px}aside nav ul{list-style:none;padding:0;margin:0}
    aside nav li{margin:.3em 0}
    aside nav a{color:var(--muted);text-decoration:none}
    aside nav a:hover{color:var(--ink);text-decoration:underline}
    .hint{margin:0 0 .6em;font-size:.8rem;color:var(--muted)}
    .policies{display:grid;gap:1px}
    .policy{display:flex;align-items:center;gap:9px;text-align:left;padding:3px 6px;
    border-radius:6px;min-width:0;overflow-wrap:anywhere}
    .policy:disabled{cursor:default}
    .policy:not(:disabled):hover{background:var(--raised)}
    .policy[aria-pressed=false]{opacity:.45;text-decoration:line-through}
    .all{display:flex;gap:14px;margin:.7em 6px;font-size:.8rem}
    .all button{color:var(--accent)}
    .status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);margin:0}
    @media(max-width:900px){.columns{display:block}
    aside{position:static;max-height:none;padding:0 0 24px}
    .policies{display:flex;flex-wrap:wrap;gap:4px}
    .policy{border:1px solid var(--edge);padding:3px 10px;border-radius:99px}
    aside nav{display:none}}
    @media(max-width:600px){body{padding:0 16px 48px}h1{font-size:1.8rem}}
    .runs th,.runs td{text-align:left;vertical-align:top;padding:10px 28px 10px 0}
    .runs ul{list-style:none;margin:0;padding:0}.runs li{margin:0 0 2px}
    .runs td:nth-child(5){white-space:normal;min-width:200px;color:var(--muted)}
    .runs td:last-child{white-space:normal;min-width:130px}
    .runs td:last-child a{margin-right:8px}

    """

  private static let marks = ChartColour.allCases.map { colour in
    "svg.mark.\(colour.className){color:var(--\(colour.className))}"
  }.joined()

  private static let charts =
    ChartStyleSheet.page + """

      figure{margin:0 0 8px}
      figcaption{color:var(--muted);font-size:.95rem;margin:0 0 12px;max-width:72ch}
      .plot{border-radius:6px;position:relative}
      svg.chart{display:block;width:100%;height:auto;overflow:visible}
      .narrow{display:none}
      @media(max-width:600px){.wide{display:none}.narrow{display:block}}
        .mark{flex:none;vertical-align:-1px;color:var(--ink)}
      \(marks)
      .series.off{display:none}
      tr.off{opacity:.4}
      .plot .near{stroke:var(--ink);stroke-width:1.5;paint-order:stroke}
      .plot.reading .series:not(.at) .l{stroke-opacity:.25}
      .tip{position:fixed;z-index:9;pointer-events:none;max-width:min(320px,calc(100vw - 24px));
      background:var(--ground);border:1px solid var(--edge);border-radius:8px;padding:8px 12px;
      box-shadow:0 6px 24px #0003;font-size:.82rem;line-height:1.45}
      .tip strong{display:block;margin-bottom:2px}
      .tip div{display:flex;gap:8px;justify-content:space-between;color:var(--muted);
      font-variant-numeric:tabular-nums}
      .tip div.at{color:var(--ink);font-weight:600}

      """

  private static let tables = """
    details{margin:10px 0}
    summary{cursor:pointer;font-size:.88rem;color:var(--muted);width:max-content}
    .scroll{overflow-x:auto;margin:10px 0 18px}
    table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
    th,td{padding:6px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--edge)}
    thead th{color:var(--muted);font-weight:600;vertical-align:bottom;white-space:normal;
    min-width:72px}
    th:first-child,td:first-child,td.text{text-align:left}
    th:first-child,td:first-child{padding-left:0}
    tbody th{font-weight:400}
    tbody th .mark{margin-right:9px}
    tbody tr:hover{background:var(--raised)}
    thead button{text-align:inherit;font-weight:600}
    thead button:hover{color:var(--ink)}
    th[aria-sort=ascending] button::after{content:" \\2191"}
    th[aria-sort=descending] button::after{content:" \\2193"}

    """

  private static let printing = """
    @media print{:root,:root[data-theme=dark],:root:not([data-theme=light]){color-scheme:light;
    \(light)}
    body{max-width:none;padding:0;font-size:11pt}
    .theme,aside,.tip,.status{display:none!important}.columns{display:block}
    .wide{display:block}.narrow{display:none}
    details::details-content{content-visibility:visible;display:block}
    figure,.card,tr{break-inside:avoid}h2,h3,figcaption{break-after:avoid}
    .scroll{overflow:visible}}
    @media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
    """
}
