/** Prints finished output in words, in order, each item once: the counterpart of `printer.ts` for plain mode. */
import { plainText } from '../../commands/pages/page.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Print } from '../controller/view.ts';
import { shellRun } from '../print/content.ts';
import { promptText, renderEntry } from '../print/entry.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import type { Printer, PrinterOptions } from '../print/printer.ts';
import { reveal, sanitize, sanitizeLine } from '../print/sanitize.ts';
import type { EntryOptions } from '../print/toolResult.ts';
import { withoutDrawings } from './asciiSigns.ts';
import { plainTheme } from './markdownWords.ts';
import { outputWords, toolWords } from './toolWords.ts';

/** Wider than any line: the terminal wraps. */
const ENDLESS = 100_000;
const SHELL_LINES = 40;

interface WordsOptions extends PrinterOptions {
  readonly words: MarkdownRenderer;
  /** True for a prompt that the terminal has already echoed. */
  readonly isEchoed: (text: string) => boolean;
  /** True for a call whose preview was read out for approval, so that its changes are known. */
  readonly isHeard: (callId: string) => boolean;
}

export function createWordsPrinter(options: WordsOptions): Printer {
  const calls = new Map<string, JSONLEntry['tool']>();
  const words: MarkdownRenderer = options.words;
  const said = (text: string): string => words(text, { width: ENDLESS, theme: plainTheme });
  const entryOptions = (): EntryOptions => ({
    width: ENDLESS,
    theme: plainTheme,
    markdown: (text) => `ClawdCode: ${said(text)}`,
    tools: (id) => calls.get(id),
    showReasoning: options.showReasoning(),
    seqOf: (uuid) => options.entries?.().find((one) => one.uuid === uuid)?.seq,
  });
  const entryWords = (entry: JSONLEntry): string | undefined => {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    const { toolResult } = entry;
    if (toolResult !== undefined) {
      const text = toolWords(toolResult, {
        cwd: entry.cwd,
        call: calls.get(toolResult.id),
        markdown: said,
        isHeard: options.isHeard(toolResult.id),
      });
      calls.delete(toolResult.id);
      return text;
    }
    if (entry.type === 'user' && (entry.subtype === undefined || entry.subtype === 'prompt')) {
      const text = promptText(entry);
      return entry.isCompactSummary === true || options.isEchoed(text)
        ? undefined
        : `You: ${sanitize(text).trim()}`;
    }
    if (entry.type === 'user' && entry.subtype === 'shell') return shellWords(entry);
    const text = renderEntry(entry, entryOptions());
    return text === undefined ? undefined : withoutMarks(text);
  };
  const renderOne = (print: Print): string | undefined => {
    switch (print.type) {
      case 'entry':
        return entryWords(print.entry);
      case 'markdown':
        if (print.text.trim() === '') return undefined;
        return print.first ? `ClawdCode: ${said(print.text)}` : said(print.text);
      case 'reads':
        return print.entries.flatMap((entry) => entryWords(entry) ?? []).join('\n');
      // Already on the terminal, as typed.
      case 'command':
        return undefined;
      case 'page':
        return withoutDrawings(sanitize(reveal(plainText(print.page))));
      case 'notice':
        return noticeWords(print.level, print.text);
    }
  };
  return {
    render: (prints) =>
      prints
        .flatMap((print) => renderOne(print) ?? [])
        .filter((text) => text.trim() !== '')
        .map((text) => `${text.replace(/[ \t]+$/gm, '')}\n`)
        .join(''),
  };
}

/** A message of the program; the level becomes a word. */
function noticeWords(level: 'info' | 'warning' | 'error', text: string): string {
  const clean = withoutKeys(sanitize(reveal(text)).trim());
  if (level === 'info') return clean;
  return `${level === 'error' ? 'Error' : 'Warning'}: ${clean}`;
}

/** Replaces the keys in `/help`, which are those of the full screen. */
function withoutKeys(text: string): string {
  return text.replace(/\n\nKeys\n[\s\S]*$/, `\n\n${KEYS}`);
}

const KEYS =
  'A backslash at the end of a line continues on the next. !command runs a command yourself, @path names a file. Ctrl+C interrupts, twice quits; Ctrl+D quits too.';

function shellWords(entry: JSONLEntry): string {
  const { command, output } = shellRun(entry);
  return [`You ran: ${sanitizeLine(command)}`, ...outputWords(output, SHELL_LINES, 'end')].join('\n');
}

/** Removes leading symbols, which only add colour to what the sentence says. */
function withoutMarks(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*[⎿◇◆↪✻✎●·]\s?/, '').replace(/^! /, 'Warning: '))
    .filter((line, index, all) => line !== '' || all[index - 1] !== '')
    .join('\n')
    .trim();
}
