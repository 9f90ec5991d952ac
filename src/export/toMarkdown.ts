/** A session as Markdown: prompts quoted, replies verbatim, calls collapsed. */
import { reveal } from '../protocol/text/reveal.ts';
import { toolNames } from '../protocol/toolNames.ts';
import { callLine, firstLine, languageOf, plainLine, plainText } from './items.ts';
import type { ExportItem, ExportMeta } from './types.ts';

export async function* toMarkdown(
  items: AsyncIterable<ExportItem>,
  meta: ExportMeta,
): AsyncGenerator<string> {
  yield `# ${inline(meta.title)}\n\n`;
  const facts = [
    `Session ${code(meta.sessionId)}`,
    ...(meta.project === undefined ? [] : [`of ${code(meta.project)}`]),
    `exported on ${meta.exportedAt.toISOString().slice(0, 10)} by ClawdCode ${meta.programVersion}`,
  ];
  yield `${facts.join(', ')}.\n`;
  for await (const item of items) yield `\n${blockOf(item)}`;
}

function blockOf(item: ExportItem): string {
  switch (item.type) {
    case 'turn': {
      const images = item.images.map(({ mediaType }) => `\n>\n> *[an image, ${inline(mediaType)}]*`).join('');
      return `## ${item.number}. ${inline(firstLine(item.text, 80))}\n\n*${item.timestamp.slice(0, 16).replace('T', ' ')} UTC*\n\n${quote(plainText(item.text))}${images}\n`;
    }
    case 'reply': {
      const reasoning =
        item.reasoning === undefined ? '' : `${folded('Reasoning', quote(plainText(item.reasoning)))}\n`;
      const cut = item.cut === undefined ? '' : `\n*(${item.cut})*\n`;
      return `${reasoning}${plainText(item.text).trim()}\n${cut}`;
    }
    case 'call':
      return folded(titleOf(item), callBody(item));
    case 'shell': {
      const output = item.output === undefined ? '' : `\n${fenced(item.output, '')}`;
      return folded(
        `You ran ${callLine(item.command, toolNames.bash)}`,
        `${fenced(reveal(item.command, true), 'sh')}${output}`,
      );
    }
    case 'note':
      return item.body === undefined ? `*${inline(item.text)}*\n` : folded(item.text, fenced(item.body, ''));
    case 'end':
      return item.outcome === 'done' ? '' : `*The turn ended: ${inline(item.outcome)}.*\n`;
  }
}

function titleOf({ tool, title, summary, status }: Extract<ExportItem, { type: 'call' }>): string {
  const outcome = status === 'ok' ? '' : ` (${status})`;
  return `${callLine(title, tool)}${summary === undefined ? '' : ` · ${plainLine(summary)}`}${outcome}`;
}

function callBody({ tool, input, output, diff, title }: Extract<ExportItem, { type: 'call' }>): string {
  const parts = [`${code(tool)}\n\n${fenced(reveal(JSON.stringify(input, undefined, 2)), 'json')}`];
  if (diff !== undefined) parts.push(fenced(diff, 'diff'));
  else if (output !== undefined) parts.push(fenced(output, tool === toolNames.read ? languageOf(title) : ''));
  return parts.join('\n');
}

function folded(summary: string, body: string): string {
  return `<details>\n<summary>${escapeTags(plainLine(summary))}</summary>\n\n${body}\n</details>\n`;
}

/** A fence that is longer than any inside the text. */
function fenced(text: string, language: string): string {
  const body = plainText(text);
  const longest = longestRun(body, 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}${body.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

function code(text: string): string {
  const line = plainLine(text);
  const longest = longestRun(line, 0);
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${line}${marks}` : `${marks} ${line} ${marks}`;
}

/** One line in which nothing is interpreted as markup. */
function inline(text: string): string {
  return escapeTags(plainLine(text)).replace(/[\\`*_{}[\]#|~]/g, '\\$&');
}

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The length of the longest run of backticks, but at least `least`. */
function longestRun(text: string, least: number): number {
  let longest = least;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
