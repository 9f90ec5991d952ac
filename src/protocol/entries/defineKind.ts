/**
 * The definition of one kind of entry: the shape of its `data`, what the model sees of it, how it is shown and
 * searched. Kinds are in `kinds/`, by subject, and listed in `entryKinds`, the only list of all of them.
 */
import type * as z from 'zod';
import type { Envelope } from './fields.ts';

/** The shape of an entry of a kind. Fields of `data` that do not fit the kind are dropped when a line is read. */
export type EntryOf<Kind> =
  Kind extends KindDefinition<infer Subtype, infer Type, infer Data>
    ? Envelope & { type: Type; subtype: Subtype; data?: z.infer<Data> | undefined }
    : never;

/** A line that shows an entry to the user. */
export interface DisplayLine {
  /** One line, except for notices and errors; never sent to the model. */
  readonly text: string;
  readonly tone: 'quiet' | 'warning' | 'error';
  /** Prefix on screen: `◇` for changes of the context, `!` for problems, `⎿` for everything else. */
  readonly mark: '◇' | '⎿' | '!';
  /** What to do about it, shown on screen. */
  readonly hint?: string;
  /** Takes only one row on screen, however long it is. */
  readonly isCut?: true;
  /** The full text that the line summarizes, for exports and the transcript. */
  readonly body?: string;
  /** Where it appears; absent = on screen and in exports. */
  readonly only?: 'screen' | 'export';
}

/** Formats a display line with its hint. */
export function lineText({ text, hint }: DisplayLine): string {
  return hint === undefined ? text : `${text} · ${hint}`;
}

/** Lets a display line look up the number of another entry; undefined if it is not known. */
export interface LineContext {
  readonly seqOf: (uuid: string) => number | undefined;
}

interface KindDefinition<Subtype extends string, Type extends 'user' | 'system', Data extends z.ZodType> {
  readonly subtype: Subtype;
  readonly type: Type;
  /** Every field is optional: a log may come from another version or have been edited. */
  readonly data: Data;
  /**
   * `sent`: requests contain the message, in the user's role. `recall`: only the tool Recall finds and shows it. `never`:
   * Recall does not either, and summaries are not checked against it.
   */
  readonly modelAccess: 'sent' | 'recall' | 'never';
  /** True if it changes how earlier entries are seen. */
  readonly affectsEarlierEntries?: true;
  /** True if it may be part of the single line that replaces old steps. */
  readonly isCollapsible?: true;
  /** Which entries of this kind stay in memory when the old part of the log is unloaded: all, or only the newest. */
  readonly stays?: 'all' | 'newest';
  /** The author that search hits in its text are shown with; absent if its text is not searched. */
  readonly searchedAs?: 'you' | 'note' | 'title';
  /** Returns undefined if there is nothing to show. */
  readonly displayLine?: (
    entry: Envelope & { type: Type; subtype: Subtype; data?: z.infer<Data> | undefined },
    context: LineContext,
  ) => DisplayLine | undefined;
}

export function defineKind<
  const Subtype extends string,
  const Type extends 'user' | 'system',
  Data extends z.ZodType,
>(definition: KindDefinition<Subtype, Type, Data>): KindDefinition<Subtype, Type, Data> {
  return definition;
}

/** Returns a quiet line about what the model sees of the conversation. */
export function contextLine(text: string, more: Partial<DisplayLine> = {}): DisplayLine {
  return { text, tone: 'quiet', mark: '◇', ...more };
}

/** Returns the message of an entry as text; an empty string if it has images. */
export function contentOf({ message }: Pick<Envelope, 'message'>): string {
  return typeof message.content === 'string' ? message.content : '';
}

/** Returns the `body` of a display line if the message is not blank. */
export function bodyOf(entry: Pick<Envelope, 'message'>): { readonly body?: string } {
  const content = contentOf(entry);
  return content.trim() === '' ? {} : { body: content };
}

/** Formats a pointer to an entry; without its number if that is no longer known. */
export function pointTo(uuid: string | undefined, { seqOf }: LineContext): string {
  const seq = uuid === undefined ? undefined : seqOf(uuid);
  return seq === undefined ? 'an earlier item' : `#${seq}`;
}
