/**
 * A session as one self-contained page: no script, no other file, nothing from the network. Everything from a model, a
 * tool or a file is escaped. The table of turns is at the end of the file, so that the page can be written while the
 * session is read; the style sheet puts it next to the text.
 */
import { firstLine } from '../plainText.ts';
import type { ExportItem, ExportMeta } from '../types.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { escapeHtml } from './escapeHtml.ts';
import { style, styleHash } from './style.ts';

const POLICY = `default-src 'none'; img-src data:; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;

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
