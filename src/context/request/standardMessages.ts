/**
 * Builds the messages of a request from a view of the log, for `ContextBuilder`. Pure: the same log and policy give the
 * same bytes. All messages are built here. Order: system, pinned instructions, summary, retained tail, the rest.
 */
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { describeImage, HEADER_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import type {
  AssistantMessage,
  ContentPart,
  Message,
  Reasoning,
  ToolCall,
  ToolMessage,
} from '../../protocol/messages.ts';
import {
  insertBlocks,
  quoteFiles,
  quoteUserMessages,
  type SnippetTexts,
} from '../compaction/summaryMessage.ts';
import { type Atom, type AtomCall, isPrompt } from '../history/atoms.ts';
import { type View, viewOf } from '../history/view.ts';
import { wellFormed } from '../tokens/truncate.ts';
import { framedNote, framedSummary, type NoteKey, withoutKey } from './systemNotes.ts';
import {
  type Framing,
  framedInstructions,
  framedMessage,
  framedPrompt,
  framedSummaryApart,
} from './untrustedText.ts';

/** Everything besides the log that affects how messages are built. */
export interface ProjectionPolicy {
  /** True if the endpoint expects earlier reasoning to be sent back. */
  readonly returnsReasoning?: boolean;
  /** Images of entries through this seq are replaced by text; absent = every image is sent. */
  readonly imagesHiddenThrough?: number | undefined;
  /** File snippets of summaries, by hash. */
  readonly snippets?: SnippetTexts;
  /** Cache of messages by entry, so that a long session does not rebuild them at each step. */
  readonly memo?: Memo<JSONLEntry, Message>;
  /** Cache of messages by atom, with the replacements used to build them. */
  readonly atomMemo?: Memo<Atom, BuiltAtom>;
}

/** A cache that may drop entries at any time; dropped messages are rebuilt identically. */
export interface Memo<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

export interface BuiltAtom {
  readonly replacements: unknown;
  readonly messages: readonly Message[];
}

/** Replaces a result that never arrived: the model must not assume that the call had no effect. */
export const INTERRUPTED_RESULT =
  'Interrupted: the program was stopped while this call ran. It may or may not have taken effect; it is not run again by itself. Check before relying on it or repeating it.';

/** The messages of the next request, without tools. */
export function projectMessages(entries: readonly JSONLEntry[], policy: ProjectionPolicy = {}): Message[] {
  return convertToStandardMessages(viewOf(entries), policy);
}

/** Converts a view, which need not be in the log, to provider-neutral messages. */
export function convertToStandardMessages(view: View, policy: ProjectionPolicy = {}): Message[] {
  const messages: Message[] = [];
  if (view.systemPrompt !== '') messages.push({ role: 'system', content: wellFormed(view.systemPrompt) });
  for (const entry of view.instructions) messages.push(userMessage(entry, view, policy));
  if (view.summary !== undefined) messages.push(summaryMessage(view.summary, view, policy));
  for (const atom of view.atoms) messages.push(...renderAtom(atom, view, policy));
  return messages;
}

/** The parts of a view that affect how an atom is rendered. */
type AtomView = Pick<View, 'replacements'> & Framing;

/** The messages of one atom; none for an empty reply. */
export function renderAtom(atom: Atom, view: AtomView, policy: ProjectionPolicy): readonly Message[] {
  const { replacements } = view;
  const known = policy.atomMemo?.get(atom);
  if (known?.replacements === replacements) return known.messages;
  const messages = buildAtom(atom, view, policy);
  policy.atomMemo?.set(atom, { replacements, messages });
  return messages;
}

function buildAtom(atom: Atom, view: AtomView, policy: ProjectionPolicy): Message[] {
  if (atom.kind === 'user') {
    if (atom.head.subtype === 'reduction' && atom.head.message.content === '') return [];
    const message = userMessage(atom.head, view, policy);
    return message.content.length === 0 ? [] : [message];
  }
  const message = assistantMessage(atom, view, policy);
  if (message.toolCalls.length === 0 && message.content.trim() === '') return [];
  return [
    message,
    ...atom.calls.map((call, index) => toolMessage(call, message.toolCalls[index]?.id ?? '', view, policy)),
  ];
}

function userMessage(entry: JSONLEntry, framing: Framing, policy: ProjectionPolicy): Message {
  const { noteKey } = framing;
  return remember(entry, policy, () => {
    const content = contentOf(entry);
    if (typeof content !== 'string') {
      const parts = content.map((part) =>
        part.type === 'text' ? { ...part, text: textOfPart(part.text, entry, framing) } : part,
      );
      const isHidden = entry.seq <= (policy.imagesHiddenThrough ?? -1);
      return { role: 'user', content: isHidden ? withoutImages(parts) : parts };
    }
    if (entry.subtype === 'instructions')
      return { role: 'user', content: framedInstructions(content, entry, framing) };
    return {
      role: 'user',
      content: isNote(entry, content, noteKey)
        ? framedMessage(content, entry, framing)
        : framedPrompt(content, entry, framing),
    };
  });
}

/** With a key, only the user's prompts stay outside a frame: the output of a `!command` is not the user's text. */
function isNote(entry: JSONLEntry, content: string, noteKey: NoteKey): boolean {
  if (isPrompt(entry)) return false;
  return noteKey !== undefined || (entry.subtype !== 'shell' && !content.startsWith('<system-note>'));
}

/** The text next to an image: the user's prompt, or the name of the file that a tool has shown. */
function textOfPart(text: string, entry: JSONLEntry, framing: Framing): string {
  const { noteKey } = framing;
  return noteKey === undefined || isPrompt(entry)
    ? framedPrompt(text, entry, framing)
    : framedMessage(text, entry, framing);
}

function summaryMessage(
  entry: JSONLEntry,
  { userMessages, noteKey, keepsApart }: Pick<View, 'userMessages'> & Framing,
  policy: ProjectionPolicy,
): Message {
  const known = policy.memo?.get(entry);
  // The count differs if the user dropped a quoted message.
  if (known !== undefined && quotedIn.get(known) === userMessages.length) return known;
  const content = contentOf(entry);
  const text = typeof content === 'string' ? content : '';
  const blocks = {
    messages: quoteUserMessages(userMessages),
    // File names may contain lone surrogates.
    files: wellFormed(quoteFiles(entry.compactMetadata?.snippets ?? [], policy.snippets ?? new Map())),
  };
  const isApart = noteKey !== undefined && keepsApart === true;
  const message: Message = {
    role: 'user',
    content: isApart
      ? framedSummaryApart(wellFormed(text), blocks, noteKey)
      : framedSummary(wellFormed(insertBlocks(text, [blocks.messages, blocks.files])), noteKey),
  };
  quotedIn.set(message, userMessages.length);
  policy.memo?.set(entry, message);
  return message;
}

/** Number of user messages that a summary message quotes. */
const quotedIn = new WeakMap<Message, number>();

function assistantMessage(atom: Atom, { noteKey }: AtomView, policy: ProjectionPolicy): AssistantMessage {
  const { head } = atom;
  const known = policy.memo?.get(head);
  if (known?.role === 'assistant' && known.toolCalls.length === atom.calls.length) return known;
  const content = head.type === 'assistant' ? contentOf(head) : '';
  const reasoning = policy.returnsReasoning === true ? head.message.reasoning : undefined;
  const message: AssistantMessage = {
    role: 'assistant',
    content: typeof content === 'string' ? withoutKey(content, noteKey) : '',
    ...(reasoning === undefined ? {} : { reasoning: reasoning as Reasoning }),
    toolCalls: toolCalls(atom.calls),
  };
  policy.memo?.set(head, message);
  return message;
}

/** Makes call ids unique within a reply; otherwise results could not be matched to calls. */
function toolCalls(calls: readonly AtomCall[]): ToolCall[] {
  const used = new Set<string>();
  return calls.map(({ call }) => {
    const { id: given = '', name = '', arguments: text, input } = call.tool ?? {};
    const base = given === '' ? 'call' : given;
    let id = base;
    for (let count = 2; used.has(id); count++) id = `${base}-${count}`;
    used.add(id);
    return { id, name, arguments: jsonObject(wellFormed(text ?? JSON.stringify(input ?? {}))) };
  });
}

/** Arguments as a JSON object, which servers require; other text (from an old or foreign log) is wrapped in one. */
function jsonObject(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Not JSON: keep the text as a value.
  }
  return JSON.stringify({ input: text });
}

function toolMessage(
  { call, result }: AtomCall,
  toolCallId: string,
  { replacements, noteKey }: AtomView,
  policy: ProjectionPolicy,
): ToolMessage {
  const name = call.tool?.name ?? '';
  if (result === undefined)
    return { role: 'tool', toolCallId, name, content: INTERRUPTED_RESULT, isError: true };
  const replacement = replacements.get(result.uuid);
  const known = policy.memo?.get(result);
  if (known?.role === 'tool' && replacement === undefined) return known;
  const { output, status, permission } = result.toolResult ?? { output: '' };
  const text = withoutKey(
    wellFormed(replacement ?? (typeof output === 'string' ? output : (JSON.stringify(output) ?? ''))),
    noteKey,
  );
  // What the user says about a call, which a tool could imitate in its own result.
  const isUsersWord = status === 'denied' && permission?.basis === 'user' && replacement === undefined;
  const message: ToolMessage = {
    role: 'tool',
    toolCallId,
    name,
    content: isUsersWord && noteKey !== undefined ? framedNote(text, noteKey) : text,
    isError: status === 'error' || status === 'denied' || status === 'interrupted',
  };
  // Do not cache a replaced output: compaction also renders views that it then discards.
  if (replacement === undefined) policy.memo?.set(result, message);
  return message;
}

function remember(entry: JSONLEntry, { memo }: ProjectionPolicy, build: () => Message): Message {
  const known = memo?.get(entry);
  if (known !== undefined) return known;
  const message = build();
  memo?.set(entry, message);
  return message;
}

/** Replaces images by a description for models without image support, so that references to them make sense. */
function withoutImages(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : hiddenImage(part.data))).join('\n');
}

function hiddenImage(data: string): string {
  const header = readImageHeader(Buffer.from(data.slice(0, (HEADER_BYTES / 3) * 4), 'base64'));
  const facts = header === undefined ? '' : ` (${describeImage(header)})`;
  return `[An image${facts} that is not shown: this model or its server did not take it.]`;
}

/** The size of an entry's images as they are sent. */
export function imageBytes(entry: JSONLEntry): number {
  const content = contentOf(entry);
  if (typeof content === 'string') return 0;
  return content.reduce((sum, part) => sum + (part.type === 'image' ? part.data.length : 0), 0);
}

const partsSchema = z.array(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
  ]),
);

function contentOf(entry: JSONLEntry): string | readonly ContentPart[] {
  const { content } = entry.message;
  if (typeof content === 'string') return wellFormed(content);
  const parts = partsSchema.safeParse(content);
  if (!parts.success) return wellFormed(JSON.stringify(content) ?? '');
  return parts.data.map((part) => (part.type === 'text' ? { ...part, text: wellFormed(part.text) } : part));
}
