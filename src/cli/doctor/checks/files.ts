/** Checks the data folder, the settings and the sessions. */
import { access, constants, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../commands/pages/doctorPage.ts';
import { formatBytes } from '../../../ui/print/numbers.ts';
import { openCommandCatalogue } from '../../process/threads.ts';
import { unsupportedText } from '../../unsupportedNotices.ts';
import type { DoctorPorts } from '../ports.ts';

/** Bytes of free space below which sessions may soon fail to be saved. */
const LITTLE_SPACE = 200 * 2 ** 20;

export async function checkDataFolder({ place, node }: DoctorPorts): Promise<readonly Finding[]> {
  const { dataRoot } = place;
  const found = { id: 'data', label: 'Data folder' };
  const info = await stat(dataRoot).catch((error: NodeJS.ErrnoException) => error);
  if (info instanceof Error) {
    if (info.code !== 'ENOENT')
      return [{ ...found, state: 'missing', value: `${dataRoot}: ${info.message}`, fix: OTHER_FOLDER }];
    return (await canBeCreated(dataRoot))
      ? [{ ...found, state: 'ok', value: `${dataRoot}, created with the first session` }]
      : [{ ...found, state: 'missing', value: `${dataRoot} cannot be created`, fix: OTHER_FOLDER }];
  }
  // Checking permissions is not enough: a read-only or full disk only fails on writing.
  const trial = await mkdtemp(join(dataRoot, '.doctor-')).catch((error: Error) => error);
  if (trial instanceof Error)
    return [
      {
        ...found,
        state: 'missing',
        value: `${dataRoot} cannot be written: ${trial.message}`,
        fix: OTHER_FOLDER,
      },
    ];
  await rm(trial, { recursive: true, force: true });
  const space = await statfs(dataRoot).catch(() => undefined);
  const free = space === undefined ? undefined : space.bavail * space.bsize;
  const value = `${dataRoot}${free === undefined ? '' : ` · ${formatBytes(free)} free`}`;
  // Windows manages permissions differently; the mode bits there are made up.
  const open = (info.mode & 0o077) !== 0 && !node.platform.startsWith('win32');
  if (open)
    return [
      {
        ...found,
        state: 'warning',
        value: `${value} · others can read it`,
        fix: `Sessions are private: chmod 700 ${dataRoot}`,
      },
    ];
  if (free !== undefined && free < LITTLE_SPACE)
    return [
      { ...found, state: 'warning', value, fix: 'Free some space: sessions are written continuously.' },
    ];
  return [{ ...found, state: 'ok', value }];
}

/** True if the nearest existing parent folder is writable. */
async function canBeCreated(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  try {
    await access(parent, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== folder;
    return isMissing && canBeCreated(parent);
  }
}

const OTHER_FOLDER =
  'Sessions and settings are stored there: fix its permissions, or set CLAWDCODE_HOME to another folder.';

export function checkSettings({ loaded, isTrusted }: DoctorPorts): readonly Finding[] {
  const present = loaded.files.filter(({ state }) => state !== 'missing').map(({ name }) => name);
  const files = present.length === 0 ? 'defaults; no file found' : present.join(', ');
  const held = loaded.untrusted.length > 0;
  const why = isTrusted ? 'changed since you trusted the folder' : 'the folder is not trusted';
  const first: Finding = {
    id: 'settings',
    label: 'Settings',
    state: held ? 'warning' : 'ok',
    value: held ? `${files} · ${why}, so these do not apply: ${keysIn(loaded)}` : files,
    ...(held ? { fix: 'Run clawdcode here once and decide.' } : {}),
  };
  const unsupported = loaded.unsupported.map(
    (one): Finding => ({
      id: 'settings.unsupported',
      label: 'Setting',
      state: 'ok',
      value: unsupportedText(one),
    }),
  );
  const problems = loaded.problems.slice(0, 10).map(
    ({ message, file, key }): Finding => ({
      id: 'settings.problem',
      label: 'Setting',
      state: 'warning',
      value: message,
      fix: key === undefined ? `Correct ${file}.` : `Correct it in ${file}; everything else there applies.`,
    }),
  );
  return [first, ...unsupported, ...problems];
}

/** Lists the keys, e.g. `model, permissions.allow`. */
function keysIn({ untrusted }: DoctorPorts['loaded']): string {
  return [...new Set(untrusted.map(({ key }) => key))].join(', ');
}

export async function checkSessions({ place }: DoctorPorts): Promise<readonly Finding[]> {
  const found = { id: 'sessions', label: 'Sessions' };
  // The check must not create the folder.
  const isThere = await stat(join(place.dataRoot, 'projects')).then(
    () => true,
    () => false,
  );
  if (!isThere) return [{ ...found, state: 'ok', value: 'none yet' }];
  const catalogue = openCommandCatalogue(place);
  try {
    const { isComplete } = await catalogue.refresh(undefined, { maxBytes: INDEX_BYTES });
    const all = await catalogue.count();
    if (all === undefined)
      return [
        {
          ...found,
          state: 'warning',
          value: 'there is no session index',
          fix: 'Lists and searches work without it, but slowly; check the data folder.',
        },
      ];
    const partial = (await catalogue.list()).filter(({ isPartial }) => isPartial);
    const [first] = partial;
    const value = `${all} indexed${isComplete ? '' : '; large ones are read with the next search'}`;
    if (first === undefined) return [{ ...found, state: 'ok', value }];
    return [
      {
        ...found,
        state: 'warning',
        value: `${value}; ${partial.length} of them only in part, such as ${first.id}`,
        fix: `clawdcode session verify ${first.id} says why.`,
      },
    ];
  } catch (error) {
    const value = `the index cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return [
      {
        ...found,
        state: 'warning',
        value,
        fix: 'Delete it (sessions.db in the data folder); it will be rebuilt.',
      },
    ];
  } finally {
    await catalogue.close();
  }
}

/** Maximum bytes of new logs that this check reads. */
const INDEX_BYTES = 4 * 2 ** 20;
