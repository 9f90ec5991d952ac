import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Every path in a folder except `.git`, with its permissions and content. */
export async function treeOf(folder: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(join(folder, below))) {
    if (name === '.git') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const full = join(folder, path);
    const info = await lstat(full);
    const mode = (info.mode & 0o777).toString(8);
    if (info.isSymbolicLink()) found[path] = `-> ${await readlink(full)}`;
    else if (info.isDirectory()) Object.assign(found, { [`${path}/`]: mode }, await treeOf(folder, path));
    else found[path] = `${mode} ${(await readFile(full)).toString('base64')}`;
  }
  return found;
}
