/**
 * What the program knows about one kind of entry: the shape of its `data`, whether the model reads it, how it is
 * shown and searched. Kinds are in `kinds/`, by subject, and listed in `entryKinds`; nothing else names all of them.
 */
import type * as z from 'zod';
import type { Envelope } from './fields.ts';

/** The shape of an entry of a kind. Fields of `data` that do not fit their kind are dropped when a line is read. */
export type EntryOf<Kind> =
  Kind extends KindDefinition<infer Subtype, infer Type, infer Data>
    ? Envelope & { type: Type; subtype: Subtype; data?: z.infer<Data> | undefined }
    : never;

/** A line for readers about what the program did. */
export interface EntryNote {
  /** One line, but for notices and errors; never sent to the model. */
  readonly text: string;
  readonly tone: 'quiet' | 'warning' | 'error';
  /** In front of it on screen: `◇` for what changes the context, `!` for what needs attention, `⎿` for everything else. */
  readonly mark: '◇' | '⎿' | '!';
  /** What to do about it, for a reader at the screen. */
  readonly hint?: string;
  /** On screen it takes one row, however long it is. */
  readonly isCut?: true;
  /** The whole text that the line only names, for exports and the transcript. */
  readonly body?: string;
  /** Where it appears; on screen and in exports unless given. */
  readonly only?: 'screen' | 'export';
}

/** A note with what to do about it. */
export function noteLine({ text, hint }: EntryNote): string {
  return hint === undefined ? text : `${text} · ${hint}`;
}

/** What a note may ask about other entries: the number of one, where it is known. */
export interface NoteContext {
  readonly seqOf: (uuid: string) => number | undefined;
}

export interface KindDefinition<
  Subtype extends string,
  Type extends 'user' | 'system',
  Data extends z.ZodType,
> {
  readonly subtype: Subtype;
  readonly type: Type;
  /** Every field is optional: a log may come from another version, or from an editor. */
  readonly data: Data;
  /** The model reads the message, on the user's side of the conversation. */
  readonly isSent: boolean;
  /** It changes how earlier entries are seen. */
  readonly reshapes?: true;
  /** Once it is old, it may be folded into the one line that stands for old steps. */
  readonly folds?: true;
  /** What stays in memory of an old part of the log: all of the kind, or the newest alone. */
  readonly stays?: 'all' | 'newest';
  /** Who said the words that can be searched; absent for bookkeeping. */
  readonly searchedAs?: 'you' | 'note' | 'title';
  /** Undefined where there is nothing to tell. */
  readonly note?: (
    entry: Envelope & { type: Type; subtype: Subtype; data?: z.infer<Data> | undefined },
    context: NoteContext,
  ) => EntryNote | undefined;
}

export function defineKind<
  const Subtype extends string,
  const Type extends 'user' | 'system',
  Data extends z.ZodType,
>(definition: KindDefinition<Subtype, Type, Data>): KindDefinition<Subtype, Type, Data> {
  return definition;
}

/** A quiet line about what the model sees of the conversation. */
export function contextNote(text: string, more: Partial<EntryNote> = {}): EntryNote {
  return { text, tone: 'quiet', mark: '◇', ...more };
}

/** The message of an entry as text; an empty string for images. */
export function contentOf({ message }: Pick<Envelope, 'message'>): string {
  return typeof message.content === 'string' ? message.content : '';
}

/** `body` of a note, where there is one. */
export function bodyOf(entry: Pick<Envelope, 'message'>): { readonly body?: string } {
  const content = contentOf(entry);
  return content.trim() === '' ? {} : { body: content };
}

/** An entry as it is pointed to everywhere; without its number where that is not known any more. */
export function pointTo(uuid: string | undefined, { seqOf }: NoteContext): string {
  const seq = uuid === undefined ? undefined : seqOf(uuid);
  return seq === undefined ? 'an earlier item' : `#${seq}`;
}
