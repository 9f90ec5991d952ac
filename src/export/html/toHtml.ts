/**
 * A session as one self-contained page: no script, no other file, nothing from the network. Everything from a model, a
 * tool or a file is escaped. The table of turns is at the end of the file, so that the page can be written while the
 * session is read; the style sheet puts it next to the text.
 */
import { createHash } from 'node:crypto';
import { firstLine } from '../items.ts';
import type { ExportItem, ExportMeta } from '../types.ts';
import { type Blocks, createBlocks, escapeHtml } from './blocks.ts';

export async function* toHtml(items: AsyncIterable<ExportItem>, meta: ExportMeta): AsyncGenerator<string> {
  const blocks = await createBlocks();
  const turns: string[] = [];
  let isOpen = false;
  yield headOf(meta);
  for await (const item of items) {
    if (item.type !== 'turn') {
      yield blockOf(item, blocks);
      continue;
    }
    if (isOpen) yield '</section>\n';
    isOpen = true;
    turns.push(firstLine(item.text, 70) || '(no text)');
    yield turnHead(item);
  }
  if (isOpen) yield '</section>\n';
  yield '</main>\n';
  yield* tableOf(turns);
  yield `<footer>Exported on ${escapeHtml(day(meta.exportedAt.toISOString()))} by ClawdCode ${escapeHtml(meta.programVersion)}.</footer>\n</body>\n</html>\n`;
}

function headOf({ title, sessionId, project }: ExportMeta): string {
  const place = project === undefined ? '' : ` · <code>${escapeHtml(project)}</code>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeHtml(firstLine(title, 120))}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1 dir="auto">${escapeHtml(firstLine(title, 200))}</h1>
<p>Session <code>${escapeHtml(sessionId)}</code>${place}</p>
<a class="to-turns" href="#turns">Turns</a>
</header>
<main>
`;
}

function turnHead({ number, text, images, timestamp }: Extract<ExportItem, { type: 'turn' }>): string {
  const shown = images.map((image) => imageOf(image)).join('');
  return `<section class="turn" id="turn-${number}">
<h2><a href="#turn-${number}">Turn ${number}</a> <time datetime="${escapeHtml(timestamp)}">${escapeHtml(day(timestamp))} ${escapeHtml(timestamp.slice(11, 16))} UTC</time></h2>
<div class="prompt" dir="auto">${escapeHtml(text)}${shown}</div>
`;
}

/** Image types that browsers show and that cannot contain a script. */
function imageOf({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string {
  const isPicture =
    /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!isPicture) return `<p class="note">[an image, ${escapeHtml(mediaType)}]</p>`;
  return `<img alt="an image of the prompt" src="data:${mediaType};base64,${data}">`;
}

function blockOf(item: Exclude<ExportItem, { type: 'turn' }>, blocks: Blocks): string {
  switch (item.type) {
    case 'reply':
      return blocks.reply(item);
    case 'call':
      return blocks.call(item);
    case 'shell':
      return blocks.shell(item);
    case 'note':
      return blocks.note(item);
    case 'end':
      return item.outcome === 'done'
        ? ''
        : `<p class="end">The turn ended: ${escapeHtml(item.outcome)}.</p>\n`;
  }
}

function* tableOf(turns: readonly string[]): Generator<string> {
  yield '<nav id="turns" aria-label="Turns">\n<h2>Turns</h2>\n<ol>\n';
  for (const [index, title] of turns.entries())
    yield `<li><a dir="auto" href="#turn-${index + 1}"><span>${index + 1}</span> ${escapeHtml(title)}</a></li>\n`;
  yield '</ol>\n</nav>\n';
}

function day(timestamp: string): string {
  return timestamp.slice(0, 10);
}

// The page's style: light or dark by the reader's setting, narrow or wide, on paper.

const style = `
:root{color-scheme:light dark;--bg:#fdfdfc;--fg:#1d2126;--soft:#626a73;--line:#e3e5e8;--box:#f4f5f6;--mine:#eef4fb;--mark:#2563a8;--add:#e4f5e7;--add-fg:#116329;--del:#fdebec;--del-fg:#a0111f;--warn:#9a5700;--kw:#8430b5;--str:#1a6b3c;--num:#9a4a00;--com:#6b747d;--fn:#2257a0}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#dde1e6;--soft:#969fa9;--line:#2c3239;--box:#1c2025;--mine:#18283a;--mark:#7cb3ee;--add:#12301b;--add-fg:#8ddb9e;--del:#3a1519;--del-fg:#ff9ea5;--warn:#e3ab5a;--kw:#d19ef2;--str:#93d3a8;--num:#f0b27a;--com:#8b949e;--fn:#8fbcf5}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,-apple-system,"Segoe UI","Noto Sans","Noto Sans CJK SC","PingFang SC","Hiragino Sans","Microsoft YaHei",sans-serif;overflow-wrap:anywhere;display:grid;grid-template-columns:minmax(0,1fr)}
main,header,footer{width:100%;max-width:52rem;margin:0 auto;padding:0 1.2rem}
header{padding-top:2.5rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .4rem}
header p,footer{color:var(--soft);font-size:.9rem}
header a.to-turns{font-size:.9rem}
a{color:var(--mark)}
section.turn{border-top:1px solid var(--line);margin-top:2rem;padding-top:1.2rem}
section.turn>h2{font-size:.85rem;font-weight:600;color:var(--soft);margin:0 0 .6rem;display:flex;gap:.6rem;align-items:baseline}
section.turn>h2 a{color:inherit;text-decoration:none}
section.turn>h2 time{font-weight:400}
.prompt{background:var(--mine);border-inline-start:3px solid var(--mark);border-radius:6px;padding:.7rem 1rem;white-space:pre-wrap}
.prompt img{display:block;max-width:100%;margin-top:.6rem}
.reply{margin:1rem 0}
.reply h1,.reply h2,.reply h3,.reply h4,.reply h5,.reply h6{font-size:1.05rem;margin:1.2rem 0 .4rem}
.reply table{border-collapse:collapse;display:block;overflow-x:auto}
.reply td,.reply th{border:1px solid var(--line);padding:.25rem .6rem;text-align:start}
.reply blockquote{margin:0;padding-inline-start:1rem;border-inline-start:3px solid var(--line);color:var(--soft)}
code,pre{font-family:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,"Noto Sans Mono","Noto Sans Mono CJK SC",monospace;font-size:.86em}
code{background:var(--box);border-radius:4px;padding:.1em .3em}
pre{direction:ltr;unicode-bidi:isolate;text-align:left;background:var(--box);border-radius:6px;padding:.7rem .9rem;overflow:auto;max-height:36rem;white-space:pre;overflow-wrap:normal;line-height:1.45;margin:.5rem 0;tab-size:4}
pre code{background:none;padding:0;font-size:1em}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:0 .8rem}
details[open]{padding-bottom:.4rem}
summary{cursor:pointer;padding:.35rem 0;color:var(--soft);font-size:.9rem}
summary b{color:var(--fg);font-weight:600}
summary .bad{color:var(--del-fg)}
summary .plus{color:var(--add-fg)}
summary .minus{color:var(--del-fg)}
.label{font-size:.75rem;color:var(--soft);margin:.6rem 0 -.2rem}
.note,.end{color:var(--soft);font-size:.88rem;margin:.6rem 0}
.cut{color:var(--warn);font-size:.88rem}
.reasoning{color:var(--soft);white-space:pre-wrap}
.diff span{display:block;min-height:1.45em}
.diff .add{background:var(--add);color:var(--add-fg)}
.diff .del{background:var(--del);color:var(--del-fg)}
.diff .at{color:var(--soft)}
.k{color:var(--kw)}.s{color:var(--str)}.n{color:var(--num)}.c{color:var(--com);font-style:italic}.f{color:var(--fn)}
nav{max-width:52rem;width:100%;margin:3rem auto 0;padding:0 1.2rem;font-size:.88rem}
nav h2{font-size:1rem}
nav ol{padding:0;margin:0;list-style:none}
nav li a{display:block;padding:.15rem 0;text-decoration:none;color:var(--fg)}
nav li a:hover{color:var(--mark)}
nav li span{color:var(--soft);display:inline-block;min-width:2.2em;font-variant-numeric:tabular-nums}
footer{padding-top:2rem;padding-bottom:3rem}
@media (min-width:76rem){body{grid-template-columns:18rem minmax(0,1fr);column-gap:1rem}nav{grid-column:1;grid-row:1/span 4;position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;margin:0;padding:2.5rem 1rem 1rem}header,main,footer{grid-column:2}header a.to-turns{display:none}}
@media print{body{display:block;font-size:10.5pt}nav,header a.to-turns{display:none}pre{max-height:none;white-space:pre-wrap;overflow-wrap:anywhere}details{break-inside:auto}details::details-content{content-visibility:visible;display:block}section.turn>h2,summary{break-after:avoid}}
`;

/** The hash for the Content-Security-Policy, so that the page allows no other style sheet. */
const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`;

const POLICY = `default-src 'none'; img-src data:; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;
