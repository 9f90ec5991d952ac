/** One entry with everything that it says, for whoever looks at exactly this one. */
import { type JSONLEntry, originalOf } from '../../protocol/entries.ts';
import { textOf } from '../../ui/print/content.ts';
import { sanitize, sanitizeLine } from '../../ui/print/sanitize.ts';
import type { Theme } from '../../ui/theme/theme.ts';

/** Safe for a terminal. `pathOf` says where the bytes of a hash lie. */
export function wholeEntry(entry: JSONLEntry, theme: Theme, pathOf: (hash: string) => string): string {
  const { seq, type, subtype, timestamp, cwd, gitBranch, message } = entry;
  const kind = entry.isCompactSummary === true ? 'summary' : (subtype ?? type);
  const facts = [timestamp, ...(message.model === undefined ? [] : [message.model]), cwd, gitBranch ?? ''];
  const head = `${theme.accent(`#${seq}`)} ${theme.strong(sanitizeLine(kind))}  ${theme.dim(
    sanitizeLine(facts.filter((fact) => fact !== '').join(' · ')),
  )}`;
  const original = originalOf(entry)?.hash;
  const parts = [
    head,
    ...(message.reasoning === undefined ? [] : [theme.dim(sanitize(message.reasoning.text))]),
    sanitize(bodyOf(entry)),
    ...(original === undefined ? [] : [theme.dim(`The whole of it: ${sanitizeLine(pathOf(original))}`)]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function bodyOf({ tool, toolResult, message, data }: JSONLEntry): string {
  if (toolResult !== undefined)
    return [
      ...(toolResult.display === undefined ? [] : [`${toolResult.name ?? ''} ${toolResult.display.title}`]),
      textOf(toolResult.output),
      ...(toolResult.display?.diff === undefined ? [] : [toolResult.display.diff]),
    ].join('\n\n');
  if (tool !== undefined) return `${tool.name} ${JSON.stringify(tool.input, null, 2)}`;
  const content = textOf(message.content);
  return content === '' && data !== undefined ? JSON.stringify(data, null, 2) : content;
}
