import { unquoted } from '../protocol/text/quoteWord.ts';
import { errorNotice } from './notices.ts';
import type { Command, CommandResult, ExportFormat } from './types.ts';

const formats: Readonly<Record<string, ExportFormat>> = {
  md: 'md',
  markdown: 'md',
  html: 'html',
  json: 'json',
  jsonl: 'jsonl',
};

/** Entries that make a session worth exporting. */
const isConversation: ReadonlySet<string> = new Set(['prompt', 'shell', 'assistant', 'tool_result']);

/** Writes the session to a file, with secrets removed. */
export const exportCommand: Command = {
  name: 'export',
  aliases: [],
  description: 'export this session to a file, without secrets',
  argumentHint: '[md, html …]',
  needsUser: () => 'Use clawdcode session export.',
  run: async (args, host): Promise<CommandResult> => {
    // In a long session only the end may be loaded, and it need not contain a prompt.
    if (!host.agent.entries().some(({ type, subtype }) => isConversation.has(subtype ?? type)))
      return errorNotice('Nothing to export yet.');
    const { format, file } = readArguments(args);
    if (file !== undefined && /^[\w-]+$/.test(args.trim()))
      return errorNotice(
        `Unknown format “${file}”: use md, html, json or jsonl. For a file of that name, use ./${file}`,
      );
    const done = await host.exportSession(file === undefined ? { format } : { format, file });
    if (done.type === 'failed') return errorNotice(done.message);
    return { type: 'notice', text: `Exported to ${done.file}\n${secretsLine(done.secrets)}` };
  },
};

/** Parses `[format] [file]`. Without a format, the file extension decides; the default is Markdown. */
function readArguments(args: string): { readonly format: ExportFormat; readonly file?: string } {
  const [, first = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
  const named = formats[first.toLowerCase()];
  const file = unquoted(named === undefined ? args.trim() : rest.trim());
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const format = named ?? formats[ending] ?? 'md';
  return file === '' ? { format } : { format, file };
}

function secretsLine(secrets: number): string {
  if (secrets === 0) return 'No keys, tokens or passwords were found.';
  return secrets === 1 ? '1 secret was left out.' : `${secrets} secrets were left out.`;
}
