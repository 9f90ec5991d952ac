// What a process and all its descendants have used so far, from /proc; zeros where there is none.
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** Ids of the process and of everything below it that runs. */
export function treeOf(root) {
  const parents = new Map();
  for (const pid of pids()) {
    const parent = statOf(pid)?.parent;
    if (parent !== undefined) parents.set(pid, parent);
  }
  return [...parents.keys()].filter((pid) => {
    for (let at = pid; at !== undefined && at !== 0; at = parents.get(at)) if (at === root) return true;
    return false;
  });
}

/** CPU ticks of the tree, children that have ended and were waited for included. */
export function treeTicks(root) {
  return treeOf(root).reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0), 0);
}

/** The same in seconds. */
export const treeCpu = (root) => treeTicks(root) / TICKS;

/** Seconds of one process and of the children that it has waited for: cheap enough to be asked often. */
export const ownCpu = (pid) => (statOf(pid)?.ticks ?? 0) / TICKS;

/** Bytes that the tree has written, to whatever. */
export function treeWritten(root) {
  return treeOf(root).reduce((sum, pid) => {
    const written = /^wchar: (\d+)/m.exec(readOrNothing(`/proc/${pid}/io`))?.[1];
    return sum + Number(written ?? 0);
  }, 0);
}

function pids() {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Fields behind the name, which may hold anything: the parent is the 2nd, utime to cstime the 12th to the 15th. */
function statOf(pid) {
  const text = readOrNothing(`/proc/${pid}/stat`);
  if (text === '') return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}

/** A process may end between being listed and being read. */
function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
