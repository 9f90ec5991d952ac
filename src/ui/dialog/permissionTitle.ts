/** What a permission dialog says around the preview: each fact once, in the title or in the reason. */
import type { PermissionQuestion } from '../../protocol/permissions.ts';
import { diffSize } from '../../protocol/text/diff.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { textWidth, truncate } from '../print/width.ts';

/** The title: the action that "yes" allows, in a few words. The preview shows the rest. */
export function titleOf(question: PermissionQuestion): string {
  return askerOf(question) + askedOf(question);
}

const ASKER_COLUMNS = 40;

/** The subagent that asks; empty if the agent itself does. */
const askerOf = ({ from }: PermissionQuestion): string =>
  from === undefined ? '' : `${truncate(shownLine(from), ASKER_COLUMNS)} asks: `;

function askedOf(question: PermissionQuestion): string {
  const { headline, preview, tool } = question;
  if (headline !== undefined) return shownLine(headline, preview.type === 'command');
  switch (preview.type) {
    case 'plan':
      return 'Start this plan?';
    case 'command':
      return 'Run this command?';
    case 'diff':
      return `${nameOf(question)}  ${preview.isNew ? 'new file' : changeSize(preview.diff)}`;
    case 'text':
      if (tool === 'WebFetch') return 'Fetch this page?';
      return tool?.startsWith('mcp__') === true ? 'Call this MCP tool?' : nameOf(question);
    case 'paths':
    case 'form':
      return nameOf(question);
  }
}

/** True if the title names the only file of the question in full at `width` columns, so that the preview need not. */
export function titleNamesFile(question: PermissionQuestion, width: number): boolean {
  const { preview, title, headline } = question;
  if (headline !== undefined || textWidth(askerOf(question) + nameOf(question)) > width - 4) return false;
  if (preview.type !== 'paths') return true;
  const [path = '', ...others] = preview.paths;
  const isLinked = (preview.realPaths?.[0] ?? path) !== path;
  return others.length === 0 && !isLinked && (path === title || path.endsWith(`/${title}`));
}

const nameOf = ({ tool, title }: PermissionQuestion): string =>
  `${tool === undefined ? '' : `${sanitizeLine(tool)} `}${shownLine(title)}?`;

/** Returns a summary such as `+2 −1`. */
function changeSize(diff: string): string {
  const { added, removed } = diffSize(diff);
  return `+${added} −${removed}`;
}

/** Reasons that say no more than the title and the preview. */
const plainReason = /^(?:Sends a request to \S+|ClawdCode cannot check what [^\n]+ does)\.$/;

/** The reason, without facts in the title and the preview. `isNamed`: the title names the file. */
export function reasonNotShown(
  { reason, preview, suggestion }: PermissionQuestion,
  isNamed: boolean,
): string {
  const isPlain =
    (suggestion?.destination === 'mode' && suggestion.mode === undefined) ||
    (preview.type === 'text' && plainReason.test(reason)) ||
    (preview.type === 'command' && reason === `${preview.command.trim()} needs your approval.`);
  if (isPlain) return '';
  const known = preview.type === 'paths' && isNamed ? `${preview.paths[0]} is ` : undefined;
  if (known === undefined || !reason.startsWith(known)) return reason;
  const rest = reason.slice(known.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
