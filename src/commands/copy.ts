import type { JSONLEntry } from '../protocol/entries.ts';
import { contentText } from '../protocol/messages.ts';
import { count, grouped } from '../protocol/text/numbers.ts';
import { unquoted } from '../protocol/text/quoteWord.ts';
import { errorNotice } from './notices.ts';
import type { Command, CommandHost, CommandResult, Copied } from './types.ts';

/** Copies an answer, or a code block of it, to the clipboard or into a file. */
export const copy: Command = {
  name: 'copy',
  aliases: [],
  description: 'copy the last answer, or a code block of it',
  argumentHint: '[2, code …]',
  needsUser: (args) =>
    readCopyArguments(args).file === undefined ? undefined : 'Redirect the output of -p to a file.',
  run: async (args, host): Promise<CommandResult> => {
    const wanted = readCopyArguments(args);
    const texts = answers(host.agent.liveEntries());
    const text = texts.at(-wanted.answer);
    if (texts.length === 0) return errorNotice('There is no answer to copy yet.');
    if (text === undefined)
      return errorNotice(`Only the newest ${count(texts.length, 'answer')} of this session can be copied.`);
    if (wanted.code === undefined) return deliver(text, answerName(wanted.answer), wanted.file, host);
    const blocks = codeBlocks(text);
    if (blocks.length === 0) return errorNotice(`${capital(answerName(wanted.answer))} has no code block.`);
    const number = wanted.code === 'any' && blocks.length === 1 ? 1 : wanted.code;
    if (number === 'any') return { type: 'notice', text: listed(blocks, wanted.answer) };
    const block = blocks[number - 1];
    if (block === undefined)
      return errorNotice(
        `There ${blocks.length === 1 ? 'is' : 'are'} ${count(blocks.length, 'code block')} in ${answerName(wanted.answer)}.`,
      );
    return deliver(
      block.code,
      blocks.length === 1 ? 'the code block' : `code block ${number}`,
      wanted.file,
      host,
    );
  },
};

interface CopyArguments {
  /** 1 = the newest answer. */
  readonly answer: number;
  /** Number of the code block, from 1; `any` = the only one. */
  readonly code?: number | 'any';
  readonly file?: string;
}

/** Parses `[N] [code [K]] [file]`; each part is optional. */
function readCopyArguments(args: string): CopyArguments {
  const [, answer, code, block, rest = ''] =
    /^(?:([1-9]\d{0,5})(?=\s|$)\s*)?(?:(code)(?=\s|$)\s*(?:([1-9]\d{0,5})(?=\s|$)\s*)?)?([\s\S]*)$/i.exec(
      args.trim(),
    ) ?? [];
  const file = unquoted(rest.trim());
  return {
    answer: answer === undefined ? 1 : Number(answer),
    ...(code === undefined ? {} : { code: block === undefined ? ('any' as const) : Number(block) }),
    ...(file === '' ? {} : { file }),
  };
}

/** Returns the text of the model's replies, oldest first; skips replies that only contain tool calls. */
function answers(entries: readonly JSONLEntry[]): string[] {
  return entries.flatMap(({ type, message }) => {
    if (type !== 'assistant') return [];
    const text = contentText(message.content).trim();
    return text === '' ? [] : [text];
  });
}

async function deliver(
  text: string,
  what: string,
  file: string | undefined,
  host: CommandHost,
): Promise<CommandResult> {
  if (file !== undefined) {
    const written = await host.writeText(text, file);
    return written.type === 'failed'
      ? errorNotice(written.message)
      : { type: 'notice', text: `Wrote ${what} to ${written.file} (${size(text)}).` };
  }
  return copiedText(await host.copyText(text), what, text);
}

/** Reports the copy without overstating it: terminals do not confirm that they accepted the text. */
function copiedText(copied: Copied, what: string, text: string): CommandResult {
  switch (copied.type) {
    case 'copied':
      return { type: 'notice', text: `Copied ${what} with ${copied.tool} (${size(text)}).` };
    case 'sent':
      return {
        type: 'notice',
        text: `Sent ${what} to the terminal for its clipboard (OSC 52, ${size(text)}). Terminals do not confirm this; if something else is pasted, use /copy FILE.`,
      };
    case 'failed':
      return errorNotice(
        `${capital(what)} was not copied: ${copied.message} /copy FILE writes it to a file.`,
      );
  }
}

function listed(blocks: readonly CodeBlock[], answer: number): string {
  const before = answer === 1 ? '' : `${answer} `;
  const rows = blocks.map(({ language, code }, index) => {
    const first =
      code
        .split('\n')
        .find((line) => line.trim() !== '')
        ?.trim() ?? '';
    const lines = count(code.split('\n').length, 'line');
    return `/copy ${before}code ${index + 1}   ${language === '' ? '' : `${language}, `}${lines}: ${first.slice(0, 60)}`;
  });
  return `There are ${blocks.length} code blocks in ${answerName(answer)}:\n${rows.join('\n')}`;
}

function answerName(answer: number): string {
  return answer === 1 ? 'the last answer' : `answer ${answer} from the end`;
}

function size(text: string): string {
  return `${count(text.split('\n').length, 'line')}, ${grouped(Buffer.byteLength(text))} bytes`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Fenced code blocks of a Markdown text. Pure. */

interface CodeBlock {
  /** The language named after the opening fence; empty if there is none. */
  readonly language: string;
  /** Without fences, without the indentation of a surrounding list, without a final line break. */
  readonly code: string;
}

/** Returns the code blocks in order; one without a closing fence extends to the end of the text. */
function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { mark: string; indent: number; language: string; lines: string[] } | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    if (open === undefined) {
      const [, before = '', mark, info = ''] = fence.exec(line) ?? [];
      if (mark !== undefined)
        open = { mark, indent: before.length, language: /^\S*/.exec(info.trim())?.[0] ?? '', lines: [] };
      continue;
    }
    const closing = line.trim();
    if (closing.length >= open.mark.length && closing === (open.mark[0] ?? '').repeat(closing.length)) {
      blocks.push(blockOf(open));
      open = undefined;
    } else open.lines.push(withoutIndent(line, open.indent));
  }
  return open === undefined ? blocks : [...blocks, blockOf(open)];
}

/** A lookahead for the white space after a mark: if two parts could match it, a line of many marks would take forever. */
const fence = /^((?:\s*(?:[-*+]|\d{1,9}[.)])(?=\s))*\s*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

function blockOf({
  language,
  lines,
}: {
  readonly language: string;
  readonly lines: readonly string[];
}): CodeBlock {
  return { language, code: lines.join('\n') };
}

function withoutIndent(line: string, most: number): string {
  let at = 0;
  while (at < most && line[at] === ' ') at += 1;
  return line.slice(at);
}
