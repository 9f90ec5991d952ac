/** A hard link to a secret is the secret, whatever its name. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { bash, home, policyFor, root } from '../harness.ts';

const folder = join(root, 'linked');
mkdirSync(join(folder, 'src'), { recursive: true });
mkdirSync(join(folder, 'deep'), { recursive: true });
mkdirSync(join(home, '.ssh'), { recursive: true });
writeFileSync(join(folder, 'deep/.env'), 'A=1\n');
linkSync(join(folder, 'deep/.env'), join(folder, 'src/x.ts'));
writeFileSync(join(home, '.ssh/work'), 'key\n');
linkSync(join(home, '.ssh/work'), join(folder, 'src/y.css'));
mkdirSync(join(home, '.clawdcode/projects/p/unchanged'), { recursive: true });
writeFileSync(join(folder, 'src/c.ts'), 'c\n');
linkSync(join(folder, 'src/c.ts'), join(home, '.clawdcode/projects/p/unchanged/c'));
writeFileSync(join(folder, 'src/a.ts'), 'a\n');
linkSync(join(folder, 'src/a.ts'), join(folder, 'src/b.ts'));

test.each([
  'cat linked/src/x.ts',
  'head -1 linked/src/y.css',
  'cat linked/src/x*',
  'wc -l < linked/src/x.ts',
])('%s asks', async (command) => {
  expect(await bash(command)).toMatchObject({
    behavior: 'ask',
    causes: [expect.objectContaining({ isSecret: true })],
  });
});

test.each(['grep -r a linked/src', 'rg a linked/src', "grep -rn --include='*.ts' a linked/src"])(
  '%s asks, because the sandbox hides one name only',
  async (command) => {
    const decision = await bash(command);
    expect(decision.behavior).toBe('ask');
    expect(decision.hiding).toBeUndefined();
  },
);

test('Read asks', async () => {
  const read = async (name: string) =>
    decide({ tool: 'Read', access: { type: 'read', paths: [join(folder, name)] } }, await policyFor());
  expect(await read('src/x.ts')).toMatchObject({ behavior: 'ask' });
  expect(await read('src/a.ts')).toMatchObject({ behavior: 'allow' });
});

test.each([
  'cat linked/src/a.ts',
  'cat linked/src/c.ts',
  'cat linked/src/b.ts',
  'cut -c1 linked/src/a*',
  'ls linked/src/x.ts',
])('%s does not', async (command) => {
  expect((await bash(command)).behavior).toBe('allow');
});
