// Draws the visible part of a headless xterm as an SVG: one <text> per run of equal cells, at a fixed position, so that
// the columns line up in any monospaced font.

const CELL = { width: 8.4, height: 18 };
const FONT = 14;
const MARGIN = 16;
const BAR = 34;
const BACKGROUND = '#1d1f21';
const FOREGROUND = '#d8d8d8';
const ANSI = [
  ...['#2b2d30', '#ef7272', '#7dbb7d', '#e0b341', '#7fb1f0', '#c792ea', '#7fc7c9', '#d8d8d8'],
  ...['#868686', '#ff8f8f', '#9fdc9f', '#f2ce6b', '#a5c9f7', '#dab3f3', '#a3dfe0', '#ffffff'],
];

/** Renders the screen as a picture; `title` is shown in the window's bar. */
export function screenToSvg(terminal, title) {
  const lines = visibleLines(terminal);
  const width = Math.ceil(terminal.cols * CELL.width + 2 * MARGIN);
  const height = BAR + lines.length * CELL.height + MARGIN;
  const shapes = lines.flatMap((line, row) => runsOf(line, terminal.cols).flatMap((run) => draw(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...['#ef7272', '#e0b341', '#7dbb7d'].map(
      (fill, index) => `<circle cx="${20 + index * 18}" cy="${BAR / 2}" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="${BAR / 2 + 4}" fill="#8f8f8f" font-family="sans-serif" font-size="12" text-anchor="middle">${escapeXml(title)}</text>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" xml:space="preserve">`,
    ...shapes,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** The rows on screen, without empty ones at the end. */
function visibleLines({ buffer: { active }, rows }) {
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)).filter(Boolean);
  return lines.slice(0, lines.findLastIndex((line) => line.translateToString(true) !== '') + 1);
}

/** Joins neighboring cells with the same style; a wide character stays separate. */
function runsOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = lookOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    const wide = cell.getWidth() > 1 || text.length > 1;
    if (!wide && last !== undefined && !last.wide && last.key === look.key) {
      last.text += text;
      last.cells++;
    } else runs.push({ ...look, text, wide, column, cells: cell.getWidth() });
  }
  return runs;
}

function lookOf(cell) {
  let color = colorOf(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()) ?? FOREGROUND;
  let background = colorOf(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
  if (cell.isInverse()) [color, background] = [background ?? BACKGROUND, color];
  const style = [
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isItalic() ? ' font-style="italic"' : '',
    cell.isUnderline() ? ' text-decoration="underline"' : '',
    cell.isDim() ? ' opacity="0.6"' : '',
  ].join('');
  return { color, background, style, key: `${color} ${background} ${style}` };
}

function colorOf(isRgb, isPalette, value) {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (!isPalette) return undefined;
  if (value < 16) return ANSI[value];
  const gray = 8 + (value - 232) * 10;
  if (value >= 232) return `rgb(${gray},${gray},${gray})`;
  const level = (step) => (step === 0 ? 0 : 55 + step * 40);
  const cube = value - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

function draw({ text, color, background, style, column, cells }, row) {
  const left = MARGIN + column * CELL.width;
  const top = BAR + row * CELL.height;
  const shapes = [];
  if (background !== undefined) {
    shapes.push(
      `<rect x="${round(left)}" y="${top}" width="${round(cells * CELL.width)}" height="${CELL.height}" fill="${background}"/>`,
    );
  }
  const blanks = text.length - text.trimStart().length;
  const shown = text.trim();
  if (shown === '') return shapes;
  const count = cells === 1 || text.length === cells ? shown.length : cells;
  const x = round(left + blanks * CELL.width);
  shapes.push(
    `<text x="${x}" y="${top + FONT - 1}" fill="${color}"${style} textLength="${round(count * CELL.width)}" lengthAdjust="spacingAndGlyphs">${escapeXml(shown)}</text>`,
  );
  return shapes;
}

const round = (value) => Math.round(value * 10) / 10;

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
