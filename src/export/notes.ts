/** What the program itself did, in a sentence each; most of its bookkeeping is nobody's reading. */
import type { JSONLEntry } from '../protocol/entries.ts';

export interface Note {
  readonly kind: string;
  readonly text: string;
  readonly body?: string;
}

/** Where an old entry does not say it: only the conversation went back then. */
const wentBack = 'Rewound: what came after is no longer part of the conversation.';

/** Undefined for what a reader has no use for. */
export function noteOf({ subtype, data, message }: JSONLEntry): Note | undefined {
  const content = typeof message.content === 'string' ? message.content : '';
  switch (subtype) {
    case 'instructions': {
      const path = typeof data?.path === 'string' ? data.path : 'Project instructions';
      return {
        kind: subtype,
        text: content === '' ? `${path} is gone.` : `${path} was read.`,
        ...bodyOf(content),
      };
    }
    case 'environment':
      return {
        kind: subtype,
        text: data?.about === 'rewind' ? 'The model was told where it is.' : 'Session resumed.',
        ...bodyOf(content),
      };
    case 'mode':
      return {
        kind: subtype,
        text: `Permission mode: ${typeof data?.mode === 'string' ? data.mode : content}`,
      };
    case 'model':
      return { kind: subtype, text: `Model: ${typeof data?.model === 'string' ? data.model : content}` };
    case 'nudge':
      return { kind: subtype, text: 'Note to the model.', ...bodyOf(content) };
    case 'image':
      return { kind: subtype, text: `The model was shown ${String(data?.path ?? 'an image')}.` };
    case 'memory':
      return { kind: subtype, text: 'Memories added to the prompt.', ...bodyOf(content) };
    case 'reminder':
      return { kind: subtype, text: 'Goal and tasks, restated for the model.', ...bodyOf(content) };
    case 'reduction':
      return reduced(data);
    case 'summary_failed':
      return { kind: subtype, text: `Summary failed: ${content}` };
    case 'rewind':
      return { kind: subtype, text: content === '' ? wentBack : content };
    case 'undo':
      return { kind: subtype, text: content === '' ? 'Undone.' : content };
    case 'checkpoint':
      return changedFiles(data);
    default:
      return undefined;
  }
}

/** What a reader of an export may wonder about; the rest is between the program and the model's window. */
function reduced(data: JSONLEntry['data']): Note | undefined {
  switch (data?.kind) {
    case 'mask':
    case 'clip':
      return { kind: 'reduction', text: 'Earlier steps were shortened.' };
    case 'remove':
      return { kind: 'reduction', text: 'Older messages were left out.' };
    case 'drop':
      return { kind: 'reduction', text: 'The user dropped something from the context.' };
    case 'restore':
      return { kind: 'reduction', text: 'The user restored something to the context.' };
    default:
      return undefined;
  }
}

function changedFiles(data: JSONLEntry['data']): Note | undefined {
  const changes = Array.isArray(data?.changes) ? (data.changes as readonly Change[]) : [];
  const named = changes.filter((change) => typeof change?.path === 'string');
  if (named.length === 0) return undefined;
  const folders = named.filter(({ before, after }) => isFolder(before ?? after) && isFolder(after ?? before));
  const files = named.length - folders.length;
  const what = [
    ...(files === 0 ? [] : [files === 1 ? '1 file' : `${files} files`]),
    ...(folders.length === 0 ? [] : [folders.length === 1 ? '1 folder' : `${folders.length} folders`]),
  ];
  const body = named.map(({ path }) => String(path)).join('\n');
  return { kind: 'checkpoint', text: `${what.join(' and ')} changed.`, body };
}

interface Change {
  readonly path?: unknown;
  readonly before?: { readonly type?: unknown };
  readonly after?: { readonly type?: unknown };
}

function isFolder(state: Change['before']): boolean {
  return state?.type === 'folder';
}

function bodyOf(content: string): { readonly body?: string } {
  return content.trim() === '' ? {} : { body: content };
}
