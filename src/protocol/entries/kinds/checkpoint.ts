import { type Checkpoint, checkpointSchema } from '../../checkpoints.ts';
import { contextNote, defineKind } from '../defineKind.ts';

/** What a call, a command or a rewind changed on disk. */
export const checkpoint = defineKind({
  subtype: 'checkpoint',
  type: 'system',
  data: checkpointSchema,
  isSent: false,
  note: ({ data }) => {
    if (data === undefined || data.changes.length === 0) return undefined;
    const folders = data.changes.filter(isFolder).length;
    const parts = [count(data.changes.length - folders, 'file'), count(folders, 'folder')];
    const body = data.changes.map(({ path }) => path).join('\n');
    return contextNote(`${parts.filter((part) => part !== '').join(' and ')} changed.`, {
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
