/// A self-contained page: style and script are inline, and nothing else may be loaded.
///
/// The page's content security policy allows only the style and the script, by their hashes:
/// untrusted text that became markup still could not run or load anything.
struct HTMLPage {
  let title: String
  let body: String

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

  /// The content security policy.
  static let policy =
    "default-src 'none'; style-src '\(PageStyle.hash)'; "
    + "script-src '\(PageScript.hash)'; base-uri 'none'; form-action 'none'"

  /// The buttons for the themes light, dark and automatic.
  static let themeSwitch = """
    <div class="theme" role="group" aria-label="Colours" hidden>
    <button type="button" data-theme-choice="auto" aria-pressed="true">Auto</button>
    <button type="button" data-theme-choice="light" aria-pressed="false">Light</button>
    <button type="button" data-theme-choice="dark" aria-pressed="false">Dark</button>
    </div>
    """
}

/// The style of all pages: a constant, so it cannot contain untrusted text.
enum PageStyle {
  /// The style sheet's hash in the content security policy. A test prints the expected value.
  static let hash = "sha256-ZsedM3h0NMIqBAGutF5sAAdoAumJJWyAEIt2QbtkQ38="

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

/// The script of all pages: a constant, so it cannot contain untrusted text. It reads names from
/// attributes and inserts them as text, never as markup.
enum PageScript {
  /// The script's hash in the content security policy. A test prints the expected value.
  static let hash = "sha256-XhqPCCuAheX72GGDkSPEOXQwSs5DMLwLpjMQex0FFDM="

  static let text = opening + theme + policies + reading + sorting + closing

  private static let opening = """
    (() => {
    'use strict';
    const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
    const one = (selector, root) => (root || document).querySelector(selector);

    """

  private static let theme = """
    const root = document.documentElement;
    const choices = all('[data-theme-choice]');
    const remember = (value) => {
      try { localStorage.setItem('larder-theme', value); } catch (error) {}
    };
    const remembered = () => {
      try { return localStorage.getItem('larder-theme'); } catch (error) { return null; }
    };
    const setTheme = (value) => {
      if (value === 'light' || value === 'dark') root.dataset.theme = value;
      else delete root.dataset.theme;
      choices.forEach((button) => button.setAttribute(
        'aria-pressed', String(button.dataset.themeChoice === (root.dataset.theme || 'auto'))));
    };
    choices.forEach((button) => button.addEventListener('click', () => {
      setTheme(button.dataset.themeChoice);
      remember(button.dataset.themeChoice);
    }));
    setTheme(remembered());
    all('.theme, .hint, .all').forEach((element) => { element.hidden = false; });

    """

  private static let policies = """
    const buttons = all('[data-policy]');
    const show = (button, isShown) => {
      button.setAttribute('aria-pressed', String(isShown));
      all('[data-series]').forEach((element) => {
        if (element.dataset.series === button.dataset.policy) {
          element.classList.toggle('off', !isShown);
        }
      });
    };
    buttons.forEach((button) => button.addEventListener('click', () => {
      show(button, button.getAttribute('aria-pressed') !== 'true');
    }));
    all('[data-all]').forEach((button) => button.addEventListener('click', () => {
      buttons.forEach((policy) => show(policy, button.dataset.all === 'true'));
    }));

    """

  private static let reading = """
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
    document.body.append(tip);
    const status = one('.status');
    const line = (text, value, isAt) => {
      const row = document.createElement('div');
      row.className = isAt ? 'at' : '';
      [text, value].forEach((part) => {
        const span = document.createElement('span');
        span.textContent = part;
        row.append(span);
      });
      return row;
    };
    const place = (mark) => {
      const box = mark.getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2, box };
    };
    all('.plot').forEach((plot) => {
      const marks = all('.k', plot).map((mark) => {
        const title = one('title', mark);
        const group = mark.closest('.series');
        const label = title ? title.textContent : '';
        if (title) title.remove();
        return { mark, group, label, series: group ? group.dataset.series : '' };
      });
      let current = null;
      const shown = () => marks.filter(
        (item) => item.mark.getClientRects().length && !(item.group && item.group.matches('.off')));
      const leave = () => {
        if (current) {
          current.mark.classList.remove('near');
          if (current.group) current.group.classList.remove('at');
        }
        current = null;
        plot.classList.remove('reading');
        tip.hidden = true;
      };
      const fill = (item) => {
        tip.replaceChildren();
        const own = item.label.slice(item.series.length + 2);
        const at = own.lastIndexOf(' at ');
        const where = at < 0 ? null : own.slice(at + 4);
        const beside = where === null ? [] : shown().filter((other) =>
          Math.abs(place(other.mark).x - place(item.mark).x) < 1);
        const title = document.createElement('strong');
        if (item.mark.tagName !== 'path' || beside.length < 2) {
          title.textContent = item.label;
          tip.append(title);
          return;
        }
        title.textContent = where;
        tip.append(title);
        const sorted = beside.sort((a, b) => place(a.mark).y - place(b.mark).y);
        const index = sorted.indexOf(item);
        const first = Math.max(0, Math.min(index - 6, sorted.length - 13));
        sorted.slice(first, first + 13).forEach((other) => {
          const text = other.label.slice(other.series.length + 2);
          tip.append(line(other.series, text.slice(0, text.lastIndexOf(' at ')), other === item));
        });
      };
      const read = (item, isKey) => {
        if (item !== current) {
          leave();
          current = item;
          item.mark.classList.add('near');
          if (item.group) item.group.classList.add('at');
          plot.classList.add('reading');
          fill(item);
        }
        tip.hidden = false;
        const spot = place(item.mark);
        const size = tip.getBoundingClientRect();
        const right = spot.box.right + 14;
        const isRight = right + size.width < window.innerWidth - 8;
        const x = isRight ? right : Math.max(8, spot.box.left - 14 - size.width);
        const y = Math.max(8, Math.min(
          spot.y - size.height / 2, window.innerHeight - size.height - 8));
        tip.style.left = x + 'px';
        tip.style.top = y + 'px';
        if (isKey && status) status.textContent = item.label;
      };
      plot.addEventListener('pointermove', (event) => {
        let best = null;
        let least = 48;
        shown().forEach((item) => {
          const { box } = place(item.mark);
          const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
          const dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
          const distance = Math.hypot(dx, dy);
          if (distance < least) { least = distance; best = item; }
        });
        if (best) read(best, false); else leave();
      });
      plot.addEventListener('pointerleave', leave);
      plot.addEventListener('blur', leave);
      plot.addEventListener('keydown', (event) => {
        const items = shown();
        if (event.key === 'Escape') { leave(); return; }
        if (!items.length || !event.key.startsWith('Arrow')) return;
        event.preventDefault();
        if (!current || !items.includes(current)) { read(items[0], true); return; }
        const from = place(current.mark);
        const isAcross = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
        const sign = event.key === 'ArrowRight' || event.key === 'ArrowDown' ? 1 : -1;
        let best = null;
        let least = Infinity;
        items.forEach((item) => {
          if (item === current) return;
          const to = place(item.mark);
          if (isAcross && item.group !== current.group) return;
          const along = sign * (isAcross ? to.x - from.x : to.y - from.y);
          const aside = Math.abs(isAcross ? to.y - from.y : to.x - from.x);
          if (along < 0.01 && !(along > -0.01 && !isAcross &&
            sign * (items.indexOf(item) - items.indexOf(current)) > 0 && aside < 1)) return;
          const distance = isAcross ? along : along + aside * 100;
          if (distance < least) { least = distance; best = item; }
        });
        if (best) read(best, true);
      });
      plot.tabIndex = 0;
      plot.setAttribute('aria-roledescription', 'chart; use the arrow keys to read values');
    });

    """

  private static let sorting = """
    const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50,
      ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };
    const key = (cell) => {
      const text = cell ? cell.textContent.trim() : '';
      const found = text.match(/^-?\\d+(?: \\d{3})*(?:\\.\\d+)?(?= |$|%|[KMGTP]?i?B)/);
      if (!found || cell.dataset.text !== undefined) return text;
      const rest = text.slice(found[0].length);
      const unit = rest.match(/^ ?((?:[KMGTP]i)?B|ns|µs|ms|s)(?= |$)/);
      return Number(found[0].replaceAll(' ', '')) * (unit ? units[unit[1]] : 1);
    };
    all('table').forEach((table) => {
      const body = one('tbody', table);
      const titles = all('thead th', table);
      titles.forEach((title, column) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = title.textContent;
        title.replaceChildren(button);
        button.addEventListener('click', () => {
          const was = title.getAttribute('aria-sort');
          const isText = column === 0;
          const isUp = was ? was === 'descending' : isText;
          titles.forEach((other) => other.removeAttribute('aria-sort'));
          title.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
          const rows = all('tr', body).map((row, index) => (
            { row, index, key: key(row.cells[column]) }));
          rows.sort((a, b) => {
            const [left, right] = [typeof a.key === 'number', typeof b.key === 'number'];
            if (left !== right) return left ? -1 : 1;
            const order = left ? a.key - b.key : a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
            return (isUp ? order : -order) || a.index - b.index;
          });
          body.append(...rows.map((entry) => entry.row));
        });
      });
    });
    let opened = [];
    window.addEventListener('beforeprint', () => {
      opened = all('details:not([open])');
      opened.forEach((details) => { details.open = true; });
    });
    window.addEventListener('afterprint', () => {
      opened.forEach((details) => { details.open = false; });
    });

    """

  private static let closing = """
    document.documentElement.dataset.ready = 'true';
    })();
    """
}
