/** The parts of a turn as HTML. */
import { toolNames } from '../../protocol/toolNames.ts';
import { languageOf } from '../languageOf.ts';
import { plainLine } from '../plainText.ts';
import type { ExportItem } from '../types.ts';
import { diffOf } from './diffOf.ts';
import { escapeHtml } from './escapeHtml.ts';
import { type Highlighter, loadHighlighter } from './highlight.ts';
import { loadMarkdown } from './markdown.ts';

type Of<T extends ExportItem['type']> = Extract<ExportItem, { type: T }>;

export interface Blocks {
  reply(item: Of<'reply'>): string;
  call(item: Of<'call'>): string;
  shell(item: Of<'shell'>): string;
  note(item: Of<'note'>): string;
}

export async function createBlocks(): Promise<Blocks> {
  const highlight = await loadHighlighter();
  const markdown = await loadMarkdown(highlight);
  return {
    reply({ text, reasoning, cut }) {
      const thought =
        reasoning === undefined
          ? ''
          : `<details><summary>Reasoning</summary><div class="reasoning" dir="auto">${escapeHtml(reasoning)}</div></details>\n`;
      const end =
        cut === undefined
          ? ''
          : `<p class="cut">This reply was ${cut === 'failed' ? 'cut off' : 'stopped'}.</p>\n`;
      return `${thought}<div class="reply">${markdown(text)}</div>\n${end}`;
    },
    call: (item) => callOf(item, highlight),
    shell({ command, output }) {
      const shown = output === undefined ? '' : pre(output);
      return `<details><summary><b>You ran</b> <code>${escapeHtml(plainLine(command))}</code></summary>${pre(command)}${shown}</details>\n`;
    },
    note({ text, body }) {
      if (body === undefined) return `<p class="note" dir="auto">${escapeHtml(text)}</p>\n`;
      return `<details><summary dir="auto">${escapeHtml(text)}</summary>${pre(body)}</details>\n`;
    },
  };
}

function callOf(
  { tool, title, summary, input, output, diff, status }: Of<'call'>,
  highlight: Highlighter,
): string {
  const name = plainLine(title).startsWith(tool) ? '' : `<b>${escapeHtml(tool)}</b> `;
  const outcome = status === 'ok' ? '' : ` <span class="bad">${escapeHtml(status)}</span>`;
  const words = summary === undefined ? '' : ` · ${escapeHtml(plainLine(summary))}`;
  const head = `<summary>${name}<bdi>${escapeHtml(plainLine(title))}</bdi>${words}${countOf(diff)}${outcome}</summary>`;
  const asked = isEmpty(input) ? '' : `<p class="label">Input</p>${pre(JSON.stringify(input, undefined, 2))}`;
  const answer =
    diff === undefined ? answerOf(output, tool === toolNames.read ? title : '', highlight) : diffOf(diff);
  return `<details>${head}${asked}${answer}</details>\n`;
}

function answerOf(output: string | undefined, file: string, highlight: Highlighter): string {
  if (output === undefined || output === '') return '';
  const coloured = file === '' ? undefined : highlight(output, languageOf(file));
  return `<p class="label">Output</p>${coloured === undefined ? pre(output) : `<pre><code>${coloured}</code></pre>`}`;
}

function countOf(diff: string | undefined): string {
  if (diff === undefined) return '';
  const added = diff.match(/^\+(?!\+\+ )/gm)?.length ?? 0;
  const removed = diff.match(/^-(?!-- )/gm)?.length ?? 0;
  return ` <span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
}

function pre(text: string): string {
  return `<pre>\n${escapeHtml(text)}</pre>`;
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}
