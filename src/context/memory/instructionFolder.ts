/** The instruction files of one folder: which names count, and in which order. */
import { basename, join } from 'node:path';
import type { InstructionReader, Origin, ReadInstruction } from './InstructionReader.ts';
import { hashOf } from './instructions.ts';
import type { PresentNames } from './PresentNames.ts';
import { appliesTo, readRule, ruleFilesIn } from './ruleFiles.ts';

const OPEN_NAME = 'AGENTS.md';
const CLAUDE_NAME = 'CLAUDE.md';

/** Only the first existing file of a directory is used; the names of other agents are fallbacks. */
export const INSTRUCTION_NAMES = [OPEN_NAME, CLAUDE_NAME, 'GEMINI.md', 'QWEN.md'] as const;

/** Personal instructions next to the shared ones; never a replacement for them. */
export const LOCAL_NAME = 'CLAUDE.local.md';
export const CLAUDE_FOLDER = '.claude';

/** A folder to look for instructions in. */
export interface Folder {
  readonly path: string;
  readonly origin: Extract<Origin, 'user' | 'repository'>;
  /** The folder that `paths:` of its rule files is relative to; absent = its rule files are not used. */
  readonly rulesFor?: string;
}

export interface Finder {
  readonly reader: InstructionReader;
  readonly names: PresentNames;
}

/** The instruction files of a folder, in order: the shared ones, the personal one, the rules. */
export async function filesOf(
  { path, origin, rulesFor }: Folder,
  { reader, names }: Finder,
  touched: readonly string[],
  known: ReadonlySet<string>,
): Promise<readonly ReadInstruction[]> {
  const isClaudes = basename(path) === CLAUDE_FOLDER;
  const claude = isClaudes ? path : join(path, CLAUDE_FOLDER);
  const [present, inClaude] = await Promise.all([
    names.in(path),
    isClaudes ? Promise.resolve<readonly string[]>([]) : names.in(claude),
  ]);
  const read = (folder: string, name: string) => reader.read(join(folder, name), origin);
  const main = await firstOf(present, (name: string) => read(path, name));
  // Claude Code reads both of its places.
  const usesClaudes = main === undefined || basename(main.path) !== OPEN_NAME;
  const [second, local, rules] = await Promise.all([
    usesClaudes && inClaude.includes(CLAUDE_NAME) ? read(claude, CLAUDE_NAME) : undefined,
    present.includes(LOCAL_NAME) ? read(path, LOCAL_NAME) : undefined,
    rulesFor === undefined
      ? []
      : rulesIn(join(claude, 'rules'), origin, { reader, rulesFor, touched, known }),
  ]);
  // What is only a fallback for CLAUDE.md gives way to the one in `.claude`, too.
  const isReplaced = second !== undefined && main !== undefined && basename(main.path) !== CLAUDE_NAME;
  return [isReplaced ? undefined : main, second, local, ...rules].filter((file) => file !== undefined);
}

async function firstOf(
  names: readonly string[],
  read: (name: string) => Promise<ReadInstruction | undefined>,
): Promise<ReadInstruction | undefined> {
  const files = await Promise.all(names.filter((name) => name !== LOCAL_NAME).map(read));
  return files.find((file) => file !== undefined);
}

/**
 * The rule files that apply: those without `paths:`, those that match a touched file, and those that the model already
 * has.
 */
async function rulesIn(
  folder: string,
  origin: Folder['origin'],
  use: {
    readonly reader: InstructionReader;
    readonly rulesFor: string;
    readonly touched: readonly string[];
    readonly known: ReadonlySet<string>;
  },
): Promise<readonly ReadInstruction[]> {
  const paths = await ruleFilesIn(folder);
  const files = await Promise.all(paths.map((path) => use.reader.read(path, origin)));
  return files.flatMap((file) => {
    if (file === undefined) return [];
    const { body, paths: patterns } = readRule(file.text);
    const applies =
      patterns === undefined || use.known.has(file.path) || appliesTo(patterns, use.touched, use.rulesFor);
    return applies && body.trim() !== '' ? [{ ...file, text: body, hash: hashOf(body) }] : [];
  });
}
