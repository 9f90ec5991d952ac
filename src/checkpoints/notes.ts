import type { PathChange, PathState } from '../protocol/checkpoints.ts';
import { grouped } from '../protocol/text/numbers.ts';

/** Further notes are summarized. */
const MAX_NOTES = 10;

/** The changes that cannot be restored, ready to show. */
export function changeNotes(root: string, changes: readonly PathChange[]): readonly string[] {
  const lost = changes.flatMap(({ path, before }) =>
    isLost(before) ? [`${describePath(root, path)} cannot be restored: ${before.omitted}`] : [],
  );
  if (lost.length <= MAX_NOTES) return lost;
  return [...lost.slice(0, MAX_NOTES), `${grouped(lost.length - MAX_NOTES)} more cannot be restored`];
}

const isLost = (
  state: PathState | undefined,
): state is Extract<PathState, { type: 'file' }> & { omitted: string } =>
  state?.type === 'file' && state.omitted !== undefined;

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function describeSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A path for display: relative to the root if inside, with control characters escaped. */
export function describePath(root: string, path: string): string {
  const shown = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return shown
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu, (one) => JSON.stringify(one).slice(1, -1))
    .replace(/[\u007f-\u009f\p{Cf}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
