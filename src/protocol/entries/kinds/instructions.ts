import * as z from 'zod';
import { bodyOf, contentOf, contextNote, defineKind } from '../defineKind.ts';

/** A pinned block: AGENTS.md and its like. An empty message says that the file is gone. */
export const instructions = defineKind({
  subtype: 'instructions',
  type: 'user',
  data: z.object({
    /** Absolute. */
    path: z.string().optional(),
    /** SHA-256 of the text, in hex; absent if the file was deleted. */
    hash: z.string().optional(),
  }),
  isSent: true,
  stays: 'all',
  searchedAs: 'note',
  note: (entry) => {
    const { path = '' } = entry.data ?? {};
    // Early versions had one entry for all files together.
    if (path === '') return contextNote('Project instructions', { ...bodyOf(entry), only: 'export' });
    const short = path.startsWith(`${entry.cwd}/`) ? path.slice(entry.cwd.length + 1) : path;
    const state = contentOf(entry) === '' ? 'Instructions removed' : 'Instructions';
    return contextNote(`${state}: ${short}`, bodyOf(entry));
  },
});
