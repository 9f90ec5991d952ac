import { quotedName } from '../../protocol/text/visible.ts';
import type { Command, CommandHost, CommandResult } from '../types.ts';

/** Adds a directory to the workspace until the program ends; without one, lists those that belong to it. */
export const addDir: Command = {
  name: 'add-dir',
  aliases: [],
  description: 'add a directory to the workspace until you quit; list them',
  argumentHint: '[path]',
  needsUser: (args) => (args === '' ? undefined : 'Use --add-dir.'),
  run: (args, { directories }) => {
    // Terminals quote the path of a folder that is dropped on them.
    const path = args.replace(/^(["'])(.+)\1$/s, '$2');
    return path === '' ? listed(directories) : added(path, directories);
  },
};

function listed({ list }: CommandHost['directories']): CommandResult {
  const [root = '', ...others] = list().map(quotedName);
  const lines = [`The workspace: ${root}`, ...others.map((folder) => `               ${folder}`)];
  return { type: 'notice', text: `${lines.join('\n')}\n\n/add-dir PATH adds another directory.` };
}

async function added(path: string, { add }: CommandHost['directories']): Promise<CommandResult> {
  const result = await add(path);
  if (result.type === 'refused') return { type: 'notice', level: 'error', text: result.message };
  const folder = quotedName(result.folder);
  if (result.type === 'added')
    return {
      type: 'notice',
      text: `${folder} belongs to the workspace until you quit. For the next start: clawdcode --add-dir ${folder}`,
    };
  const where = result.around === result.folder ? '' : `: it is in ${quotedName(result.around)}`;
  return { type: 'notice', text: `${folder} already belongs to the workspace${where}.` };
}
