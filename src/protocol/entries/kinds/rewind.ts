import * as z from 'zod';
import { type Checkpoint, checkpointSchema, pathChangeSchema } from '../../checkpoints.ts';
import { contentOf, contextLine, defineKind, pointTo } from '../defineKind.ts';

/** A rewind: entries after `to` no longer belong to the conversation, unless only files were restored. */
export const rewind = defineKind({
  subtype: 'rewind',
  type: 'system',
  data: z.object({
    /** Uuid of the last entry kept; absent if only files were restored. */
    to: z.string().optional(),
    about: z.string().optional(),
    /** Uuid of the prompt that the user chose. */
    prompt: z.string().optional(),
    scope: z.string().optional(),
    /** The planned file changes. */
    changes: z.array(pathChangeSchema).readonly().optional(),
  }),
  modelAccess: 'recall',
  affectsEarlierEntries: true,
  displayLine: (entry, context) => {
    const after = entry.data?.to === undefined ? '' : ` what came after ${pointTo(entry.data.to, context)}`;
    const text = `Rewound:${after} is no longer part of the conversation.`;
    return contextLine(contentOf(entry) || (after === '' ? 'Rewound.' : text));
  },
});

/** Undoes the entries in `undoes`. */
export const undo = defineKind({
  subtype: 'undo',
  type: 'system',
  data: z.object({
    undoes: z.array(z.string()).optional(),
    about: z.string().optional(),
    /** The planned file changes. */
    changes: z.array(pathChangeSchema).readonly().optional(),
  }),
  modelAccess: 'recall',
  affectsEarlierEntries: true,
  displayLine: (entry) => contextLine(contentOf(entry) || 'Undone.'),
});

/** Changes on disk by a call, a command or a rewind. */
export const checkpoint = defineKind({
  subtype: 'checkpoint',
  type: 'system',
  data: checkpointSchema,
  modelAccess: 'recall',
  displayLine: ({ data }) => {
    if (data === undefined || data.changes.length === 0) return undefined;
    const folders = data.changes.filter(isFolder).length;
    const parts = [count(data.changes.length - folders, 'file'), count(folders, 'folder')];
    const body = data.changes.map(({ path }) => path).join('\n');
    return contextLine(`${parts.filter((part) => part !== '').join(' and ')} changed.`, {
      body,
      only: 'export',
    });
  },
});

function isFolder({ before, after }: Checkpoint['changes'][number]): boolean {
  return (before ?? after)?.type === 'folder' && (after ?? before)?.type === 'folder';
}

function count(many: number, noun: string): string {
  if (many === 0) return '';
  return many === 1 ? `1 ${noun}` : `${many} ${noun}s`;
}
