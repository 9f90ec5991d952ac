/** Installs the fake language server under the name of a real one. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export type FakeMode =
  | 'answers'
  | 'publishes'
  | 'dies'
  | 'hangs'
  | 'floods'
  | 'huge'
  | 'deep'
  | 'chatters'
  | 'lies'
  | 'never-starts'
  | 'stays';

const script = resolve(import.meta.dirname, 'fakeServer.mjs');

export async function installServer(
  folder: string,
  name: string,
  mode: FakeMode = 'answers',
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(
    file,
    `#!/bin/sh\necho $$ > '${file}.pid'\nexec '${process.execPath}' '${script}' ${mode}\n`,
  );
  await chmod(file, 0o755);
  return file;
}
