/**
 * Attaches the files and folders that a prompt mentions as `@path`: read with the Read tool, under its rules and in its
 * form, when the prompt is sent. What does not exist stays text.
 */
import { isAbsolute, join, resolve } from 'node:path';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { MentionSource } from '../../protocol/extensions/skills.ts';
import type { Message } from '../../protocol/messages.ts';
import type { Attachment, PromptOp } from '../../protocol/ops.ts';
import type { Access, PermissionDecision, PermissionMode } from '../../protocol/permissions.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { PreparedCall, ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { areInside, kindOf, listFolder } from '../../tools/files/similarNames.ts';
import { attachmentEntry, promptText } from '../prompts/promptQueue.ts';
import type { Toolset } from '../toolset/toolset.ts';

/** Additional mentions in a prompt stay text, and the model is told. */
const MAX_MENTIONS = 20;
/** Maximum characters of all attachments of a prompt; also at most a quarter of the context window. */
const MAX_CHARACTERS = 300_000;
const SHARE_OF_WINDOW = 0.25;
/** A conservative estimate, for the share of the context window. */
const CHARACTERS_PER_TOKEN = 3;
/** With less room, not even the beginning of a file is attached. */
const MIN_CHARACTERS = 500;

export interface AttachPorts {
  readonly toolset: Pick<Toolset, 'find'>;
  readonly toolContext: (signal: AbortSignal) => ToolContext;
  readonly decide: (tool: string, access: Access, mode: PermissionMode) => Promise<PermissionDecision>;
  /** The user's home directory, for `~`. */
  readonly home: string;
  /** False for prompts of scripts, which may contain text from others: only files that need no approval are attached. */
  readonly isFromUser: boolean;
  readonly windowTokens: () => number;
  /** The contents of the next request. */
  readonly entries: () => readonly JSONLEntry[];
  readonly messages: () => readonly Message[];
}

/** A mention, and whether the user made it. */
interface Wanted {
  readonly mention: Mention;
  /** True for a mention by the repository or the model: it must be in the project and need no approval. */
  readonly onlyInProject: boolean;
}

/** Adds what the prompt mentions. Never rejects. */
export async function attachFiles(
  prompt: PromptOp,
  signal: AbortSignal,
  ports: AttachPorts,
): Promise<PromptOp> {
  const wanted = wantedBy(prompt);
  const read = ports.toolset.find(toolNames.read);
  if (wanted.length === 0 || read === undefined) return prompt;
  const attachments: Attachment[] = [...(prompt.attachments ?? [])];
  let room = roomFor(ports.windowTokens()) - lengthOf(prompt);
  for (const one of wanted) {
    if (signal.aborted) break;
    const found = await attachmentOf(one, room, signal, ports).catch(() => undefined);
    if (found === undefined || isDuplicate(found, attachments, prompt)) continue;
    if (attachments.length >= MAX_MENTIONS) {
      attachments.push(
        refusal({ path: found.path, title: found.title }, `more than ${MAX_MENTIONS} at once`),
      );
      break;
    }
    attachments.push(found);
    room -= found.text.length;
  }
  return attachments.length === 0 ? prompt : { ...prompt, attachments };
}

/** Maximum characters of all attachments of a prompt. */
export function roomFor(windowTokens: number): number {
  return Math.floor(Math.min(MAX_CHARACTERS, windowTokens * SHARE_OF_WINDOW * CHARACTERS_PER_TOKEN));
}

/** Characters of what is attached to a prompt. */
export function lengthOf({ attachments = [] }: PromptOp): number {
  return attachments.reduce((sum, { text }) => sum + text.length, 0);
}

/** Cuts what came with a prompt: the text of a server's prompt. */
export function withinRoom(prompt: PromptOp, room: number): PromptOp {
  if (lengthOf(prompt) <= room) return prompt;
  const attachments = (prompt.attachments ?? []).map((one) => {
    const text = `${one.text.slice(0, room).toWellFormed()}\n(The rest is left out.)`;
    return one.text.length <= room ? one : { ...one, text };
  });
  return { ...prompt, attachments };
}

/** Returns the entries of the files that the text of a skill mentions. Never rejects. */
export async function attachedEntries(
  mentionSource: MentionSource,
  signal: AbortSignal,
  ports: AttachPorts,
): Promise<readonly NewEntry[]> {
  const { attachments = [] } = await attachFiles({ type: 'prompt', text: '', mentionSource }, signal, ports);
  return attachments.map(attachmentEntry);
}

/** Mentions in pasted or piped text are ignored: anyone may have written it. */
function wantedBy({ typed, display, text, mentionSource }: PromptOp): readonly Wanted[] {
  const ofUser = mentionsIn(typed ?? display ?? text).map((mention) => ({ mention, onlyInProject: false }));
  const ofSkill = mentionsIn(mentionSource?.text ?? '').map((mention) => ({
    mention,
    onlyInProject: mentionSource?.onlyInProject === true,
  }));
  return [...ofUser, ...ofSkill];
}

/** True for a file that is already attached, or an image that the screen has already attached. */
function isDuplicate(
  { title, images = [], isImage }: Attachment,
  before: readonly Attachment[],
  prompt: PromptOp,
): boolean {
  const has = [...(prompt.images ?? []), ...before.flatMap((one) => one.images ?? [])];
  if (
    isImage === true &&
    (prompt.images ?? []).length > 0 &&
    images.every(({ data }) => has.some((one) => one.data === data))
  )
    return true;
  return before.some((one) => one.title === title);
}

async function attachmentOf(
  { mention, onlyInProject }: Wanted,
  room: number,
  signal: AbortSignal,
  ports: AttachPorts,
): Promise<Attachment | undefined> {
  const context = ports.toolContext(signal);
  for (const { path, lines } of spellings(mention)) {
    for (const absolute of placesOf(path, context, ports.home)) {
      const kind = await kindOf(absolute);
      if (kind === undefined || (kind === 'folder' && lines !== undefined)) continue;
      const input = {
        file_path: absolute,
        ...(lines && { offset: lines.first, limit: lines.last - lines.first + 1 }),
      };
      const prepared = await ports.toolset.find(toolNames.read)?.prepare(input, context);
      if (prepared?.type !== 'ready') return undefined;
      const title = kind === 'folder' ? `${prepared.title.replace(/\/$/, '')}/` : prepared.title;
      const about = { path: absolute, title };
      const why = await reasonAgainst(prepared, onlyInProject, context, ports);
      if (why !== undefined) return refusal(about, why);
      if (kind === 'folder') return { ...about, outcome: 'listed', ...(await listingOf(prepared, title)) };
      return fileOf(about, await prepared.run({ basis: 'user' }), room, ports);
    }
  }
  return undefined;
}

/** Relative names are resolved in the shell's directory, then in the project. */
function placesOf(path: string, { cwd, root }: ToolContext, home: string): readonly string[] {
  if (path.startsWith('~/')) return [join(home, path.slice(2))];
  return isAbsolute(path) ? [path] : [...new Set([resolve(cwd(), path), resolve(root, path)])];
}

type Ready = Extract<PreparedCall, { type: 'ready' }>;

/**
 * Why something is not attached. The rules apply as to a Read call, whatever the mode allows. A mention by the user
 * approves files outside the project, but not files that may hold secrets, or that an ask rule covers.
 */
async function reasonAgainst(
  { access }: Ready,
  onlyInProject: boolean,
  { root }: ToolContext,
  { decide, isFromUser }: AttachPorts,
): Promise<string | undefined> {
  if (access.type !== 'read') return 'it cannot be read';
  const isBelow = areInside(access.realPaths ?? access.paths, root);
  if (onlyInProject && !isBelow) return 'it is outside the project';
  const { behavior, causes, rule, reason } = await decide(toolNames.read, access, 'default');
  if (behavior === 'allow') return undefined;
  const isSecret = causes?.some((cause) => cause.type === 'limit' && cause.isSecret === true) ?? true;
  if (isSecret && rule === undefined && behavior === 'ask') return 'it may hold secrets';
  if (behavior === 'ask' && rule === undefined && isFromUser && !onlyInProject) return undefined;
  return reason.replace(/\.$/, '');
}

function refusal(about: Pick<Attachment, 'path' | 'title'>, why: string): Attachment {
  return { ...about, outcome: 'refused', summary: why, text: `(@${about.title} is not attached: ${why}.)` };
}

async function listingOf({ access }: Ready, title: string): Promise<Pick<Attachment, 'text' | 'summary'>> {
  const [path = ''] = access.type === 'read' ? (access.realPaths ?? access.paths) : [];
  const { text, summary } = await listFolder(path);
  return { summary, text: `The names in @${title}:\n${text}` };
}

function fileOf(
  about: Pick<Attachment, 'path' | 'title'>,
  { status, text, display, filesRead, images = [] }: ToolOutcome,
  room: number,
  ports: AttachPorts,
): Attachment | undefined {
  const { summary = '' } = display;
  if (status === 'error') return refusal(about, summary === '' ? 'it cannot be read' : summary);
  const isImage = filesRead === undefined && /^image, /.test(summary);
  const known = { ...about, ...(filesRead && { filesRead }), ...(isImage && { isImage }) };
  if (!isImage && isInContext(about.path, text, ports))
    return {
      ...known,
      outcome: 'unchanged',
      summary: 'unchanged, already in the context',
      text: `(@${about.title} is unchanged since it was last shown above.)`,
    };
  const head = `The content of @${about.title}, as Read shows it:`;
  if (text.length <= room)
    return {
      ...known,
      ...{ outcome: 'read', summary, text: `${head}\n${text}` },
      ...(images.length > 0 && { images: images.map(({ image }) => image) }),
    };
  const cut = firstLines(text, room);
  if (cut.lines === 0) return refusal(about, 'it is too large to add; Read shows parts of it');
  return {
    ...known,
    outcome: 'read',
    summary: `first ${cut.lines} lines`,
    text: `${head}\n${cut.text}\n(The rest is left out; Read shows it.)`,
  };
}

function firstLines(text: string, room: number): { readonly text: string; readonly lines: number } {
  const end = room < MIN_CHARACTERS ? 0 : text.lastIndexOf('\n', room);
  const head = text.slice(0, Math.max(0, end));
  return { text: head, lines: head === '' ? 0 : head.split('\n').length };
}

/** True if the model still sees exactly this text of this file. */
function isInContext(path: string, text: string, { entries, messages }: AttachPorts): boolean {
  const isShown = entries().some(({ toolResult, subtype, data, message }) => {
    if (subtype === 'attachment') return data?.path === path && promptText(message.content).includes(text);
    const isOfFile = toolResult?.filesRead?.some((file) => file.path === path) === true;
    return isOfFile && String(toolResult?.output).includes(text);
  });
  return isShown && messages().some(({ content }) => promptText(content).includes(text));
}

/** A file or folder that a text names after `@`. */
interface Mention {
  /** As written, without quotes and lines. */
  readonly path: string;
  /** First and last line, from 1; absent = the whole file. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** A name in quotes may contain spaces. Not after a letter or digit, as in me@example.org. */
const mention = /(?<![\w.+\-/@])@(?:"([^"\n]+)"(#L\d+(?:-L?\d+)?)?|([^\s"'`<>|]+))/g;

/** The mentions of a text, each once, in order. A name may still end in punctuation: see `spellings`. */
export function mentionsIn(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [, quoted, quotedLines = '', bare] of text.matchAll(mention)) {
    const written = quoted === undefined ? (bare ?? '') : quoted + quotedLines;
    const one = withLines(written);
    // Without a letter or digit it is punctuation, such as a lone `@.`.
    if (/[\p{L}\p{N}]/u.test(one.path)) found.set(written, one);
  }
  return [...found.values()];
}

/** The mention as written, then without trailing punctuation. */
export function spellings(one: Mention): readonly Mention[] {
  const bare = one.path.replace(/[.,;:!?)\]}'"…]+$/, '');
  if (one.lines !== undefined || bare === one.path || bare === '') return [one];
  return [one, withLines(bare)];
}

/** Splits off `#L10` or `#L10-20`. */
function withLines(written: string): Mention {
  const [, path = '', first = '', last = first] = /^(.+?)#L(\d+)(?:-L?(\d+))?$/.exec(written) ?? [];
  if (path === '') return { path: written };
  const [from, to] = [Number(first), Number(last)];
  return from < 1 || to < from ? { path: written } : { path, lines: { first: from, last: to } };
}
