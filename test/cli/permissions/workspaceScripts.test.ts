/** Every session protects the scripts that any session of its folders may run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addRecords, recordOf } from '../../../src/cli/permissions/approvedRecords.ts';
import { createPermissions } from '../../../src/cli/permissions/permissions.ts';
import { withScriptsOfWorkspace } from '../../../src/cli/permissions/workspaceScripts.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const hook = (command: string): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });

test('an edit asks if it changes a file that another session, which trusts or has added the folder, may run', async () => {
  const home = temporaryFolder();
  const [root, added] = [join(home, 'project'), join(home, 'library')];
  for (const folder of ['.git', 'packages/a']) mkdirSync(join(added, folder), { recursive: true });
  mkdirSync(root);
  const place = {
    ...{ home, root, cwd: root, dataRoot: join(home, '.clawdcode'), env: {}, packageRoot: home },
    version: '1.0.0',
  };
  const line = { statusLine: { type: 'command', command: './line.sh' } };
  writeFileSync(join(root, '.clawdcode.json'), JSON.stringify(line));
  const servers = { mcpServers: { s: { command: 'node', args: ['srv.js'] } } };
  writeFileSync(join(root, '.mcp.json'), JSON.stringify(servers));
  writeFileSync(join(added, '.clawdcode.json'), hook('sh packages/a/check.sh'));
  writeFileSync(join(added, 'packages/a/once.sh'), '');
  const once = join(added, 'packages/a/once.sh');
  await addRecords({ ...place, root: added }, { files: { [once]: recordOf(once) }, commands: [] });

  const loaded = await loadSettings({
    ...place,
    trusted: false,
    flags: { addDirs: [join(added, 'packages/a')] },
  });
  const permissions = createPermissions(await withScriptsOfWorkspace(place, loaded), {
    ...{ ...place, saved: [], onSaved: async () => {}, engine: new InProcessEngine(home, {}) },
  });
  const edit = async (...path: string[]): Promise<string> => {
    const access = { type: 'write', paths: [join(...path)] } as const;
    return (await permissions.decide('Edit', access, 'acceptEdits')).behavior;
  };
  expect(await edit(root, 'other.sh')).toBe('allow');
  expect(await edit(added, 'packages/a/other.sh')).toBe('allow');
  expect(await edit(root, 'line.sh')).toBe('ask');
  expect(await edit(root, 'srv.js')).toBe('ask');
  expect(await edit(added, 'packages/a/check.sh')).toBe('ask');
  expect(await edit(once)).toBe('ask');
});
