import { shortened } from '../protocol/text/visible.ts';

interface Described {
  readonly name: string;
  readonly description: string;
}

const MAX_DESCRIPTION = 1024;
/** With less, only the names are listed. */
const MIN_DESCRIPTION = 20;

/**
 * Lists skills or agents in a tool's description, one line each. Long descriptions are truncated to equal length until
 * all fit into `maxCharacters`; if even short ones do not fit, one line lists the names after `label`.
 */
export function describedList(
  items: readonly Described[],
  { maxCharacters, label }: { readonly maxCharacters: number; readonly label: string },
): readonly string[] {
  const total = (length: number): number =>
    items.reduce(
      (sum, { name, description }) => sum + name.length + 4 + Math.min(length, description.length),
      0,
    );
  let length = MAX_DESCRIPTION;
  while (length > MIN_DESCRIPTION && total(length) > maxCharacters) length = Math.floor(length * 0.9);
  if (total(length) > maxCharacters)
    return [`${label}: ${items.map(({ name }) => name).join(', ')}`.slice(0, maxCharacters)];
  return items.map(({ name, description }) => `- ${name}: ${shortened(description, length)}`);
}
