import { type FoundMemory, type MemoryFileInfo, type MemoryScope, oneLine } from '../context/index.ts';
import { alignColumns } from './figures.ts';
import { errorNotice } from './notices.ts';
import type { Command, CommandResult, MemoryPort } from './types.ts';

const SEARCH = '/memory search [--category <name>] <words>';
const ADD = '/memory add [--project] [--category <name>] <text>';
const USAGE = `Use /memory, ${ADD}, ${SEARCH}, or /memory path to see the folders.`;

/** Shows, searches and adds to the user's memory files. */
export const memory: Command = {
  name: 'memory',
  aliases: [],
  description: 'list, search and add to memory files',
  argumentHint: '[add, search …]',
  needsUser: (args) =>
    /^add(?:\s|$)/.test(args) ? 'Write to a file in one of the folders that /memory path shows.' : undefined,
  run: async (args, { memory: port }) => {
    const [, verb = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
    switch (verb) {
      case '':
      case 'list':
        return notice(listText(await port.list(), port));
      case 'path':
        return notice(placesText(port));
      case 'search':
        return search(rest, port);
      case 'add':
        return add(rest, port);
      default:
        return errorNotice(`Unknown /memory subcommand "${oneLine(verb, 40)}". ${USAGE}`);
    }
  },
};

async function search(args: string, port: MemoryPort): Promise<CommandResult> {
  const { text: words, category, problem: misused } = readFlags(args, ['category']);
  if (misused !== undefined) return errorNotice(`${misused} ${SEARCH}`);
  if (words === '') return errorNotice(`Search for what? ${SEARCH}`);
  return notice(foundText(await port.search(words, category), port));
}

async function add(args: string, port: MemoryPort): Promise<CommandResult> {
  const { text, category, scope = 'user', problem: misused } = readFlags(args, ['category', 'scope']);
  if (misused !== undefined) return errorNotice(`${misused} ${ADD}`);
  if (text === '') return errorNotice(`Remember what? ${ADD}`);
  const saved = await port.add(text, scope, category);
  if (saved.type === 'refused') return errorNotice(saved.message);
  const where = scope === 'project' ? 'for this project' : 'for all projects';
  return notice(`Remembered ${where}, in ${saved.file}`);
}

interface Flags {
  /** The text after the flags. */
  readonly text: string;
  readonly category?: string;
  readonly scope?: MemoryScope;
  readonly problem?: string;
}

/** Parses flags before the text, in any order; the first unknown word starts the text. */
function readFlags(args: string, known: readonly ('category' | 'scope')[]): Flags {
  let flags: Flags = { text: args.trim() };
  for (;;) {
    const [all = '', scope, quoted, bare] =
      /^--(?:(project|user)|category(?:=|\s+)(?:"([^"]*)"|(?!--)(\S+)))(?:\s+|$)/.exec(flags.text) ?? [];
    if (all === '' || !known.includes(scope === undefined ? 'category' : 'scope')) break;
    const text = flags.text.slice(all.length).trim();
    const category = quoted ?? bare;
    if (scope !== undefined) flags = { ...flags, text, scope: scope === 'project' ? 'project' : 'user' };
    else if (category !== undefined) flags = { ...flags, text, category };
  }
  return /^--category(?:[\s=]|$)/.test(flags.text) ? { ...flags, problem: 'Which category?' } : flags;
}

function listText(files: readonly MemoryFileInfo[], port: MemoryPort): string {
  const lines = (['project', 'user'] as const).flatMap((scope) => {
    const own = files.filter((file) => file.scope === scope);
    if (own.length === 0) return [];
    return ['', titles[scope], ...alignColumns(own.map((file) => [file.path, countOf(file)]))];
  });
  if (lines.length === 0) return `There are no memories yet.\n\n${placesText(port)}\n\n${USAGE}`;
  return [stateOf(port), ...lines].join('\n');
}

const titles: Readonly<Record<MemoryScope, string>> = {
  project: 'For this project',
  user: 'For all projects',
};

const reasons: Readonly<Record<NonNullable<MemoryFileInfo['leftOut']>, string>> = {
  link: 'a link out of its folder',
  sensitive: 'its name suggests secrets',
  'too many': 'there are too many files',
  'too large': 'all files together are too large',
  'no file': 'it is not a regular file',
};

function countOf({ memories, leftOut, isCut }: MemoryFileInfo): string {
  if (leftOut !== undefined) return `left out: ${reasons[leftOut]}`;
  const count = memories === 1 ? '1 memory' : `${memories} memories`;
  return isCut === true ? `${count}; only its first megabyte is read` : count;
}

function stateOf({ settings: { enabled, limit, minSimilarity, category } }: MemoryPort): string {
  if (!enabled) return 'No memories are added to prompts: "context.memory.enabled" is off.';
  const most = limit === 1 ? '1 memory' : `${limit} memories`;
  const which = category === null ? '' : ` of the category "${category}"`;
  return `Up to ${most}${which} ${limit === 1 ? 'is' : 'are'} added to each prompt (similarity ${minSimilarity} or more).`;
}

function placesText({ folders }: MemoryPort): string {
  const rows = [
    [titles.project, folders.project],
    [titles.user, folders.user],
  ];
  return ['Memories are Markdown files (*.md) in these folders:', ...alignColumns(rows)].join('\n');
}

function foundText(found: readonly FoundMemory[], port: MemoryPort): string {
  if (found.length === 0) return 'No memory matches these words.';
  const { limit, minSimilarity, category } = port.settings;
  const comesAlong = (memory: FoundMemory): boolean =>
    memory.similarity >= minSimilarity &&
    (category === null || memory.category === category.trim().toLowerCase());
  const brought = new Set(found.filter(comesAlong).slice(0, limit));
  const rows = found.map((memory) => [
    brought.has(memory) ? '*' : '',
    memory.similarity.toFixed(2),
    memory.category === undefined ? memory.file : `${memory.file} [${oneLine(memory.category, 30)}]`,
    oneLine(memory.content, 90),
  ]);
  return [...alignColumns(rows), '', '* would be added to a prompt with these words'].join('\n');
}

const notice = (text: string): CommandResult => ({ type: 'notice', text });
