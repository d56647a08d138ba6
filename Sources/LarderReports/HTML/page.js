(() => {
'use strict';
const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
const one = (selector, root) => (root || document).querySelector(selector);

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
    'aria-pressed', button.dataset.themeChoice === (root.dataset.theme || 'auto')));
};
choices.forEach((button) => button.addEventListener('click', () => {
  setTheme(button.dataset.themeChoice);
  remember(button.dataset.themeChoice);
}));
setTheme(remembered());
all('.theme, .hint, .all').forEach((element) => { element.hidden = false; });

const buttons = all('[data-policy]');
const policies = buttons.map((button) => button.dataset.policy);
all('tbody tr').forEach((row) => {
  const text = row.cells[0].textContent.trim();
  const name = policies.includes(text) ? text : text.replace(/ \([^(]*$/, '');
  if (policies.includes(name)) row.dataset.series = name;
});
const show = (button, isShown) => {
  button.setAttribute('aria-pressed', isShown);
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
  const marks = all('.k, use:not(.s)', plot).map((mark) => {
    const title = one('title', mark);
    const group = mark.closest('.series');
    const own = title ? title.textContent : '';
    if (title) title.remove();
    const series = group && !group.matches('.row') ? group.dataset.series : '';
    return { mark, group, own, series, label: series ? series + ': ' + own : own };
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
    const at = item.own.lastIndexOf(' at ');
    const where = at < 0 ? null : item.own.slice(at + 4);
    const beside = where === null || !item.series ? [] : shown().filter((other) =>
      Math.abs(place(other.mark).x - place(item.mark).x) < 1);
    const title = document.createElement('strong');
    if (beside.length < 2) {
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
      const end = other.own.lastIndexOf(' at ');
      tip.append(line(other.series, other.own.slice(0, end), other === item));
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

const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50,
  ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };
const key = (cell) => {
  const text = cell ? cell.textContent.trim() : '';
  const found = text.match(/^-?\d+(?: \d{3})*(?:\.\d+)?(?= |$|%|[KMGTP]?i?B)/);
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
const explore = one('.explore');
const figure = explore && document.getElementById('figure-' + explore.dataset.figure);
const source = figure && one('table', figure);
if (source) {
  const space = 'http://www.w3.org/2000/svg';
  const names = all('thead th', source).slice(1).map((title) => title.textContent);
  const unpacked = (text, digits, unit) => Array.from(
    { length: text.length / digits },
    (none, place) => parseInt(text.slice(place * digits, (place + 1) * digits), 36) / unit);
  const extra = (explore.dataset.rows || '').split(' ');
  const rows = all('tbody tr', source).map((row, place) => {
    const [style, times, ...more] = (extra[place] || '').split(',');
    const cells = Array.from(row.cells).slice(1);
    const hits = cells.map((cell) => parseFloat(cell.textContent));
    return {
      name: row.cells[0].textContent.trim(), series: row.dataset.series, style, times, cells,
      own: cells.map((cell) => Array.from(cell.childNodes)),
      ratios: [hits, ...more.map((text) => unpacked(text, 3, 100))] };
  });
  // The title of a bound is not its name.
  const rivals = rows.filter((row) => row.name === row.series);
  const measures = all('[data-measure]', explore);
  let measure = 0;
  const title = () => measure ? measures[measure].title : 'hit ratio';
  const value = (row, column) => (row.ratios[measure] || [])[column] ?? NaN;
  const known = (number) => !Number.isNaN(number);
  const best = (column) => Math.max(...rivals.map((row) => value(row, column)).filter(known));
  const plot = one('.plot', figure);
  const curve = one('svg', plot);
  const heading = figure.previousElementSibling;
  const caption = one('figcaption', figure);
  const [headed, said] = [heading.textContent, caption.textContent];
  const shape = (parent, tag, attributes, text) => {
    const element = document.createElementNS(space, tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const colour = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const canvas = (height, label) => {
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', '0 0 760 ' + height);
    svg.setAttribute('class', 'chart');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    return svg;
  };
  const write = (svg, x, y, text, anchor, name) => shape(svg, 'text', {
    x, y, class: name || 'n', 'text-anchor': anchor, 'font-size': 12 }, text);
  const heat = (column) => {
    const height = 26 + rivals.length * 20;
    const svg = canvas(height, title() + ', points below the best');
    const width = (760 - 170) / names.length;
    write(svg, 0, 16, title(), 'start', 'm');
    names.forEach((name, place) => write(
      svg, 170 + (place + .5) * width, 16, name, 'middle', place === column ? 'n h' : 'm'));
    const bests = names.map((name, column) => best(column));
    rivals.forEach((row, line) => {
      const y = 26 + line * 20;
      write(svg, 162, y + 14, row.name.slice(0, 24), 'end');
      names.forEach((name, place) => {
        const below = bests[place] - value(row, place);
        if (!known(below)) return;
        shape(svg, 'rect', {
          x: 170 + place * width, y, width: width - 1, height: 19, class: 'heat',
          'fill-opacity': Math.max(.04, 1 - below / 12).toFixed(3),
          'stroke-opacity': place === column ? 1 : 0 });
        if (width > 34) {
          write(svg, 170 + (place + .5) * width, y + 14, below.toFixed(1), 'middle',
            below < 2.5 ? 'heat-ink' : 'n');
        }
      });
    });
    return svg;
  };
  const lines = (label, data, marks) => {
    const svg = canvas(300, label);
    const top = Math.max(...data.flatMap((own) => own.values.filter(known))) || 1;
    [0, .25, .5, .75, 1].forEach((share) => {
      const y = 270 - share * 250;
      shape(svg, 'line', { x1: 60, x2: 600, y1: y, y2: y, class: 'g' });
      write(svg, 54, y + 4, (share * top).toFixed(0) + ' %', 'end', 'm');
    });
    write(svg, 60, 12, label, 'start', 'm');
    const x = (place, count) => 60 + 540 * (place + .5) / count;
    marks.forEach((mark, place) => write(svg, x(place, marks.length), 290, mark, 'middle', 'm'));
    data.forEach((own, line) => {
      const points = own.values.map((number, place) => !known(number) ? ''
        : x(place, own.values.length).toFixed(1) + ',' + (270 - 250 * number / top).toFixed(1));
      const group = shape(svg, 'g', { class: 'series ' + own.style, 'data-series': own.name });
      shape(group, 'polyline', { points: points.join(' '), class: own.isBound ? 'b' : 'l',
        'stroke-dasharray': own.isBound ? '8 4' : 'none' });
      if (line < 16) write(group, 608, 30 + line * 16, own.name, 'start', 'k');
    });
    return svg;
  };
  const time = () => lines('hit ratio at ' + explore.dataset.at, rows.filter((row) => row.times).map(
    (row) => ({ name: row.series, style: row.style, values: unpacked(row.times, 2, 10) })),
  ['first request', '', '', '', 'last']);
  const curves = () => lines(title(), rows.filter((row) => row.series).map(
    (row) => ({ name: row.series, style: row.style, isBound: !rivals.includes(row),
      values: names.map((name, column) => value(row, column)) })), names);
  const slider = one('input', explore);
  const output = one('output', explore);
  const today = one('select', explore);
  today.append(...rivals.map((row) => new Option(row.name)));
  if (rivals.some((row) => row.name === 'lru')) today.value = 'lru';
  const list = one('ol', explore);
  const views = all('[data-view]', explore);
  let view = 'curve';
  const draw = () => {
    const column = Number(slider.value);
    output.textContent = names[column];
    const ranked = rivals.filter((row) => known(value(row, column)))
      .sort((a, b) => value(b, column) - value(a, column));
    const own = rivals.find((other) => other.name === today.value);
    list.replaceChildren(...ranked.slice(0, 5).map((row) => {
      const item = document.createElement('li');
      const more = value(row, column) - value(own, column);
      item.textContent = row.name + ' ' + value(row, column).toFixed(2) + ' %'
        + (more ? ', ' + (more > 0 ? '+' : '') + more.toFixed(2) : '');
      return item;
    }));
    views.forEach((button) => button.setAttribute(
      'aria-pressed', button.dataset.view === view));
    measures.forEach((button, place) => button.setAttribute(
      'aria-pressed', place === measure));
    if (measures[0]) measures[0].parentElement.hidden = view === 'time';
    const name = title();
    heading.textContent = measure
      ? name[0].toUpperCase() + name.slice(1) + ', %' + headed.slice(headed.indexOf(':')) : headed;
    plot.setAttribute('aria-label', heading.textContent);
    caption.textContent = measure && ranked[0]
      ? ranked[0].name + ' has the highest ' + name + ' at ' + names[column] + '.' : said;
    rows.forEach((row) => row.cells.forEach((cell, place) => {
      const number = value(row, place);
      const text = document.createElement(
        number === best(place) && rivals.includes(row) ? 'strong' : 'span');
      text.textContent = known(number) ? number.toFixed(2) : '–';
      cell.replaceChildren(...measure ? [text] : row.own[place]);
    }));
    const isOwn = view === 'curve' && !measure;
    curve.toggleAttribute('hidden', !isOwn);
    all('.other', plot).forEach((svg) => svg.remove());
    if (isOwn) return;
    const svg = view === 'heat' ? heat(column) : view === 'time' ? time() : curves();
    svg.classList.add('other');
    plot.append(svg);
    const hidden = buttons.filter((button) => button.getAttribute('aria-pressed') !== 'true')
      .map((button) => button.dataset.policy);
    all('.series', svg).forEach((element) => {
      element.classList.toggle('off', hidden.includes(element.dataset.series));
    });
  };
  slider.max = names.length - 1;
  slider.value = Math.floor((names.length - 1) / 2);
  slider.addEventListener('input', draw);
  today.addEventListener('input', draw);
  views.forEach((button) => button.addEventListener('click', () => {
    view = button.dataset.view;
    if (view === 'time') measure = 0;
    draw();
  }));
  measures.forEach((button, place) => button.addEventListener('click', () => {
    measure = place;
    draw();
  }));
  const told = (text) => { one('.told', explore).textContent = text; };
  const markdown = (table) => all('tr', table).map((row, line) => {
    const cells = Array.from(row.cells).map(
      (cell) => cell.textContent.trim().replaceAll('|', '\\|'));
    const text = '| ' + cells.join(' | ') + ' |';
    return line ? text : text + '\n|' + cells.map((cell, place) => place ? ' --: |' : ' :-- |')
      .join('');
  }).join('\n');
  one('[data-copy]', explore).addEventListener('click', () => {
    const parts = Array.from(one('#answer').children).map((part) =>
      one('table', part) ? markdown(one('table', part))
        : part.tagName === 'UL' ? all('li', part).map((item) => '- ' + item.textContent).join('\n')
          : (part.tagName[0] === 'H' ? '## ' : '') + part.textContent.trim());
    const text = ['# ' + one('h1').textContent, ...parts,
      '## ' + heading.textContent, markdown(source)].join('\n\n') + '\n';
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'status';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    explore.dataset.copied = text;
    told(isCopied ? 'Copied.' : 'The browser refused to copy.');
  });
  one('[data-png]', explore).addEventListener('click', () => {
    const svg = all('svg.chart', plot).find((item) => !item.hasAttribute('hidden'));
    const copy = svg.cloneNode(true);
    const [own, cloned] = [all('*', svg), all('*', copy)];
    own.forEach((element, place) => {
      const style = getComputedStyle(element);
      if (style.display === 'none') cloned[place].setAttribute('display', 'none');
      ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'fill-opacity', 'stroke-opacity',
        'font-size', 'font-family', 'font-weight', 'text-anchor'].forEach((name) =>
        cloned[place].setAttribute(name, style.getPropertyValue(name)));
    });
    const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    copy.setAttribute('xmlns', space);
    copy.setAttribute('width', width * 2);
    copy.setAttribute('height', height * 2);
    copy.prepend(shape(copy, 'rect', { width, height, fill: colour('ground') }),
      ...all('#shapes path').map((path) => {
        const defined = document.createElementNS(space, 'defs');
        defined.append(path.cloneNode());
        return defined;
      }));
    const address = URL.createObjectURL(
      new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }));
    const image = new Image();
    image.onload = () => {
      const paper = document.createElement('canvas');
      [paper.width, paper.height] = [width * 2, height * 2];
      paper.getContext('2d').drawImage(image, 0, 0);
      paper.toBlob((blob) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob);
        link.download = (heading.textContent + ' ' + view).replace(/\W+/g, '-') + '.png';
        link.click();
        explore.dataset.saved = blob.size;
        told('Saved.');
      });
    };
    image.src = address;
  });
  explore.hidden = false;
  draw();
}

let opened = [];
window.addEventListener('beforeprint', () => {
  opened = all('details:not([open])');
  opened.forEach((details) => { details.open = true; });
});
window.addEventListener('afterprint', () => {
  opened.forEach((details) => { details.open = false; });
});
})();
